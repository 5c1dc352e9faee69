//! Numbers and foreign text as tables print them.

use crate::report::model::{OutputReport, Tolerance, number};
use crate::tensor::Axis;
use crate::text::escaped;

/// Formats an error or difference: two digits after the point, `0` where there is none.
pub(super) fn error(value: f64) -> String {
    match value {
        value if !value.is_finite() => number::word(value).to_string(),
        0.0 => "0".to_string(),
        value => format!("{value:.2e}"),
    }
}

/// Formats a tolerance with as many digits as it was given. A tolerance of many digits is computed, and is rounded as errors are.
pub fn limit(value: f64) -> String {
    const GIVEN: usize = "1.234e-5".len();
    match value {
        value if !value.is_finite() => number::word(value).to_string(),
        0.0 => "0".to_string(),
        value => {
            let digits = format!("{value:e}");
            if digits.len() <= GIVEN {
                digits
            } else {
                error(value)
            }
        }
    }
}

/// Formats the tolerance of the element with the largest error: scaled, with its relative share, and its places of the type.
pub fn tolerance(output: &OutputReport) -> String {
    applied(output.golden.allowed, output.tolerance.absolute)
}

/// Formats an applied tolerance: with all digits where it is the registry's constant, and rounded as errors are where it is not.
pub fn applied(allowed: f64, constant: f64) -> String {
    if allowed.is_nan() || allowed == constant {
        limit(constant)
    } else {
        error(allowed)
    }
}

/// Formats the rule of a tolerance: `1e-5`, `1 ulp`, or `1 ulp/1e-6` where either suffices.
pub(super) fn rule(tolerance: &Tolerance) -> String {
    match tolerance.ulp {
        None => limit(tolerance.absolute),
        Some(ulp) if tolerance.absolute == 0.0 => format!("{ulp} ulp"),
        Some(ulp) => format!("{ulp} ulp/{}", limit(tolerance.absolute)),
    }
}

/// Formats a value with enough digits to tell one f32 from the next.
pub(super) fn value(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        number::word(value).to_string()
    } else if value == 0.0 {
        if value.is_sign_negative() {
            "-0".into()
        } else {
            "0".into()
        }
    } else if (1e-3..1e6).contains(&size) {
        let digits = 8 - size.log10().floor() as i32;
        format!("{value:.*}", digits.clamp(0, 12) as usize)
    } else {
        format!("{value:.8e}")
    }
}

/// Formats a value of an element type: all digits of an integer, and enough digits of an f64 to tell it from the next.
pub(super) fn value_of(element: &str, value: f64) -> String {
    match element {
        whole if whole.starts_with(['i', 'u']) || whole == "bool" => format!("{value}"),
        "f64" if value.is_finite() && value != 0.0 => format!("{value:.16e}"),
        _ => self::value(value),
    }
}

/// Formats the share of a tolerance that an error uses up.
pub(super) fn used(share: f64) -> String {
    if !share.is_finite() {
        "-".into()
    } else if share > 1.0 {
        if share < 100.0 {
            format!("{share:.3} x")
        } else {
            format!("{share:.1e} x")
        }
    } else if share > 0.0 && share < 0.01 {
        "<1 % used".into()
    } else {
        // The share is rounded down, so that 100 % means that all of the tolerance is used.
        format!("{} % used", (share * 100.0).floor())
    }
}

/// Formats a part of a whole: `3/4096 elements (0.073 %)`.
pub(super) fn part(count: usize, total: usize) -> String {
    let percent = 100.0 * count as f64 / total.max(1) as f64;
    let digits = if percent >= 10.0 || percent == 0.0 {
        1
    } else {
        3
    };
    format!("{count}/{total} elements ({percent:.digits$} %)")
}

/// Formats a wall time.
pub(super) fn seconds(value: f64) -> String {
    match value {
        value if !value.is_finite() || value < 0.0 => "-".into(),
        value if value < 1e-3 => format!("{:.0} us", value * 1e6),
        value if value < 1.0 => format!("{:.1} ms", value * 1e3),
        value => format!("{value:.2} s"),
    }
}

/// Formats an index: `(row 3, column 17)`; plain numbers where the index has another number of axes.
pub(super) fn place(axes: &[Axis], index: &[usize]) -> String {
    let named: Vec<String> = if axes.len() == index.len() {
        axes.iter()
            .zip(index)
            .map(|(axis, i)| format!("{} {i}", line(&axis.name)))
            .collect()
    } else {
        index.iter().map(usize::to_string).collect()
    };
    format!("({})", named.join(", "))
}

