//! A fingerprint of everything that happened: two runs are the same run if it is equal.

/// See the module. FNV-1a, 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHash(u64);

impl Default for TraceHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl TraceHash {
    /// Takes bytes in.
    pub fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Takes a number in.
    pub fn number(&mut self, number: u64) {
        self.take(&number.to_le_bytes());
    }

    /// The fingerprint so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_what_happened_counts() {
        let of = |texts: &[&str]| {
            let mut trace = TraceHash::default();
            for text in texts {
                trace.take(text.as_bytes());
            }
            trace.value()
        };
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["b", "a"]));
    }
}
