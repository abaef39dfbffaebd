//! The string and number formats that validation enforces.
//!
//! A format that kube-apiserver does not know constrains nothing and is dropped when the schema is compiled. The
//! checks follow what the server was seen to accept, which is at times looser or tighter than the RFC of the name.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use base64::Engine as _;
use regex::Regex;

/// A format with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Int32,
    Int64,
    Float,
    Double,
    Date,
    DateTime,
    MicroTime,
    DateTimeUndashed,
    Duration,
    Uuid,
    Uuid3,
    Uuid4,
    Uuid5,
    Ipv4,
    Ipv6,
    Cidr,
    Mac,
    Uri,
    Email,
    Hostname,
    Byte,
    Password,
    BsonObjectId,
    HexColor,
    RgbColor,
    Isbn,
    Isbn10,
    Isbn13,
    CreditCard,
    Ssn,
    ShortName,
    LongName,
}

const NAMES: [(&str, Format); 32] = [
    ("int32", Format::Int32),
    ("int64", Format::Int64),
    ("float", Format::Float),
    ("double", Format::Double),
    ("date", Format::Date),
    ("date-time", Format::DateTime),
    // Of built-in kinds alone: a date-time with six digits of a second's fraction.
    ("kubernetes-micro-time", Format::MicroTime),
    ("datetime", Format::DateTimeUndashed),
    ("duration", Format::Duration),
    ("uuid", Format::Uuid),
    ("uuid3", Format::Uuid3),
    ("uuid4", Format::Uuid4),
    ("uuid5", Format::Uuid5),
    ("ipv4", Format::Ipv4),
    ("ipv6", Format::Ipv6),
    ("cidr", Format::Cidr),
    ("mac", Format::Mac),
    ("uri", Format::Uri),
    ("email", Format::Email),
    ("hostname", Format::Hostname),
    ("byte", Format::Byte),
    ("password", Format::Password),
    ("bsonobjectid", Format::BsonObjectId),
    ("hexcolor", Format::HexColor),
    ("rgbcolor", Format::RgbColor),
    ("isbn", Format::Isbn),
    ("isbn10", Format::Isbn10),
    ("isbn13", Format::Isbn13),
    ("creditcard", Format::CreditCard),
    ("ssn", Format::Ssn),
    ("k8s-short-name", Format::ShortName),
    ("k8s-long-name", Format::LongName),
];

impl Format {
    /// The format of that name, if it constrains anything.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// The name in schemas and findings.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// Whether `text` is of the format. Number formats say nothing about texts.
    pub(crate) fn accepts(self, text: &str) -> bool {
        match self {
            Self::Int32 | Self::Int64 | Self::Float | Self::Double | Self::Password => true,
            Self::Date => text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok(),
            Self::DateTime | Self::DateTimeUndashed => is_date_time(text),
            Self::MicroTime => is_micro_time(text),
            Self::Duration => duration_nanoseconds(text).is_some(),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Cidr => is_cidr(text),
            Self::Uri => is_request_uri(text),
            Self::Email => is_email(text),
            Self::Hostname => is_hostname(text),
            Self::Byte => base64::engine::general_purpose::STANDARD.decode(text).is_ok(),
            Self::Isbn => is_isbn10(text) || is_isbn13(text),
            Self::Isbn10 => is_isbn10(text),
            Self::Isbn13 => is_isbn13(text),
            Self::ShortName => text.len() <= 63 && PATTERNS.short_name.is_match(text),
            Self::LongName => text.len() <= 253 && PATTERNS.long_name.is_match(text),
            Self::Uuid => PATTERNS.uuid.is_match(text),
            Self::Uuid3 => PATTERNS.uuid3.is_match(text),
            Self::Uuid4 => PATTERNS.uuid4.is_match(text),
            Self::Uuid5 => PATTERNS.uuid5.is_match(text),
            Self::Mac => PATTERNS.mac.is_match(text),
            Self::BsonObjectId => PATTERNS.bson_object_id.is_match(text),
            Self::HexColor => PATTERNS.hex_color.is_match(text),
            Self::RgbColor => PATTERNS.rgb_color.is_match(text),
            Self::CreditCard => PATTERNS.credit_card.is_match(text),
            Self::Ssn => PATTERNS.ssn.is_match(text),
        }
    }
}

struct Patterns {
    uuid: Regex,
    uuid3: Regex,
    uuid4: Regex,
    uuid5: Regex,
    mac: Regex,
    bson_object_id: Regex,
    hex_color: Regex,
    rgb_color: Regex,
    credit_card: Regex,
    ssn: Regex,
    short_name: Regex,
    long_name: Regex,
    date_time: Regex,
    duration_part: Regex,
}

