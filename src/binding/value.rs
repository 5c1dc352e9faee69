//! Values of formulas: exact fractions, floats, words, booleans, tensor addresses.

use std::fmt;

use super::formula::Operator;

/// The value of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A fraction in lowest terms with a positive denominator, so that sizes divide exactly.
    Fraction(i128, i128),
    /// A 64-bit float.
    Float(f64),
    /// A boolean; as a number it is 1 or 0.
    Bool(bool),
    /// One of the words of a case.
    Word(String),
    /// A tensor, and a byte offset from its first element.
    Pointer(String, i128),
    /// The null pointer.
    Null,
}

use Value::{Bool, Float, Fraction, Null, Pointer, Word};

/// A reason why an operation has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// The result is too large.
    #[error("the result does not fit 127 bits")]
    TooLarge,
    /// The divisor is 0.
    #[error("division by 0")]
    DivisionByZero,
    /// The result is infinite or NaN.
    #[error("the result is {0}")]
    NotFinite(f64),
    /// The value is of another kind than the operation needs.
    #[error("{0} is {kind}, {1} is due", kind = .0.kind())]
    Kind(Value, &'static str),
    /// The number is not whole.
    #[error("{0} is not whole: round it with ceil(x) or floor(x)")]
    NotWhole(Value),
    /// A side of the comparison is NaN.
    #[error("one side is not a number")]
    Incomparable,
}

/// Makes a whole number.
pub fn integer(number: i128) -> Value {
    Fraction(number, 1)
}

fn fraction(n: i128, d: i128) -> Result<Value, ValueError> {
    if d == 0 {
        return Err(ValueError::DivisionByZero);
    }
    let (mut a, mut b) = (n.unsigned_abs(), d.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let common = i128::try_from(a).map_err(|_| ValueError::TooLarge)?;
    let (n, d) = (n / common, d / common);
    if d > 0 {
        return Ok(Fraction(n, d));
    }
    let flipped = n.checked_neg().zip(d.checked_neg());
    flipped
        .map(|(n, d)| Fraction(n, d))
        .ok_or(ValueError::TooLarge)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fraction(n, 1) => n.fmt(f),
            Fraction(n, d) => write!(f, "{n}/{d}"),
            Float(value) => value.fmt(f),
            Bool(value) => value.fmt(f),
            Word(word) => word.fmt(f),
            Pointer(tensor, 0) => tensor.fmt(f),
            Pointer(tensor, offset) => write!(f, "{tensor} {offset:+}"),
            Null => f.write_str("null"),
        }
    }
}

impl Value {
    /// Names the kind of the value, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Fraction(..) | Float(_) => "a number",
            Bool(_) => "yes or no",
            Word(_) => "a word",
            Pointer(..) => "a tensor",
            Null => "null",
        }
    }

    /// Converts the value to f64.
    pub fn float(&self) -> Result<f64, ValueError> {
        match self {
            Fraction(n, d) => Ok(*n as f64 / *d as f64),
            Float(value) => Ok(*value),
            Bool(value) => Ok(f64::from(u8::from(*value))),
            other => Err(ValueError::Kind(other.clone(), "a number")),
        }
    }

    /// Converts the value to a whole number.
    pub fn integer(&self) -> Result<i128, ValueError> {
        match self {
            Fraction(n, 1) => Ok(*n),
            Bool(value) => Ok((*value).into()),
            Float(value) if value.fract() == 0.0 && value.abs() < 1e18 => Ok(*value as i128),
            Fraction(..) | Float(_) => Err(ValueError::NotWhole(self.clone())),
            other => Err(ValueError::Kind(other.clone(), "a whole number")),
        }
    }

    /// Converts the value to a boolean: every number but 0 is true.
    pub fn truth(&self) -> Result<bool, ValueError> {
        match self {
            Bool(value) => Ok(*value),
            other => Ok(other.float()? != 0.0),
        }
    }

    /// Rounds the value up or down.
    pub fn rounded(&self, up: bool) -> Result<Value, ValueError> {
        match self {
            Fraction(n, d) => {
                let down = n.div_euclid(*d);
                Ok(integer(down + i128::from(up && n.rem_euclid(*d) != 0)))
            }
            other => {
                let value = other.float()?;
                Ok(Float(if up { value.ceil() } else { value.floor() }))
            }
        }
    }

    /// Applies an operator to two values.
    pub fn apply(operator: Operator, left: &Value, right: &Value) -> Result<Value, ValueError> {
        use Operator::{Divided, Equal, Minus, Plus, Remainder, Times, Unequal};
        match (operator, left, right) {
            (Equal, Word(a), Word(b)) => Ok(Bool(a == b)),
            (Unequal, Word(a), Word(b)) => Ok(Bool(a != b)),
            (Plus, Pointer(tensor, at), offset) | (Plus, offset, Pointer(tensor, at)) => {
                let at = at
                    .checked_add(offset.integer()?)
                    .ok_or(ValueError::TooLarge)?;
                Ok(Pointer(tensor.clone(), at))
            }
            (Minus, Pointer(tensor, at), offset) => {
                let at = at
                    .checked_sub(offset.integer()?)
                    .ok_or(ValueError::TooLarge)?;
                Ok(Pointer(tensor.clone(), at))
            }
            (Plus | Minus | Times | Divided, _, _) => Value::arithmetic(operator, left, right),
            (Remainder, _, _) => {
                let (a, b) = (left.integer()?, right.integer()?);
                let rest = a.checked_rem(b);
                rest.map(integer).ok_or(ValueError::DivisionByZero)
            }
            _ => Value::compare(operator, left, right).map(Bool),
        }
    }

    fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Result<Value, ValueError> {
        use Operator::{Divided, Minus, Plus};
        let exact = |value: &Value| match value {
            Fraction(n, d) => Some((*n, *d)),
            Bool(value) => Some(((*value).into(), 1)),
            _ => None,
        };
        let (Some((a, b)), Some((c, d))) = (exact(left), exact(right)) else {
            let (a, b) = (left.float()?, right.float()?);
            let value = match operator {
                Plus => a + b,
                Minus => a - b,
                Divided => a / b,
                _ => a * b,
            };
            return match value.is_finite() {
                true => Ok(Float(value)),
                false => Err(ValueError::NotFinite(value)),
            };
        };
        let times = |x: i128, y: i128| x.checked_mul(y).ok_or(ValueError::TooLarge);
        match operator {
            Plus | Minus => {
                let (left, right) = (times(a, d)?, times(c, b)?);
                let sum = match operator {
                    Plus => left.checked_add(right),
                    _ => left.checked_sub(right),
                };
                fraction(sum.ok_or(ValueError::TooLarge)?, times(b, d)?)
            }
            Divided => fraction(times(a, d)?, times(b, c)?),
            _ => fraction(times(a, c)?, times(b, d)?),
        }
    }

    fn compare(operator: Operator, left: &Value, right: &Value) -> Result<bool, ValueError> {
        let order = match (left, right) {
            // Both denominators are above 0.
            (Fraction(a, b), Fraction(c, d)) => {
                let sides = a.checked_mul(*d).zip(c.checked_mul(*b));
                let (left, right) = sides.ok_or(ValueError::TooLarge)?;
                left.cmp(&right)
            }
            _ => {
                let order = left.float()?.partial_cmp(&right.float()?);
                order.ok_or(ValueError::Incomparable)?
            }
        };
        Ok(match operator {
            Operator::Equal => order.is_eq(),
            Operator::Unequal => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            _ => order.is_ge(),
        })
    }
}
