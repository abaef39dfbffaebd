//! Parts of times and durations.

use jiff::Timestamp as Instant;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use super::Sig::{Duration, Int, Text, Timestamp};
use super::{Overload, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;

macro_rules! part {
    ($name:literal, $function:ident) => {
        [member($name, &[Timestamp], Int, $function), member($name, &[Timestamp, Text], Int, $function)]
    };
}

const YEAR: [Overload; 2] = part!("getFullYear", full_year);
const MONTH: [Overload; 2] = part!("getMonth", month);
const DATE: [Overload; 2] = part!("getDate", date);
const DAY_OF_MONTH: [Overload; 2] = part!("getDayOfMonth", day_of_month);
const DAY_OF_WEEK: [Overload; 2] = part!("getDayOfWeek", day_of_week);
const DAY_OF_YEAR: [Overload; 2] = part!("getDayOfYear", day_of_year);
const HOURS: [Overload; 2] = part!("getHours", hours);
const MINUTES: [Overload; 2] = part!("getMinutes", minutes);
const SECONDS: [Overload; 2] = part!("getSeconds", seconds);
const MILLISECONDS: [Overload; 2] = part!("getMilliseconds", milliseconds);

static PARTS: [[Overload; 2]; 10] =
    [YEAR, MONTH, DATE, DAY_OF_MONTH, DAY_OF_WEEK, DAY_OF_YEAR, HOURS, MINUTES, SECONDS, MILLISECONDS];

/// The parts of a time, each also in a named zone.
pub(super) fn parts() -> impl Iterator<Item = &'static Overload> {
    PARTS.iter().flatten()
}

pub(super) static OVERLOADS: &[Overload] = &[
    member("getHours", &[Duration], Int, hours),
    member("getMinutes", &[Duration], Int, minutes),
    member("getSeconds", &[Duration], Int, seconds),
    member("getMilliseconds", &[Duration], Int, milliseconds),
];

/// A duration such as `1h30m`, in nanoseconds: the units are `h`, `m`, `s`, `ms`, `us` and `ns`.
pub(super) fn parse_duration(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain =
        unsigned.chars().all(|character| character.is_ascii_digit() || ".hmsunµμ".contains(character));
    let ends_in_unit = unsigned == "0" || unsigned.ends_with(['h', 'm', 's']);
    if !plain || !ends_in_unit || !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
    {
        return None;
    }
    crate::schema::format::duration_nanoseconds(text)
}

/// An RFC 3339 time.
pub(super) fn parse_timestamp(text: &str) -> Option<Instant> {
    crate::schema::format::Format::DateTime.accepts(text).then(|| text.parse().ok()).flatten()
}

/// A duration in seconds, such as `90s` or `0.5s`.
pub(super) fn show_duration(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (whole, fraction) =
        (nanoseconds.unsigned_abs() / 1_000_000_000, nanoseconds.unsigned_abs() % 1_000_000_000);
    if fraction == 0 {
        return format!("{sign}{whole}s");
    }
    let digits = format!("{fraction:09}");
    format!("{sign}{whole}.{}s", digits.trim_end_matches('0'))
}

fn local(arguments: &[Value<'_>]) -> Result<DateTime, Failure> {
    match arguments {
        [Value::Timestamp(time)] => Ok(TimeZone::UTC.to_datetime(*time)),
        [Value::Timestamp(time), Value::Text(zone)] => Ok(zone_of(zone)?.to_datetime(*time)),
        _ => Err(Failure::NoSuchOverload),
    }
}

/// `UTC`, an offset such as `+02:00`, or a name of the zone database if one is at hand.
fn zone_of(name: &str) -> Result<TimeZone, Failure> {
    let unknown = || Failure::other(format!("unknown time zone {name}"));
    if name.is_empty() || name == "UTC" {
        return Ok(TimeZone::UTC);
    }
    if let Some((hours, minutes)) = name.split_once(':') {
        let (hours, minutes): (i32, i32) =
            (hours.parse().map_err(|_| unknown())?, minutes.parse().map_err(|_| unknown())?);
        let sign = if name.starts_with('-') { -1 } else { 1 };
        let offset = Offset::from_seconds(hours * 3600 + sign * minutes * 60).map_err(|_| unknown())?;
        return Ok(TimeZone::fixed(offset));
    }
    TimeZone::get(name).map_err(|_| unknown())
}

fn whole<'v>(number: impl Into<i64>) -> Outcome<'v> {
    Ok(Value::Int(number.into()))
}

fn full_year<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    whole(local(arguments)?.year())
}

fn month<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    whole(local(arguments)?.month() - 1)
}

fn date<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    whole(local(arguments)?.day())
}

fn day_of_month<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    whole(local(arguments)?.day() - 1)
}

fn day_of_week<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    whole(local(arguments)?.weekday().to_sunday_zero_offset())
}

fn day_of_year<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    whole(local(arguments)?.day_of_year() - 1)
}

fn hours<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Duration(nanoseconds)] => whole(nanoseconds / 3_600_000_000_000),
        _ => whole(local(arguments)?.hour()),
    }
}

fn minutes<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Duration(nanoseconds)] => whole(nanoseconds / 60_000_000_000),
        _ => whole(local(arguments)?.minute()),
    }
}

fn seconds<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Duration(nanoseconds)] => whole(nanoseconds / 1_000_000_000),
        _ => whole(local(arguments)?.second()),
    }
}

fn milliseconds<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Duration(nanoseconds)] => whole(nanoseconds % 1_000_000_000 / 1_000_000),
        _ => whole(local(arguments)?.millisecond()),
    }
}
