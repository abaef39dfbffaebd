//! IP addresses and networks.

use std::net::IpAddr;

use ipnet::IpNet;

use super::Sig::{Bool, Cidr, Int, Ip, Text};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    global("isIP", &[Text], Bool, is_ip),
    global("ip", &[Text], Ip, ip),
    global("ip.isCanonical", &[Text], Bool, is_canonical),
    member("family", &[Ip], Int, family),
    member("isUnspecified", &[Ip], Bool, is_unspecified),
    member("isLoopback", &[Ip], Bool, is_loopback),
    member("isLinkLocalMulticast", &[Ip], Bool, is_link_local_multicast),
    member("isLinkLocalUnicast", &[Ip], Bool, is_link_local_unicast),
    member("isGlobalUnicast", &[Ip], Bool, is_global_unicast),
    global("isCIDR", &[Text], Bool, is_cidr),
    global("cidr", &[Text], Cidr, cidr),
    member("containsIP", &[Cidr, Ip], Bool, contains_ip),
    member("containsIP", &[Cidr, Text], Bool, contains_ip),
    member("containsCIDR", &[Cidr, Cidr], Bool, contains_cidr),
    member("containsCIDR", &[Cidr, Text], Bool, contains_cidr),
    member("ip", &[Cidr], Ip, address_of),
    member("masked", &[Cidr], Cidr, masked),
    member("prefixLength", &[Cidr], Int, prefix_length),
];

/// IPv4 addresses in IPv6 form are refused, as upstream does for ambiguity.
fn parse_ip(text: &str) -> Result<IpAddr, Failure> {
    let start = format!("IP Address \"{text}\" parse error during conversion from string: ");
    let address: IpAddr = text
        .parse()
        .map_err(|_| Failure::other(format!("{start}ParseAddr(\"{text}\"): unable to parse IP")))?;
    match address {
        IpAddr::V6(six) if six.to_ipv4_mapped().is_some() => {
            Err(Failure::other(format!("{start}IPv4-mapped IPv6 address is not allowed")))
        }
        address => Ok(address),
    }
}

fn parse_cidr(text: &str) -> Result<IpNet, Failure> {
    let failed = |reason: &str| {
        let start = "network address parse error during conversion from string: ";
        Failure::other(format!("{start}{start}{reason}"))
    };
    let network: IpNet =
        text.parse().map_err(|_| failed(&format!("netip.ParsePrefix(\"{text}\"): no '/'")))?;
    let length = text.rsplit('/').next().unwrap_or_default();
    if length.len() > 1 && length.starts_with('0') {
        return Err(failed(&format!("netip.ParsePrefix(\"{text}\"): bad bits after slash: \"{length}\"")));
    }
    match network {
        IpNet::V6(six) if six.addr().to_ipv4_mapped().is_some() => {
            Err(failed("IPv4-mapped IPv6 address is not allowed"))
        }
        network => Ok(network),
    }
}

fn text_of<'a, 'v>(run: &mut Evaluation<'v>, arguments: &'a [Value<'v>]) -> Result<&'a str, Failure> {
    let [Value::Text(text)] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend_text(text.len())?;
    Ok(text)
}

fn is_ip<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Bool(parse_ip(text_of(run, arguments)?).is_ok()))
}

fn ip<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    parse_ip(text_of(run, arguments)?).map(Value::Ip)
}

fn is_canonical<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let text = text_of(run, arguments)?;
    Ok(Value::Bool(parse_ip(text)?.to_string() == text))
}

fn test<'v>(arguments: &[Value<'v>], check: impl Fn(IpAddr) -> bool) -> Outcome<'v> {
    match arguments {
        [Value::Ip(address)] => Ok(Value::Bool(check(*address))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn family<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Ip(address)] => Ok(Value::Int(if address.is_ipv4() { 4 } else { 6 })),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn is_unspecified<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    test(arguments, |address| address.is_unspecified())
}

fn is_loopback<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    test(arguments, |address| address.is_loopback())
}

fn link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(six) => six.segments().first().is_some_and(|first| first & 0xff0f == 0xff02),
    }
}

fn link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_link_local(),
        IpAddr::V6(six) => six.is_unicast_link_local(),
    }
}

fn is_link_local_multicast<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    test(arguments, link_local_multicast)
}

fn is_link_local_unicast<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    test(arguments, link_local_unicast)
}

fn is_global_unicast<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    test(arguments, |address| {
        let broadcast = matches!(address, IpAddr::V4(four) if four.is_broadcast());
        !broadcast
            && !address.is_unspecified()
            && !address.is_loopback()
            && !address.is_multicast()
            && !link_local_unicast(address)
    })
}

fn is_cidr<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Bool(parse_cidr(text_of(run, arguments)?).is_ok()))
}

fn cidr<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    parse_cidr(text_of(run, arguments)?).map(Value::Cidr)
}

fn contains_ip<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Cidr(network), Value::Ip(address)] => Ok(Value::Bool(network.contains(address))),
        [Value::Cidr(network), Value::Text(text)] => Ok(Value::Bool(network.contains(&parse_ip(text)?))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn contains_cidr<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Cidr(network), Value::Cidr(inner)] => Ok(Value::Bool(network.contains(inner))),
        [Value::Cidr(network), Value::Text(text)] => Ok(Value::Bool(network.contains(&parse_cidr(text)?))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn address_of<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Cidr(network)] => Ok(Value::Ip(network.addr())),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn masked<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Cidr(network)] => Ok(Value::Cidr(network.trunc())),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn prefix_length<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Cidr(network)] => Ok(Value::Int(i64::from(network.prefix_len()))),
        _ => Err(Failure::NoSuchOverload),
    }
}
