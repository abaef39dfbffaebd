//! URLs.

use std::rc::Rc;

use super::Sig::{Bool, List, Map, Text, Url as UrlType};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::url::Url;
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    global("isURL", &[Text], Bool, is_url),
    global("url", &[Text], UrlType, url),
    member("getScheme", &[UrlType], Text, scheme),
    member("getHost", &[UrlType], Text, host),
    member("getHostname", &[UrlType], Text, hostname),
    member("getPort", &[UrlType], Text, port),
    member("getEscapedPath", &[UrlType], Text, escaped_path),
    member("getQuery", &[UrlType], Map(&Text, &List(&Text)), query),
];

fn parse<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Result<Result<Url, String>, Failure> {
    let [Value::Text(text)] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend_text(text.len())?;
    Ok(Url::parse(text))
}

fn is_url<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Bool(parse(run, arguments)?.is_ok()))
}

fn url<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match parse(run, arguments)? {
        Ok(url) => Ok(Value::Url(Rc::new(url))),
        Err(reason) => {
            Err(Failure::other(format!("URL parse error during conversion from string: {reason}")))
        }
    }
}

fn part<'v>(arguments: &[Value<'v>], read: impl Fn(&Url) -> &str) -> Outcome<'v> {
    match arguments {
        [Value::Url(url)] => Ok(Value::owned(read(url).to_owned())),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn scheme<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |url| &url.scheme)
}

fn host<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |url| &url.host)
}

fn hostname<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, Url::hostname)
}

fn port<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, Url::port)
}

fn escaped_path<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    part(arguments, |url| &url.path)
}

fn query<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Url(url)] = arguments else { return Err(Failure::NoSuchOverload) };
    let mut by_name: Vec<(&str, Vec<Value<'v>>)> = Vec::new();
    for (name, value) in &url.query {
        let value = Value::owned(value.clone());
        match by_name.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value),
            None => by_name.push((name, vec![value])),
        }
    }
    let entries =
        by_name.into_iter().map(|(name, values)| (Value::owned(name.to_owned()), Value::list(values)));
    Ok(Value::Map(Rc::new(entries.collect())))
}
