//! Parsers of the ranges of `--trace-group`, `--trace-wave` and `--trace-pc`.

use std::ops::RangeInclusive;

use crate::device::SetupError;

/// Parses work-groups: `X,Y,Z`, or a box from one group to another, both included.
pub fn groups(text: &str) -> Result<[RangeInclusive<u32>; 3], SetupError> {
    let id = |part: &str| {
        let ids: Vec<u32> = part.split(',').map(number).collect::<Option<_>>()?;
        <[u32; 3]>::try_from(ids).ok()
    };
    let (first, last) = ends(text, id).ok_or_else(|| {
        refused(
            "group",
            text,
            "write X,Y,Z as in 0,0,0, or a range as in 0,0,0-3,0,0",
        )
    })?;
    if first.iter().zip(last).any(|(first, last)| *first > last) {
        return Err(refused("group", text, "it runs backwards along an axis"));
    }
    Ok(std::array::from_fn(|axis| first[axis]..=last[axis]))
}

/// Parses waves of a work-group: a number, or a range.
pub fn waves(text: &str) -> Result<RangeInclusive<u32>, SetupError> {
    range(
        "wave",
        text,
        number,
        "write a number as in 0, or a range as in 0-3",
    )
}

/// Parses link addresses in hex: one, or a range.
pub fn pcs(text: &str) -> Result<RangeInclusive<u64>, SetupError> {
    let hex = |part: &str| {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(digits, 16).ok().filter(|_| plain)
    };
    let advice = "write a hex address as in 0x1a40, or a range as in 0x1a00-0x1a40";
    range("pc", text, hex, advice)
}

fn range<T: PartialOrd + Copy>(
    flag: &str,
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
    advice: &str,
) -> Result<RangeInclusive<T>, SetupError> {
    let (first, last) = ends(text, parse).ok_or_else(|| refused(flag, text, advice))?;
    if first > last {
        return Err(refused(flag, text, "it runs backwards"));
    }
    Ok(first..=last)
}

/// Parses both ends of a range; a single value is both ends.
fn ends<T: Copy>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<(T, T)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((parse(first.trim())?, parse(last.trim())?))
}

/// Parses a number without a sign.
fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

fn refused(flag: &str, text: &str, advice: &str) -> SetupError {
    let shown = text.escape_debug();
    SetupError::Flag(format!("`--trace-{flag} {shown}` is not usable: {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_values_and_ranges() {
        assert_eq!(groups("1,2,3").expect("one"), [1..=1, 2..=2, 3..=3]);
        assert_eq!(groups("0,0,0-3,0,9").expect("a box"), [0..=3, 0..=0, 0..=9]);
        assert_eq!(waves("2").expect("one"), 2..=2);
        assert_eq!(waves("0-15").expect("a range"), 0..=15);
        assert_eq!(pcs("8b00-0x8B10").expect("hex"), 0x8b00..=0x8b10);
        assert_eq!(pcs("0x8b00").expect("hex"), 0x8b00..=0x8b00);
    }

    #[test]
    fn what_is_no_range_is_a_usage_error() {
        let errors = [
            groups("").err(),
            groups("1,2").err(),
            groups("1,2,3,4").err(),
            groups("1,2,-3").err(),
            groups("0,0,0-").err(),
            groups("1,0,0-0,0,0").err(),
            groups("0,0,4294967296").err(),
            waves("x").err(),
            waves("+1").err(),
            waves("3-1").err(),
            waves("1-2-3").err(),
            pcs("0xg").err(),
            pcs("+10").err(),
            pcs("0x20-0x10").err(),
            pcs("").err(),
        ];
        for error in errors {
            let error = error.expect("refused");
            assert!(
                matches!(&error, SetupError::Flag(text) if !text.contains('\n')),
                "{error}"
            );
        }
    }
}
