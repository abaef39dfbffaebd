//! Conversions between types, `size` and `type`.

use std::rc::Rc;

use super::Sig::{
    A, B, Bool, Bytes, Cidr, Double, Duration, Dyn, Int, Ip, List, Map, Meta, Text, Timestamp, Uint,
};
use super::times::{parse_duration, parse_timestamp, show_duration};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;
use crate::schema::text::show_float;

pub(super) static OVERLOADS: &[Overload] = &[
    global("size", &[Text], Int, size),
    global("size", &[Bytes], Int, size),
    global("size", &[List(&A)], Int, size),
    global("size", &[Map(&A, &B)], Int, size),
    member("size", &[Text], Int, size),
    member("size", &[Bytes], Int, size),
    member("size", &[List(&A)], Int, size),
    member("size", &[Map(&A, &B)], Int, size),
    global("dyn", &[A], Dyn, dynamic),
    global("type", &[A], Meta(&A), type_of),
    global("bool", &[Bool], Bool, to_bool),
    global("bool", &[Text], Bool, to_bool),
    global("int", &[Int], Int, to_int),
    global("int", &[Uint], Int, to_int),
    global("int", &[Double], Int, to_int),
    global("int", &[Text], Int, to_int),
    global("int", &[Timestamp], Int, to_int),
    global("int", &[Duration], Int, to_int),
    global("uint", &[Uint], Uint, to_uint),
    global("uint", &[Int], Uint, to_uint),
    global("uint", &[Double], Uint, to_uint),
    global("uint", &[Text], Uint, to_uint),
    global("double", &[Double], Double, to_double),
    global("double", &[Int], Double, to_double),
    global("double", &[Uint], Double, to_double),
    global("double", &[Text], Double, to_double),
    global("string", &[Text], Text, to_text),
    global("string", &[Bool], Text, to_text),
    global("string", &[Int], Text, to_text),
    global("string", &[Uint], Text, to_text),
    global("string", &[Double], Text, to_text),
    global("string", &[Bytes], Text, to_text),
    global("string", &[Timestamp], Text, to_text),
    global("string", &[Duration], Text, to_text),
    global("string", &[Ip], Text, to_text),
    global("string", &[Cidr], Text, to_text),
    global("bytes", &[Bytes], Bytes, to_bytes),
    global("bytes", &[Text], Bytes, to_bytes),
    global("timestamp", &[Timestamp], Timestamp, to_timestamp),
    global("timestamp", &[Text], Timestamp, to_timestamp),
    global("timestamp", &[Int], Timestamp, to_timestamp),
    global("duration", &[Duration], Duration, to_duration),
    global("duration", &[Text], Duration, to_duration),
    global("duration", &[Int], Duration, to_duration),
];

fn failed(from: &Value<'_>, to: &str) -> Failure {
    Failure::other(format!("type conversion error from '{}' to '{to}'", from.type_name()))
}

fn size<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [value] = arguments else { return Err(Failure::NoSuchOverload) };
    let length = match value {
        Value::Text(text) => {
            run.spend_text(text.len())?;
            text.chars().count()
        }
        Value::Bytes(bytes) => bytes.len(),
        other => other.length().ok_or(Failure::NoSuchOverload)?,
    };
    Ok(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn dynamic<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    arguments.first().cloned().ok_or(Failure::NoSuchOverload)
}

fn type_of<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    arguments.first().map(|value| Value::Type(value.type_name())).ok_or(Failure::NoSuchOverload)
}

fn to_bool<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Bool(flag)] => Ok(Value::Bool(*flag)),
        [value @ Value::Text(text)] => match text.as_ref() {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
            _ => Err(failed(value, "bool")),
        },
        _ => Err(Failure::NoSuchOverload),
    }
}

