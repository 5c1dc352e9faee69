//! Parsing of launch arguments, and their encoding as bytes of the kernarg segment.

use half::{bf16, f16};

use super::formula::{Formula, Trouble, parse_part};
use super::scope::{Scope, mendable};
use super::value::{Value, ValueError};
use super::{ArgSpec, Scalar};

/// The types of numbers by name.
const SCALARS: [(&str, Scalar); 13] = [
    ("i8", Scalar::I8),
    ("u8", Scalar::U8),
    ("i16", Scalar::I16),
    ("u16", Scalar::U16),
    ("i32", Scalar::I32),
    ("u32", Scalar::U32),
    ("i64", Scalar::I64),
    ("u64", Scalar::U64),
    ("f16", Scalar::F16),
    ("bf16", Scalar::Bf16),
    ("f32", Scalar::F32),
    ("f64", Scalar::F64),
    ("bool", Scalar::Bool),
];

/// Types of C, and the types that stand for them.
const C_TYPES: [(&str, &str); 14] = [
    ("char", "i8"),
    ("short", "i16"),
    ("int", "i32"),
    ("unsigned", "u32"),
    ("uint", "u32"),
    ("long", "i64"),
    ("size_t", "u64"),
    ("half", "f16"),
    ("float", "f32"),
    ("double", "f64"),
    ("int32_t", "i32"),
    ("uint32_t", "u32"),
    ("int64_t", "i64"),
    ("uint64_t", "u64"),
];

/// Reads an argument: `A`, `dst + 4*S`, `null`, `i32 N`, `f32 1 / sqrt(S)`, `fastdiv(H)`, `raw 00ff`.
pub fn parse(text: &str) -> Result<ArgSpec, Trouble> {
    let begin = text.len() - text.trim_start().len();
    let (word, rest) = text
        .trim_start()
        .split_once(char::is_whitespace)
        .unwrap_or((text.trim(), ""));
    let at = text.len() - rest.len();
    if let Some((name, scalar)) = SCALARS.iter().find(|(name, _)| *name == word) {
        if rest.trim().is_empty() {
            let help = format!("write `{name} N`, a type and a formula");
            return Err(Trouble::new(
                &(0..text.len()),
                format!("`{name}` of what?"),
                help,
            ));
        }
        return Ok(ArgSpec::Scalar(*scalar, parse_part(rest, at)?));
    }
    let formula = rest.trim_start();
    let c_type = C_TYPES.iter().find(|(name, _)| *name == word);
    // A tensor may have such a name, too.
    if let Some((name, scalar)) = c_type.filter(|_| formula.starts_with(char::is_alphanumeric)) {
        let formula = formula.strip_prefix("int ").unwrap_or(formula);
        let at = begin..begin + word.len();
        let title = format!("`{name}` is no type of a binding");
        return Err(Trouble::new(
            &at,
            title,
            format!("write `{scalar} {formula}`"),
        ));
    }
    if word == "raw" {
        let digits: String = rest.chars().filter(|c| !c.is_whitespace()).collect();
        let bytes: Option<Vec<u8>> = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
            .collect();
        let bytes = bytes.filter(|bytes| !bytes.is_empty());
        return bytes.map(ArgSpec::Raw).ok_or_else(|| {
            let help = "write bytes in memory order, two hexadecimal digits each";
            Trouble::new(&(begin..text.len()), "these are no bytes", help)
        });
    }
    let inner = text
        .trim()
        .strip_prefix("fastdiv(")
        .and_then(|rest| rest.strip_suffix(')'));
    if let Some(inner) = inner {
        let at = text.find('(').unwrap_or(0) + 1;
        return Ok(ArgSpec::FastDivision(parse_part(inner, at)?));
    }
    Ok(ArgSpec::Pointer(parse_part(text, 0)?))
}

/// A resolved part of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// An address: the tensor's name, and a byte offset from its first element.
    Pointer(String, i128),
    /// Literal bytes.
    Bytes(Vec<u8>),
}

impl Piece {
    /// Returns the number of bytes that this piece takes.
    pub fn size(&self) -> usize {
        match self {
            Piece::Pointer(..) => 8,
            Piece::Bytes(bytes) => bytes.len(),
        }
    }
}