/// Formats three sizes or ids: `4x4x1`.
pub(super) fn triple(of: [u32; 3]) -> String {
    format!("{}x{}x{}", of[0], of[1], of[2])
}

/// Formats the id of a work-group or work-item: `(0, 1, 0)`.
pub(super) fn id(of: [u32; 3]) -> String {
    format!("({}, {}, {})", of[0], of[1], of[2])
}

/// Escapes foreign text into one line.
pub(super) fn line(text: &str) -> String {
    escaped(text)
}

/// Escapes foreign text and keeps its lines.
pub(super) fn lines(text: &str) -> Vec<String> {
    let tabs = |text: &str| escaped(&text.replace('\t', "    "));
    text.lines().map(tabs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(
            [0.0, 1.19209e-7, 0.5, f64::NAN, f64::INFINITY].map(error),
            ["0", "1.19e-7", "5.00e-1", "NaN", "inf"]
        );
        assert_eq!(
            [0.0, 1e-5, 2.5e-6, 1.0].map(limit),
            ["0", "1e-5", "2.5e-6", "1e0"]
        );
        let values = [
            -0.0,
            0.1,
            1.0 / 3.0,
            123456.789,
            1e-7,
            -2e9,
            f64::NEG_INFINITY,
        ]
        .map(value);
        assert_eq!(
            values,
            [
                "-0",
                "0.100000000",
                "0.333333333",
                "123456.789",
                "1.00000000e-7",
                "-2.00000000e9",
                "-inf"
            ]
        );
        assert_eq!(
            [0.0, 0.004, 0.236, 0.999, 1.0].map(used),
            [
                "0 % used",
                "<1 % used",
                "23 % used",
                "99 % used",
                "100 % used"
            ]
        );
        assert_eq!(
            [1.001, 12.34, 4.2e5, f64::INFINITY, f64::NAN].map(used),
            ["1.001 x", "12.340 x", "4.2e5 x", "-", "-"]
        );
        assert_eq!(
            [2e-6, 0.0123, 3.456, f64::NAN].map(seconds),
            ["2 us", "12.3 ms", "3.46 s", "-"]
        );
    }

    #[test]
    fn tolerances_say_in_what_they_are() {
        let mut limit = Tolerance::absolute(2.5e-6, 1e-2);
        assert_eq!(rule(&limit), "2.5e-6");
        limit.ulp = Some(2);
        assert_eq!(rule(&limit), "2 ulp/2.5e-6");
        limit.absolute = 0.0;
        assert_eq!(rule(&limit), "2 ulp");
    }

    #[test]
    fn values_show_what_their_type_can_tell_apart() {
        assert_eq!(value_of("i32", 2_147_483_647.0), "2147483647");
        assert_eq!(value_of("u16", 0.0), "0");
        assert_eq!(value_of("f32", 7.0), "7.00000000");
        assert_ne!(value_of("f64", 0.1), value_of("f64", 0.1f64.next_up()));
        assert_eq!(value_of("f64", f64::NAN), "NaN");
        assert_eq!(value_of("f64", -0.0), "-0");
    }

    #[test]
    fn a_value_tells_an_f32_from_its_neighbours() {
        for bits in (0x0080_0000..0x7F80_0000u32).step_by(0x0012_3457) {
            let float = f32::from_bits(bits);
            assert_ne!(
                value(float.into()),
                value(float.next_up().into()),
                "{float:e}"
            );
        }
    }

    #[test]
    fn parts_and_places() {
        assert_eq!(part(3, 4096), "3/4096 elements (0.073 %)");
        assert_eq!(part(4032, 4096), "4032/4096 elements (98.4 %)");
        let axes = [Axis::new("row", 4), Axis::new("column", 4)];
        assert_eq!(place(&axes, &[3, 1]), "(row 3, column 1)");
        assert_eq!(place(&[], &[3, 1]), "(3, 1)");
    }

    #[test]
    fn foreign_text_cannot_touch_the_terminal() {
        assert_eq!(line("a\x1b[2Jb\rc\td"), "a\\u{1b}[2Jb\\u{d}c\\u{9}d");
        assert_eq!(lines("one\r\ntwo\tx\x07"), ["one", "two    x\\u{7}"]);
        assert_eq!(line("kernel_\u{202E}exe"), "kernel_\\u{202e}exe");
        assert_eq!(line("größe"), "größe");
    }
}
