//! URLs as requests carry them: an absolute URI or an absolute path.

use std::fmt::Write as _;

/// The parts of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    /// Host and port as written.
    pub(crate) host: String,
    /// The path as written, with its escapes.
    pub(crate) path: String,
    /// Names and values of the query, decoded, in order.
    pub(crate) query: Vec<(String, String)>,
}

impl Url {
    /// Reads a URL; the failure is the reason in the words of the reference.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let failed = |reason: &str| Err(format!("parse \"{text}\": {reason}"));
        if text.is_empty() {
            return failed("empty url");
        }
        if text.chars().any(|character| character.is_ascii_control()) {
            return failed("net/url: invalid control character in URL");
        }
        let (scheme, rest) = split_scheme(text);
        if scheme.is_none() && !text.starts_with('/') {
            return failed("invalid URI for request");
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (host, path) = split_authority(rest, scheme.is_some());
        if host.contains(' ') {
            return failed("invalid character \" \" in host name");
        }
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        if let Some(port) = invalid_port(host) {
            return failed(&format!("invalid port \":{port}\" after host"));
        }
        if let Some(escape) = invalid_escape(path) {
            return failed(&format!("invalid URL escape \"{escape}\""));
        }
        // Without a slash the rest is opaque: there is no path.
        let path = if rest.starts_with('/') { path } else { "" };
        let query = query.split('&').filter(|pair| !pair.is_empty()).filter_map(read_pair).collect();
        let scheme = scheme.unwrap_or_default().to_ascii_lowercase();
        Ok(Self { scheme, host: host.to_owned(), path: escape_path(path), query })
    }

    /// The host without port and brackets.
    pub(crate) fn hostname(&self) -> &str {
        if let Some(inside) = self.host.strip_prefix('[') {
            return inside.split(']').next().unwrap_or(inside);
        }
        self.host.rsplit_once(':').map_or(&self.host, |(name, _)| name)
    }

    /// The port, empty if none is written.
    pub(crate) fn port(&self) -> &str {
        let after_brackets = self.host.rsplit(']').next().unwrap_or(&self.host);
        after_brackets.rsplit_once(':').map_or("", |(_, port)| port)
    }
}

fn split_scheme(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some((scheme, rest))
            if scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character)) =>
        {
            (Some(scheme), rest)
        }
        _ => (None, text),
    }
}

/// The port, if it is no number.
fn invalid_port(host: &str) -> Option<&str> {
    let (_, port) = host.rsplit(']').next().unwrap_or(host).rsplit_once(':')?;
    (!port.chars().all(|character| character.is_ascii_digit())).then_some(port)
}

/// The first escape that is not two hexadecimal digits.
fn invalid_escape(path: &str) -> Option<&str> {
    path.match_indices('%').find_map(|(at, _)| {
        let digits = path.get(at + 1..at + 3);
        let valid = digits.is_some_and(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()));
        let rest = path.get(at..).unwrap_or_default();
        (!valid).then(|| path.get(at..at + 3).unwrap_or(rest))
    })
}

fn split_authority(rest: &str, absolute: bool) -> (&str, &str) {
    let Some(after) = rest.strip_prefix("//").filter(|_| absolute) else { return ("", rest) };
    after.split_at(after.find('/').unwrap_or(after.len()))
}

fn escape_path(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@%!*'()[]".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

fn read_pair(pair: &str) -> Option<(String, String)> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    Some((decode(name)?, decode(value)?))
}

fn decode(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}