#[allow(clippy::expect_used, reason = "constant patterns, each exercised by a test")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern compiles")
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    uuid: pattern("(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{12}$"),
    uuid3: pattern("(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?3[0-9A-F]{3}-?[0-9A-F]{4}-?[0-9A-F]{12}$"),
    uuid4: pattern("(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?4[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$"),
    uuid5: pattern("(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?5[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$"),
    mac: pattern(
        "^(([0-9a-fA-F]{2}:){5,19}[0-9a-fA-F]{2}|([0-9a-fA-F]{2}-){5,19}[0-9a-fA-F]{2}|([0-9a-fA-F]{4}\\.){2,9}[0-9a-fA-F]{4})$",
    ),
    bson_object_id: pattern("^[0-9a-fA-F]{24}$"),
    hex_color: pattern("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
    rgb_color: pattern(
        "^rgb\\(\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*\\)$",
    ),
    credit_card: pattern("^[0-9 -]{12,23}$"),
    ssn: pattern("^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$"),
    short_name: pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"),
    long_name: pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
    date_time: pattern(
        "^\\d{4}-\\d{2}-\\d{2}[Tt]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?([Zz]|[+-]\\d{2}:\\d{2})$",
    ),
    duration_part: pattern("^\\s*([-+]?\\d*\\.?\\d+)\\s*([A-Za-zµμ]+)"),
});

/// RFC 3339, with a valid day.
fn is_date_time(text: &str) -> bool {
    PATTERNS.date_time.is_match(text)
        && text.get(..10).is_some_and(|date| date.parse::<jiff::civil::Date>().is_ok())
}

/// RFC 3339 with microseconds, no digit more or less.
fn is_micro_time(text: &str) -> bool {
    let fraction = text.split_once('.').map(|(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
    is_date_time(text) && fraction == Some(6)
}

const UNITS: [(&str, f64); 10] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 6e10),
    ("h", 3.6e12),
    ("d", 8.64e13),
    ("w", 6.048e14),
];

/// A duration such as `1h30m` or `2 days`, in nanoseconds.
pub(crate) fn duration_nanoseconds(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.as_bytes().first()? {
        b'-' => (-1.0, text.get(1..)?),
        b'+' => (1.0, text.get(1..)?),
        _ => (1.0, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total = 0.0;
    while !rest.trim().is_empty() {
        let parts = PATTERNS.duration_part.captures(rest)?;
        let number: f64 = parts.get(1)?.as_str().parse().ok()?;
        total += number * unit_nanoseconds(parts.get(2)?.as_str())?;
        rest = rest.get(parts.get(0)?.end()..)?;
    }
    let signed = sign * total;
    #[allow(clippy::cast_possible_truncation, reason = "checked to lie inside the range")]
    (rest.len() < text.len() && signed.abs() < 9.3e18).then_some(signed as i64)
}

fn unit_nanoseconds(name: &str) -> Option<f64> {
    let known = UNITS.iter().find(|(unit, _)| *unit == name).map(|(_, size)| *size);
    known.or_else(|| long_unit_nanoseconds(name))
}

fn long_unit_nanoseconds(name: &str) -> Option<f64> {
    let long = name.to_ascii_lowercase();
    Some(match long.trim_end_matches('s') {
        "nanosecond" | "nano" => 1.0,
        "microsecond" | "micro" => 1e3,
        "millisecond" | "milli" => 1e6,
        "second" | "sec" => 1e9,
        "minute" | "min" => 6e10,
        "hour" | "hr" => 3.6e12,
        "day" => 8.64e13,
        "week" | "wk" => 6.048e14,
        _ => return None,
    })
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let Ok(length_bits) = length.parse::<u8>() else { return false };
    let canonical = length == length_bits.to_string();
    let bits = if address.parse::<Ipv4Addr>().is_ok() {
        32
    } else if address.parse::<Ipv6Addr>().is_ok() {
        128
    } else {
        return false;
    };
    canonical && length_bits <= bits
}

/// An absolute URI, or an absolute path.
fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.chars().any(|character| character.is_control() || character == ' ') {
        return false;
    }
    text.starts_with('/')
        || text.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character))
        })
}

fn is_email(text: &str) -> bool {
    let address = match (text.rfind('<'), text.strip_suffix('>')) {
        (Some(start), Some(open)) => open.get(start + 1..).unwrap_or_default(),
        _ => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let plain = |part: &str| {
        !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || "<>(),;:\\\"[]@".contains(c))
    };
    plain(local) && plain(domain) && !local.starts_with('.') && !local.ends_with('.') && !local.contains("..")
}

fn is_hostname(text: &str) -> bool {
    let label = |part: &str| {
        !part.is_empty()
            && part.len() <= 63
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part
                .chars()
                .all(|character| character.is_alphanumeric() || character == '-' || character == '_')
    };
    text.len() <= 255 && text.strip_suffix('.').unwrap_or(text).split('.').all(label)
}

fn digits_without_separators(text: &str) -> Vec<char> {
    text.chars().filter(|character| *character != '-' && *character != ' ').collect()
}

fn is_isbn10(text: &str) -> bool {
    let digits = digits_without_separators(text);
    let values: Option<Vec<u32>> = digits
        .iter()
        .enumerate()
        .map(|(position, digit)| if position == 9 && *digit == 'X' { Some(10) } else { digit.to_digit(10) })
        .collect();
    values.is_some_and(|values| {
        values.len() == 10
            && values.iter().zip(1..).map(|(value, weight)| value * weight).sum::<u32>() % 11 == 0
    })
}

fn is_isbn13(text: &str) -> bool {
    let values: Option<Vec<u32>> =
        digits_without_separators(text).iter().map(|digit| digit.to_digit(10)).collect();
    values.is_some_and(|values| {
        let weights = [1, 3].into_iter().cycle();
        values.len() == 13
            && values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<u32>() % 10 == 0
    })
}
