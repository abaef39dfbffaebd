//! Durations as the reference writes them: `24h`, `15s`, `1h30m0s`.

use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, de};

/// Decodes a duration that may not be negative.
pub(super) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    parse(&text).map(Some).map_err(de::Error::custom)
}

fn parse(text: &str) -> Result<Duration, String> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let signed: SignedDuration =
        text.parse().map_err(|_| format!("{text:?} is no duration; write one such as 24h, 15s or 1h30m"))?;
    Duration::try_from(signed).map_err(|_| format!("duration {text:?} is negative"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_the_reference_writes_them() {
        let seconds = |text| parse(text).map(|duration| duration.as_secs());
        assert_eq!(seconds("24h"), Ok(86_400));
        assert_eq!(seconds("1h30m0s"), Ok(5_400));
        assert_eq!(seconds("0"), Ok(0));
        assert_eq!(seconds("0s"), Ok(0));
        assert!(parse("-5s").unwrap_err().contains("negative"));
        assert!(parse("soon").unwrap_err().contains("24h"));
    }
}
