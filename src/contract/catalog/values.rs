//! Input classes beyond ordinary values: zeros of both signs, subnormals, infinities, magnitudes far apart.
//!
//! A contract lists the classes that its formula is defined for, as words of [`NAME`]. The first element keeps its
//! drawn value, so that an output of zeros is never right.

use crate::contract::{Buffer, Choice, DeviceResult, Factor, Function, Instance, Rule, Values};
use crate::tensor::{Axis, Distribution, ElementKind, Stream};

/// The choice of classes.
pub const NAME: &str = "values";
/// The class of a case without the choice.
pub const ORDINARY: &str = "ordinary";
/// Half of the elements are 0 or -0.
pub const ZEROS: &str = "zeros";
/// Subnormal numbers of either sign, the smallest and the largest among them, and zeros.
pub const TINY: &str = "tiny";
/// Magnitudes from 2^-90 to 2^90: products overflow and underflow.
pub const SPREAD: &str = "spread";
/// Magnitudes of about 2^126: sums of the larger elements overflow.
pub const HUGE: &str = "huge";
/// One element in eight is infinite, of either sign.
pub const INFINITE: &str = "infinite";
/// One element is infinite, so that sums of them are infinite and not NaN.
pub const ONE_INFINITE: &str = "infinity";
/// One operand of about 2^-100, the other of 2^100: their products are ordinary.
pub const OPPOSED: &str = "opposed";
/// Ordinary values times 2^60, for contracts whose results scale with them.
pub const GREAT: &str = "great";

/// Numbers of elements: one, around a wave and a block, and several blocks of which the last is not full.
pub const N: Factor = Factor::One("n", &[1, 63, 64, 257, 1000]);

/// Input classes of an operation that rounds once.
pub const OPERANDS: Choice = (NAME, &[ORDINARY, ZEROS, TINY, SPREAD, HUGE, INFINITE]);
/// Input classes of a copy. An infinity that is not copied must not appear anywhere, whatever it is multiplied by.
pub const COPIED: Choice = (NAME, &[ORDINARY, ZEROS, TINY, INFINITE]);
/// Input classes of a sum. An infinity reaches all later sums.
pub const SUMMANDS: Choice = (NAME, &[ORDINARY, ZEROS, ONE_INFINITE]);

/// A contract of tensors of `n` elements, with one output.
pub const OF_ELEMENTS: Function = Function {
    dims: &["n"],
    outputs: &["out"],
    largest: &[&["n"]],
    ..Function::EMPTY
};

/// The choice of [`GREAT`].
pub const GREAT_OR_NOT: Choice = (NAME, &[ORDINARY, GREAT]);

/// The exclusion of special values from tensors of one element.
pub const ALONE: Rule = Rule {
    of: &["n", NAME],
    says: "n = 1 has ordinary values: one zero, or one element that is its own result, would be right without being computed",
    breaks: &|case| case.get("n") == Some(1) && not_ordinary(case),
};

/// Returns true for a case of another class than ordinary values.
pub fn not_ordinary(case: &Values) -> bool {
    case.word(NAME).is_some_and(|word| word != ORDINARY)
}

/// One element, or a matrix of one.
pub const ONE_ELEMENT: Rule = Rule {
    of: &["n"],
    says: "n = 1: the one element is 0 or a copy",
    breaks: &|case| case.get("n") == Some(1),
};

/// Draws an input of the case's class.
pub fn input(
    t: &mut Instance<'_>,
    name: &str,
    axes: Vec<Axis>,
    distribution: Distribution,
) -> DeviceResult<Buffer> {
    let class = t.word(NAME);
    input_of(t, class, (name, axes), distribution)
}

/// Draws an input of a class.
pub fn input_of(
    t: &mut Instance<'_>,
    class: &'static str,
    (name, axes): (&str, Vec<Axis>),
    distribution: Distribution,
) -> DeviceResult<Buffer> {
    let drawn = draw_of(t, class, (name, axes), distribution);
    Ok(t.offer(drawn))
}

/// Draws a tensor of a class that kernels do not get.
pub fn draw_of(
    t: &mut Instance<'_>,
    class: &'static str,
    (name, axes): (&str, Vec<Axis>),
    distribution: Distribution,
) -> Buffer {
    draw_as(t, (class, ElementKind::F32), (name, axes), distribution)
}

