//! Resource quantities such as `1.5Gi` or `250m`, exact to a billionth.

use std::cmp::Ordering;

/// A quantity in billionths. Larger ones than about 10^20 are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    billionths: i128,
}

const BILLION: i128 = 1_000_000_000;

/// The binary suffixes, as powers of 1024.
const BINARY: [(&str, u32); 6] = [("Ki", 1), ("Mi", 2), ("Gi", 3), ("Ti", 4), ("Pi", 5), ("Ei", 6)];
/// The decimal suffixes, as powers of ten.
const DECIMAL: [(&str, i32); 9] =
    [("n", -9), ("u", -6), ("m", -3), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

impl Quantity {
    /// A whole number.
    pub(crate) fn of(number: i64) -> Self {
        Self { billionths: i128::from(number) * BILLION }
    }

    /// Reads a quantity.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits_end =
            text.find(|character: char| !character.is_ascii_digit() && !"+-.".contains(character));
        let (number, suffix) = text.split_at(digits_end.unwrap_or(text.len()));
        let (digits, fraction_length) = read_number(number)?;
        let (multiplier, exponent) = read_suffix(suffix)?;
        // One billionth is 10^-9, so the value is digits * 10^(9 - fraction + exponent) * multiplier.
        let shift = 9 + exponent - i32::try_from(fraction_length).ok()?;
        let scaled = digits.checked_mul(multiplier)?;
        let billionths = match u32::try_from(shift) {
            Ok(up) => scaled.checked_mul(10_i128.checked_pow(up)?)?,
            Err(_) => round_away(scaled, shift.unsigned_abs()),
        };
        Some(Self { billionths })
    }

    /// The sum.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { billionths: self.billionths.saturating_add(other.billionths) }
    }

    /// The difference.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self { billionths: self.billionths.saturating_sub(other.billionths) }
    }

    /// The value as a whole number, if it is one that fits.
    pub(crate) fn whole(self) -> Option<i64> {
        (self.billionths % BILLION == 0).then(|| i64::try_from(self.billionths / BILLION).ok()).flatten()
    }

    /// The value as a float.
    pub(crate) fn approximate(self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "asked for as an approximation")]
        let billionths = self.billionths as f64;
        billionths / 1e9
    }

    /// -1, 0 or 1.
    pub(crate) fn sign(self) -> i64 {
        match self.billionths.cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.billionths.cmp(&other.billionths)
    }
}

/// The digits as a number, and how many of them are behind the point.
fn read_number(text: &str) -> Option<(i128, usize)> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.chars().all(|character| character.is_ascii_digit()) {
        return None;
    }
    Some((sign * digits.parse::<i128>().ok()?, fraction.len()))
}

/// The factor and the power of ten a suffix stands for.
fn read_suffix(suffix: &str) -> Option<(i128, i32)> {
    if suffix.is_empty() {
        return Some((1, 0));
    }
    if let Some((_, power)) = BINARY.iter().find(|(name, _)| *name == suffix) {
        return Some((1024_i128.checked_pow(*power)?, 0));
    }
    if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((1, *power));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    let power: i32 = exponent.parse().ok()?;
    (power.abs() <= 30).then_some((1, power))
}

/// Divides by a power of ten; what is left over counts as one more billionth, away from zero.
fn round_away(number: i128, power: u32) -> i128 {
    let Some(divisor) = 10_i128.checked_pow(power) else { return number.signum() };
    let (quotient, rest) = (number / divisor, number % divisor);
    quotient + rest.signum()
}