fn to_int<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let overflow = || Failure::other("integer overflow");
    match arguments {
        [Value::Int(number)] => Ok(Value::Int(*number)),
        [Value::Uint(number)] => i64::try_from(*number).map(Value::Int).map_err(|_| overflow()),
        #[allow(clippy::cast_possible_truncation, reason = "checked to lie inside the range")]
        [Value::Double(number)] if number.abs() < 9.223_372_036_854_775e18 => Ok(Value::Int(*number as i64)),
        [Value::Double(_)] => Err(overflow()),
        [value @ Value::Text(text)] => text.parse().map(Value::Int).map_err(|_| failed(value, "int")),
        [Value::Timestamp(time)] => Ok(Value::Int(time.as_second())),
        [Value::Duration(nanoseconds)] => Ok(Value::Int(*nanoseconds)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn to_uint<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let overflow = || Failure::other("unsigned integer overflow");
    match arguments {
        [Value::Uint(number)] => Ok(Value::Uint(*number)),
        [Value::Int(number)] => u64::try_from(*number).map(Value::Uint).map_err(|_| overflow()),
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to lie inside the range"
        )]
        [Value::Double(number)] if (0.0..1.844_674_407_370_955e19).contains(number) => {
            Ok(Value::Uint(*number as u64))
        }
        [Value::Double(_)] => Err(overflow()),
        [value @ Value::Text(text)] => text.parse().map(Value::Uint).map_err(|_| failed(value, "uint")),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn to_double<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    #[allow(clippy::cast_precision_loss, reason = "a conversion to float rounds")]
    match arguments {
        [Value::Double(number)] => Ok(Value::Double(*number)),
        [Value::Int(number)] => Ok(Value::Double(*number as f64)),
        [Value::Uint(number)] => Ok(Value::Double(*number as f64)),
        [value @ Value::Text(text)] => text.parse().map(Value::Double).map_err(|_| failed(value, "double")),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn to_text<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [value @ Value::Text(_)] => Ok(value.clone()),
        [value @ Value::Bytes(bytes)] => {
            run.spend_text(bytes.len())?;
            std::str::from_utf8(bytes)
                .map(|text| Value::owned(text.to_owned()))
                .map_err(|_| failed(value, "string"))
        }
        [
            value @ (Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Timestamp(_)
            | Value::Duration(_)
            | Value::Ip(_)
            | Value::Cidr(_)),
        ] => Ok(Value::owned(show(value))),
        _ => Err(Failure::NoSuchOverload),
    }
}

/// A value as text, as `string()` and failures show it.
pub(in crate::cel) fn show(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => show_float(*number),
        Value::Text(text) => text.to_string(),
        Value::Timestamp(time) => time.to_string(),
        Value::Duration(nanoseconds) => show_duration(*nanoseconds),
        Value::Ip(address) => address.to_string(),
        Value::Cidr(network) => network.to_string(),
        other => other.type_name().to_owned(),
    }
}

fn to_bytes<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Bytes(bytes)] => Ok(Value::Bytes(Rc::clone(bytes))),
        [Value::Text(text)] => {
            run.spend_text(text.len())?;
            Ok(Value::Bytes(text.as_bytes().into()))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn to_timestamp<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Timestamp(time)] => Ok(Value::Timestamp(*time)),
        [value @ Value::Text(text)] => parse_timestamp(text)
            .map(Value::Timestamp)
            .ok_or_else(|| failed(value, "google.protobuf.Timestamp")),
        [Value::Int(seconds)] => jiff::Timestamp::from_second(*seconds)
            .map(Value::Timestamp)
            .map_err(|_| Failure::other("timestamp overflow")),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn to_duration<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Duration(nanoseconds)] => Ok(Value::Duration(*nanoseconds)),
        // The reference declares this conversion and cannot do it.
        [value @ Value::Int(_)] => Err(failed(value, "google.protobuf.Duration")),
        [value @ Value::Text(text)] => {
            parse_duration(text).map(Value::Duration).ok_or_else(|| failed(value, "google.protobuf.Duration"))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}
