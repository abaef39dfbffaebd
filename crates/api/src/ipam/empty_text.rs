//! A family that the service writes as an empty text where there is none.

use serde::{Deserialize, Deserializer, Serializer};

use crate::networking::IpFamily;

#[allow(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is given by serde's field attribute"
)]
pub(super) fn serialize<S: Serializer>(family: &Option<IpFamily>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(family.map_or("", IpFamily::as_str))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<IpFamily>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let known = IpFamily::ALL.iter().copied().find(|family| family.as_str() == text);
    if known.is_none() && !text.is_empty() {
        return Err(serde::de::Error::unknown_variant(&text, &["IPv4", "IPv6"]));
    }
    Ok(known)
}
