//! Named text formats: names of objects, labels, URIs, dates.

use super::Sig::{List, NamedFormat, Optional, Text};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;
use crate::schema::format::Format;

pub(super) static OVERLOADS: &[Overload] = &[
    global("format.named", &[Text], Optional(&NamedFormat), named),
    global("format.dns1123Label", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("dns1123Label"))),
    global("format.dns1123Subdomain", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("dns1123Subdomain"))),
    global("format.dns1035Label", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("dns1035Label"))),
    global("format.dns1123LabelPrefix", &[], NamedFormat, |_, _| {
        Ok(Value::NamedFormat("dns1123LabelPrefix"))
    }),
    global("format.dns1123SubdomainPrefix", &[], NamedFormat, |_, _| {
        Ok(Value::NamedFormat("dns1123SubdomainPrefix"))
    }),
    global("format.dns1035LabelPrefix", &[], NamedFormat, |_, _| {
        Ok(Value::NamedFormat("dns1035LabelPrefix"))
    }),
    global("format.qualifiedName", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("qualifiedName"))),
    global("format.labelValue", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("labelValue"))),
    global("format.uri", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("uri"))),
    global("format.uuid", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("uuid"))),
    global("format.byte", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("byte"))),
    global("format.date", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("date"))),
    global("format.datetime", &[], NamedFormat, |_, _| Ok(Value::NamedFormat("datetime"))),
    member("validate", &[NamedFormat, Text], Optional(&List(&Text)), validate),
];

const NAMES: [&str; 13] = [
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "qualifiedName",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
];

fn named<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(name)] = arguments else { return Err(Failure::NoSuchOverload) };
    let known = NAMES.iter().find(|known| *known == name);
    Ok(known.map_or(Value::Optional(None), |known| Value::some(Value::NamedFormat(known))))
}

fn validate<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::NamedFormat(format), Value::Text(text)] = arguments else {
        return Err(Failure::NoSuchOverload);
    };
    run.spend_text(text.len())?;
    let problems = problems(format, text);
    if problems.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(problems.into_iter().map(Value::owned).collect())))
}

fn problems(format: &str, text: &str) -> Vec<String> {
    match format {
        "dns1123LabelPrefix" | "dns1123SubdomainPrefix" | "dns1035LabelPrefix" => {
            let whole = format.trim_end_matches("Prefix");
            // A prefix may end with a dash, because something follows it.
            problems(
                whole,
                text.strip_suffix('-').map_or(text.to_owned(), |start| format!("{start}a")).as_str(),
            )
        }
        "dns1123Label" => name_problems(text, 63, Format::ShortName, LABEL),
        "dns1123Subdomain" => name_problems(text, 253, Format::LongName, SUBDOMAIN),
        "dns1035Label" => {
            let mut found = name_problems(text, 63, Format::ShortName, LABEL_1035);
            if found.is_empty() && !text.starts_with(|first: char| first.is_ascii_lowercase()) {
                found.push(LABEL_1035.to_owned());
            }
            found
        }
        "labelValue" => label_value_problems(text),
        "qualifiedName" => qualified_name_problems(text),
        "uri" => accepted(crate::cel::url::Url::parse(text).is_ok(), "invalid URI"),
        "uuid" => accepted(Format::Uuid.accepts(text), "does not match the UUID format"),
        "byte" => accepted(Format::Byte.accepts(text), "invalid base64"),
        "date" => accepted(Format::Date.accepts(text), "invalid date"),
        _ => accepted(Format::DateTime.accepts(text), "invalid datetime"),
    }
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
    start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
    '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
    validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
    '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
    used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NAME_PART: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
    with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

fn accepted(valid: bool, problem: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![problem.to_owned()] }
}

fn name_problems(text: &str, longest: usize, format: Format, problem: &str) -> Vec<String> {
    if text.len() > longest {
        return vec![format!("must be no more than {longest} bytes")];
    }
    accepted(format.accepts(text), problem)
}

/// Letters, digits, and inside also `-`, `_` and `.`.
fn is_name_part(text: &str) -> bool {
    let ends = |character: char| character.is_ascii_alphanumeric();
    text.starts_with(ends)
        && text.ends_with(ends)
        && text.chars().all(|character| character.is_ascii_alphanumeric() || "-_.".contains(character))
}

fn label_value_problems(text: &str) -> Vec<String> {
    if text.len() > 63 {
        return vec!["must be no more than 63 bytes".to_owned()];
    }
    accepted(text.is_empty() || is_name_part(text), LABEL_VALUE)
}

fn qualified_name_problems(text: &str) -> Vec<String> {
    let (prefix, name) = text.split_once('/').map_or((None, text), |(prefix, name)| (Some(prefix), name));
    let mut found = match prefix {
        Some("") => vec!["prefix part must be non-empty".to_owned()],
        Some(prefix) => {
            problems("dns1123Subdomain", prefix).iter().map(|text| format!("prefix part {text}")).collect()
        }
        None => Vec::new(),
    };
    if name.is_empty() {
        found.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        found.push("name part must be no more than 63 bytes".to_owned());
    }
    found.extend(accepted(is_name_part(name), NAME_PART));
    found
}