/// Draws a tensor of a class and another type that kernels do not get.
pub fn draw_as(
    t: &mut Instance<'_>,
    (class, kind): (&'static str, ElementKind),
    (name, axes): (&str, Vec<Axis>),
    distribution: Distribution,
) -> Buffer {
    let change = |values: &mut [f32], stream: &mut Stream| change(class, values, stream);
    t.draw_changed(kind, name, axes, distribution, change)
}

/// Draws an input of the case's class, rounded to another type, whose subnormals must be those of f32.
pub fn input_as(
    t: &mut Instance<'_>,
    kind: ElementKind,
    (name, axes): (&str, Vec<Axis>),
    distribution: Distribution,
) -> DeviceResult<Buffer> {
    let class = t.word(NAME);
    let drawn = draw_as(t, (class, kind), (name, axes), distribution);
    Ok(t.offer(drawn))
}

/// Draws both operands of an elementwise product. No element is 0 where its partner is infinite.
pub fn factors(
    t: &mut Instance<'_>,
    [a, b]: [(&str, Vec<Axis>); 2],
    distribution: Distribution,
) -> DeviceResult<[Buffer; 2]> {
    let class = t.word(NAME);
    let of_b = if class == INFINITE { NOT_ZERO } else { class };
    let a = input_of(t, class, a, distribution)?;
    Ok([a, input_of(t, of_b, b, distribution)?])
}

/// Draws both operands of a matrix product. Only one element is infinite, because the product sums.
pub fn matrices(
    t: &mut Instance<'_>,
    [a, b]: [(&str, Vec<Axis>); 2],
    distributions: [Distribution; 2],
) -> DeviceResult<[Buffer; 2]> {
    let [of_a, of_b] = opposed(t.word(NAME));
    let a = input_of(t, of_a, a, distributions[0])?;
    Ok([a, input_of(t, of_b, b, distributions[1])?])
}

/// Returns the classes of both operands of a product that sums.
pub fn opposed(class: &'static str) -> [&'static str; 2] {
    match class {
        OPPOSED => [LOW, HIGH],
        ONE_INFINITE => [ONE_INFINITE, NOT_ZERO],
        class => [class, class],
    }
}

/// The operands of [`OPPOSED`].
const LOW: &str = "of about 2^-100";
const HIGH: &str = "of about 2^100";
/// The name of the values that an infinity is multiplied by.
const NOT_ZERO: &str = "not zero";

/// Shortens rows until their squares sum to `squares`, about an epsilon, so that a misplaced epsilon shows. If there are more than three
/// rows, row `1 + zeros` becomes zeros, so that a missing epsilon shows.
pub fn shorten(values: &mut [f32], channels: usize, squares: f64, zeros: usize) {
    for row in values.chunks_exact_mut(channels) {
        let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
        let factor = (squares / length.max(f64::MIN_POSITIVE)).sqrt();
        row.iter_mut()
            .for_each(|x| *x = (f64::from(*x) * factor) as f32);
    }
    let rows = values.len() / channels;
    // Fewer rows would leave too few elements that are not 0.
    if rows > 3 {
        values[(1 + zeros) * channels..][..channels].fill(0.0);
    }
}

/// Sets the second row to zeros, which division by the norm does not change.
pub fn one_of_zeros(values: &mut [f32], channels: usize) {
    if values.len() > channels {
        values[channels..2 * channels].fill(0.0);
    }
}

/// Changes drawn values into values of a class.
fn change(class: &str, values: &mut [f32], stream: &mut Stream) {
    match class {
        LOW => return scale(values, -100),
        HIGH => return scale(values, 100),
        GREAT => return scale(values, 60),
        NOT_ZERO => {
            let zeros = values.iter_mut().filter(|x| **x == 0.0);
            return zeros.for_each(|x| *x = 1.0);
        }
        _ => {}
    }
    let Some((_, values)) = values
        .split_first_mut()
        .filter(|(_, more)| !more.is_empty())
    else {
        return;
    };
    if class == ONE_INFINITE {
        values[stream.below(values.len())] = f32::INFINITY.copysign(values[0]);
        return;
    }
    for value in values {
        let sign = if stream.below(2) == 0 { 1.0 } else { -1.0f32 };
        *value = match (class, stream.below(8)) {
            (ZEROS, 0..4) | (TINY, 0) => 0.0f32.copysign(sign),
            (TINY, 1) => f32::from_bits(1).copysign(sign),
            (TINY, 2) => f32::from_bits(SUBNORMALS).copysign(sign),
            (TINY, _) => {
                let any = u32::try_from(stream.below(SUBNORMALS as usize)).unwrap_or(0);
                f32::from_bits(1 + any).copysign(sign)
            }
            (SPREAD, _) => {
                let exponent = i32::try_from(stream.below(181)).unwrap_or(0) - 90;
                *value * 2.0f32.powi(exponent)
            }
            (HUGE, _) => *value * 2.0f32.powi(126),
            (INFINITE, 0) => f32::INFINITY.copysign(sign),
            _ => *value,
        };
    }
}

/// The bits of the largest subnormal number.
const SUBNORMALS: u32 = 0x007F_FFFF;

fn scale(values: &mut [f32], exponent: i32) {
    values.iter_mut().for_each(|x| *x *= 2.0f32.powi(exponent));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(class: &str) -> Vec<f32> {
        let mut values = vec![1.5; 4000];
        change(class, &mut values, &mut Stream::new(0, "t", "x"));
        values
    }

    fn some(values: &[f32], wanted: impl Fn(f32) -> bool) -> usize {
        values.iter().filter(|&&x| wanted(x)).count()
    }

    #[test]
    fn classes_hold_what_they_are_called_and_begin_with_what_was_drawn() {
        for class in [ZEROS, TINY, SPREAD, HUGE, INFINITE, ORDINARY] {
            assert_eq!(of(class)[0], 1.5, "{class}");
            assert!(!of(class).iter().any(|x| x.is_nan()), "{class}");
        }
        let (zero, minus) = (0.0f32.to_bits(), (-0.0f32).to_bits());
        for zero in [zero, minus] {
            assert!(some(&of(ZEROS), |x| x.to_bits() == zero) > 800);
            assert!(some(&of(TINY), |x| x.to_bits() == zero) > 100);
        }
        assert!(some(&of(TINY), f32::is_subnormal) > 3000);
        assert!(some(&of(TINY), |x| x.to_bits() == 1) > 100);
        assert!(some(&of(SPREAD), |x| x > 1e25) > 100);
        assert!(some(&of(SPREAD), |x| x < 1e-25) > 100);
        assert!(some(&of(HUGE), |x| x + x + x == f32::INFINITY) > 3000);
        for infinity in [f32::INFINITY, f32::NEG_INFINITY] {
            assert!(some(&of(INFINITE), |x| x == infinity) > 100);
        }
        assert_eq!(some(&of(ONE_INFINITE), f32::is_infinite), 1);
        assert_eq!(of(LOW)[7] * of(HIGH)[3], 2.25);
    }

    #[test]
    fn classes_beyond_f16_are_those_that_bindings_of_f16_refuse() {
        let classes = [
            ORDINARY,
            ZEROS,
            TINY,
            SPREAD,
            HUGE,
            INFINITE,
            ONE_INFINITE,
            OPPOSED,
            GREAT,
        ];
        let beyond = classes.into_iter().filter(|class| {
            let of_operands = opposed(class).map(of).concat();
            let narrow = |x: f32| half::f16::from_f32(x).is_infinite();
            some(&of_operands, |x| x.is_finite() && narrow(x)) > 0
        });
        let mut beyond: Vec<&str> = beyond.collect();
        beyond.sort_unstable();
        assert_eq!(beyond, crate::binding::BEYOND_F16);
    }

    #[test]
    fn one_element_alone_is_what_was_drawn() {
        for class in [ZEROS, TINY, INFINITE, ONE_INFINITE] {
            let mut one = [1.5];
            change(class, &mut one, &mut Stream::new(0, "t", "x"));
            assert_eq!(one, [1.5], "{class}");
        }
    }
}
