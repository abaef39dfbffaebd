//! Ages.

use super::cell::duration_text;

#[test]
fn ages_are_written_as_kubectl_writes_them() {
    let cases = [(-5, "<invalid>"), (-1, "0s"), (119, "119s"), (120, "2m"), (130, "2m10s"), (601, "10m")];
    for (seconds, text) in cases {
        assert_eq!(duration_text(seconds), text);
    }
    let day = 86400;
    let cases = [
        (3 * 3600 + 300, "3h5m"),
        (day, "24h"),
        (3 * day, "3d"),
        (3 * day + 7200, "3d2h"),
        (100 * day, "100d"),
    ];
    for (seconds, text) in cases {
        assert_eq!(duration_text(seconds), text);
    }
    assert_eq!(duration_text(800 * day), "2y70d");
}