/// Resolves an argument at a case into one piece, or into the members of a struct with the padding between them.
pub fn pieces(arg: &ArgSpec, scope: &Scope<'_>) -> Result<Vec<Piece>, Trouble> {
    let one = |bytes: Vec<u8>| Ok(vec![Piece::Bytes(bytes)]);
    match arg {
        ArgSpec::Raw(bytes) => one(bytes.clone()),
        ArgSpec::Scalar(scalar, formula) => one(number(*scalar, formula, scope)?),
        ArgSpec::FastDivision(formula) => one(fast_division(formula, scope)?),
        ArgSpec::Pointer(formula) => match scope.place(formula)? {
            Value::Pointer(tensor, offset) => Ok(vec![Piece::Pointer(tensor, offset)]),
            Value::Null => one(vec![0; 8]),
            other => {
                let title = format!("`{other}` is {}, a tensor or null is due", other.kind());
                let help = "a number has its type before it: `i32 N`, `f32 1 / sqrt(K)`";
                Err(Trouble::new(&formula.at, title, help))
            }
        },
        ArgSpec::Struct(members) => {
            let (mut out, mut size, mut largest) = (Vec::new(), 0usize, 1usize);
            let pad = |out: &mut Vec<Piece>, size: &mut usize, align: usize| {
                let missing = size.next_multiple_of(align) - *size;
                if missing > 0 {
                    out.push(Piece::Bytes(vec![0; missing]));
                    *size += missing;
                }
            };
            for member in members {
                let inner = pieces(&member.value, scope)?;
                let align = alignment(&member.value);
                largest = largest.max(align);
                pad(&mut out, &mut size, align);
                size += inner.iter().map(Piece::size).sum::<usize>();
                out.extend(inner);
            }
            pad(&mut out, &mut size, largest);
            Ok(out)
        }
    }
}

/// Returns the alignment that the offset of a struct member must have.
fn alignment(arg: &ArgSpec) -> usize {
    match arg {
        ArgSpec::Pointer(_) => 8,
        ArgSpec::Raw(_) => 1,
        ArgSpec::FastDivision(_) => 4,
        ArgSpec::Struct(members) => members
            .iter()
            .map(|member| alignment(&member.value))
            .max()
            .unwrap_or(1),
        ArgSpec::Scalar(scalar, _) => match scalar {
            Scalar::I8 | Scalar::U8 | Scalar::Bool => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        },
    }
}

fn number(scalar: Scalar, formula: &Formula, scope: &Scope<'_>) -> Result<Vec<u8>, Trouble> {
    let failed = |error: ValueError| mendable(&formula.at, error);
    let value = scope.number(formula)?;
    let whole = || value.integer().map_err(failed);
    let float = || value.float().map_err(failed);
    let fits = |low: i128, high: i128, bytes: usize| {
        let number = whole()?;
        if (low..=high).contains(&number) {
            return Ok(number.to_le_bytes()[..bytes].to_vec());
        }
        let why = format!("{number} does not fit the type: it holds {low} to {high}");
        Err(mendable(&formula.at, why))
    };
    match scalar {
        Scalar::I8 => fits(i8::MIN.into(), i8::MAX.into(), 1),
        Scalar::U8 => fits(0, u8::MAX.into(), 1),
        Scalar::I16 => fits(i16::MIN.into(), i16::MAX.into(), 2),
        Scalar::U16 => fits(0, u16::MAX.into(), 2),
        Scalar::I32 => fits(i32::MIN.into(), i32::MAX.into(), 4),
        Scalar::U32 => fits(0, u32::MAX.into(), 4),
        Scalar::I64 => fits(i64::MIN.into(), i64::MAX.into(), 8),
        Scalar::U64 => fits(0, u64::MAX.into(), 8),
        Scalar::Bool => Ok(vec![value.truth().map_err(failed)?.into()]),
        Scalar::F16 => Ok(f16::from_f64(float()?).to_le_bytes().to_vec()),
        Scalar::Bf16 => Ok(bf16::from_f64(float()?).to_le_bytes().to_vec()),
        Scalar::F32 => Ok((float()? as f32).to_le_bytes().to_vec()),
        Scalar::F64 => Ok(float()?.to_le_bytes().to_vec()),
    }
}

/// Computes the words of a division by d. L is the smallest number such that 2^L >= d; the words are floor(2^32 (2^L -
/// d) / d) + 1, then L, then d.
fn fast_division(formula: &Formula, scope: &Scope<'_>) -> Result<Vec<u8>, Trouble> {
    let help = "give fastdiv a divisor from 1 to 2^31";
    let number = scope.number(formula)?.integer();
    let number = number.map_err(|error| Trouble::new(&formula.at, error, help))?;
    let divisor = u64::try_from(number)
        .ok()
        .filter(|d| (1..=1 << 31).contains(d));
    let failed = || Trouble::new(&formula.at, format!("fastdiv of {number}"), help);
    let divisor = divisor.ok_or_else(failed)?;
    u32::try_from(divisor)
        .ok()
        .and_then(divider)
        .ok_or_else(failed)
}

/// Returns the three words of a divisor from 1 to 2^31, as bytes.
pub fn divider(divisor: u32) -> Option<Vec<u8>> {
    if !(1..=1 << 31).contains(&divisor) {
        return None;
    }
    let (shift, divisor) = (
        divisor.next_power_of_two().trailing_zeros(),
        u128::from(divisor),
    );
    let multiplier = ((1u128 << 32) * ((1u128 << shift) - divisor)) / divisor + 1;
    let words = [multiplier as u32, shift, divisor as u32];
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}
