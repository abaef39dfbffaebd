//! Protobuf bodies of built-in kinds: kubectl's typed commands send nothing else.
//!
//! Only reading, and only what the messages below name (their numbers are the published wire contract of
//! Kubernetes); answers are JSON, which every client accepts beside protobuf. Fields that are not listed are dropped
//! like unknown fields of JSON.

mod messages;
#[cfg(test)]
mod tests;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use messages::{Kind, message};

const MAGIC: &[u8] = b"k8s\0";

/// An object in the envelope of Kubernetes.
pub(super) fn object(body: &[u8]) -> Result<Value, String> {
    let body = body.strip_prefix(MAGIC).ok_or("provided data does not appear to be a protobuf message")?;
    let envelope = read(body, "Unknown")?;
    let text =
        |pointer: &str| envelope.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (version, kind) = (text("/typeMeta/apiVersion"), text("/typeMeta/kind"));
    let raw = STANDARD.decode(text("/raw")).map_err(|error| error.to_string())?;
    if message(&kind).is_none() {
        return Err(format!("{kind} is not read as protobuf here; send it as application/json"));
    }
    let mut value = read(&raw, &kind)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("apiVersion".to_owned(), json!(version));
        fields.insert("kind".to_owned(), json!(kind));
    }
    Ok(value)
}

/// One value on the wire.
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Fixed-width numbers, which none of the listed fields is.
    Fixed,
}

fn read(mut bytes: &[u8], name: &str) -> Result<Value, String> {
    let fields = message(name).unwrap_or_default();
    let mut value = Map::new();
    while !bytes.is_empty() {
        let (number, wire) = next(&mut bytes)?;
        let Some((_, name, kind)) = fields.iter().find(|(known, ..)| *known == number) else { continue };
        add(&mut value, name, *kind, &wire)?;
    }
    Ok(Value::Object(value))
}

fn add(fields: &mut Map<String, Value>, name: &str, kind: Kind, wire: &Wire<'_>) -> Result<(), String> {
    match (kind, wire) {
        (Kind::Many(kind), _) => {
            let item = single(*kind, wire)?;
            let list = fields.entry(name).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(item);
            }
        }
        (Kind::Map(kind), Wire::Bytes(bytes)) => {
            let (key, item) = entry(bytes, kind)?;
            let map = fields.entry(name).or_insert_with(|| json!({}));
            if let Some(map) = map.as_object_mut() {
                map.insert(key, item);
            }
        }
        _ => {
            let value = single(kind, wire)?;
            // Go writes empty texts that JSON would leave out.
            if value != json!("") && !value.is_null() {
                fields.insert(name.to_owned(), value);
            }
        }
    }
    Ok(())
}

fn single(kind: Kind, wire: &Wire<'_>) -> Result<Value, String> {
    match (kind, wire) {
        (Kind::Text, Wire::Bytes(bytes)) => {
            let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
            Ok(json!(text))
        }
        (Kind::Bytes, Wire::Bytes(bytes)) => Ok(json!(STANDARD.encode(bytes))),
        (Kind::Json, Wire::Bytes(bytes)) => {
            let raw = read(bytes, "Raw")?;
            let raw = raw.get("raw").and_then(Value::as_str).unwrap_or_default();
            let bytes = STANDARD.decode(raw).map_err(|error| error.to_string())?;
            serde_json::from_slice(&bytes).map_err(|error| error.to_string())
        }
        (Kind::Time | Kind::MicroTime, Wire::Bytes(bytes)) => time(bytes, matches!(kind, Kind::MicroTime)),
        (Kind::Of(name), Wire::Bytes(bytes)) => read(bytes, name),
        (Kind::Flag, Wire::Number(number)) => Ok(json!(*number != 0)),
        // Negative numbers travel as their two's complement.
        (Kind::Whole, Wire::Number(number)) => Ok(json!(number.cast_signed())),
        _ => Err("a field has the wrong wire type".to_owned()),
    }
}

fn entry(mut bytes: &[u8], kind: &Kind) -> Result<(String, Value), String> {
    let (mut key, mut value) = (String::new(), single(*kind, &Wire::Bytes(&[]))?);
    while !bytes.is_empty() {
        match next(&mut bytes)? {
            (1, Wire::Bytes(text)) => key = String::from_utf8_lossy(text).into_owned(),
            (2, wire) => value = single(*kind, &wire)?,
            _ => {}
        }
    }
    Ok((key, value))
}

fn time(bytes: &[u8], micro: bool) -> Result<Value, String> {
    let parts = read(bytes, "Time")?;
    let part = |name: &str| parts.get(name).and_then(Value::as_i64).unwrap_or_default();
    if parts.as_object().is_none_or(Map::is_empty) {
        return Ok(Value::Null);
    }
    let nanos = i32::try_from(part("nanos")).map_err(|error| error.to_string())?;
    let time = Timestamp::new(part("seconds"), nanos).map_err(|error| error.to_string())?;
    let form = if micro { "%Y-%m-%dT%H:%M:%S.%6fZ" } else { "%Y-%m-%dT%H:%M:%SZ" };
    Ok(json!(time.strftime(form).to_string()))
}

/// The next field's number and value.
fn next<'a>(bytes: &mut &'a [u8]) -> Result<(u64, Wire<'a>), String> {
    let tag = varint(bytes)?;
    let wire = match tag & 7 {
        0 => Wire::Number(varint(bytes)?),
        1 => take(bytes, 8).map(|_| Wire::Fixed)?,
        2 => {
            let length = usize::try_from(varint(bytes)?).map_err(|error| error.to_string())?;
            Wire::Bytes(take(bytes, length)?)
        }
        5 => take(bytes, 4).map(|_| Wire::Fixed)?,
        other => return Err(format!("unknown wire type {other}")),
    };
    Ok((tag >> 3, wire))
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], String> {
    let (taken, rest) = bytes.split_at_checked(length).ok_or("unexpected end of a protobuf message")?;
    *bytes = rest;
    Ok(taken)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, String> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)?.first().copied().unwrap_or_default();
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err("a number is too long".to_owned())
}
