//! Semantic versions.

use std::cmp::Ordering;

/// A version; the build part does not take part in comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Semver {
    pub(crate) major: u64,
    pub(crate) minor: u64,
    pub(crate) patch: u64,
    before_release: Vec<String>,
}

impl Semver {
    /// Reads `1.2.3-rc.1+build`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (core, before_release) =
            text.split_once('-').map_or((text, None), |(core, rest)| (core, Some(rest)));
        let mut numbers = core.split('.').map(read_number);
        let (major, minor, patch) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let identifiers = |part: Option<&str>| match part {
            None => Some(Vec::new()),
            Some(part) => part.split('.').map(read_identifier).collect::<Option<Vec<String>>>(),
        };
        identifiers(build)?;
        let before_release = identifiers(before_release)?;
        let leading_zero = |part: &String| part.len() > 1 && part.starts_with('0') && is_number(part);
        if numbers.next().is_some() || before_release.iter().any(leading_zero) {
            return None;
        }
        Some(Self { major, minor, patch, before_release })
    }

    /// Reads a version with a leading `v`, missing parts or leading zeros, as people write them.
    pub(crate) fn parse_normalized(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let end = text.find(['-', '+']).unwrap_or(text.len());
        let (core, rest) = text.split_at(end);
        let mut parts: Vec<&str> = core
            .split('.')
            .map(|part| if is_number(part) { part.trim_start_matches('0') } else { part })
            .map(|part| if part.is_empty() { "0" } else { part })
            .collect();
        parts.resize(parts.len().max(3), "0");
        Self::parse(&format!("{}{rest}", parts.join(".")))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_ascii_digit())
}

fn read_number(text: &str) -> Option<u64> {
    (is_number(text) && (text.len() == 1 || !text.starts_with('0'))).then(|| text.parse().ok()).flatten()
}

fn read_identifier(text: &str) -> Option<String> {
    let valid = !text.is_empty()
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '-');
    valid.then(|| text.to_owned())
}

impl PartialOrd for Semver {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Semver {
    fn cmp(&self, other: &Self) -> Ordering {
        let core = (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch));
        core.then_with(|| match (self.before_release.is_empty(), other.before_release.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_identifiers(&self.before_release, &other.before_release),
        })
    }
}

fn compare_identifiers(left: &[String], right: &[String]) -> Ordering {
    let pairs =
        left.iter().zip(right).map(|(left, right)| match (left.parse::<u64>(), right.parse::<u64>()) {
            (Ok(left), Ok(right)) => left.cmp(&right),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => left.cmp(right),
        });
    pairs.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
}
