//! Expressions that name a value: `v3[17]`, `s4`, `s[4:5]`, `exec`, `lds[16]`, `args.n`, `o[0,5,1]`, `sum[3]`; and conditions over them.

use super::inspect::{self, Item, Node};
use super::places::WaveId;
use super::timeline::Timeline;

/// Names of nodes that are values of their own.
const LDS: &str = "lds";

/// The reason why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExpressionError(String);

/// Returns the value of an expression, for a frame of a wave.
///
/// # Errors
/// The expression names nothing, or an index is beyond its end.
pub fn evaluate(
    timeline: &Timeline,
    wave: Option<(WaveId, usize)>,
    text: &str,
) -> Result<Item, ExpressionError> {
    let text = text.trim();
    let shown = text.escape_debug();
    let (name, indices) = match text.split_once('[') {
        None => (text, None),
        Some((name, rest)) => {
            let inner = rest.strip_suffix(']');
            let inner = inner.ok_or_else(|| error(format!("`{shown}` has no closing `]`")))?;
            (name.trim(), Some(inner))
        }
    };
    let tensors = timeline.tensors();
    if let Some((wave, frame)) = wave {
        if let Some(found) = register(timeline, wave, name, indices)? {
            return Ok(found);
        }
        let variables = inspect::variables(timeline, wave, frame);
        let mut named = variables.iter().enumerate();
        if let Some((number, variable)) = named.find(|(_, variable)| variable.name == name) {
            let whole = inspect::local(timeline, (wave, frame, number), variable);
            let Some(indices) = indices else {
                return Ok(whole);
            };
            // A pointer may have the name of the tensor that it points to.
            let is_tensor = tensors.iter().any(|tensor| tensor.name == name);
            let list = numbers(indices, text)?;
            let found = match (&whole.node, list.as_slice()) {
                (Some(Node::LocalLanes(..)), &[lane]) if lane < whole.parts => {
                    Some(inspect::local_lane(timeline, wave, variable, lane))
                }
                (Some(Node::LocalElements(..)), &[index]) => {
                    inspect::local_element(timeline, variable, index)
                }
                _ => None,
            };
            match found {
                Some(found) => return Ok(named_item(found)),
                None if is_tensor => {}
                None if whole.node.is_some() => {
                    let parts = whole.parts;
                    return Err(error(format!(
                        "`{shown}`: `{name}` has one index below {parts}"
                    )));
                }
                None if whole.text == inspect::NO_PLACE => {
                    let reason = inspect::NO_PLACE;
                    return Err(error(format!("`{name}` has {reason} at this instruction")));
                }
                None => return Err(error(format!("`{name}` has no lanes and no elements"))),
            }
        }
    }
    if name.starts_with("args.") && indices.is_none() {
        let mut arguments = inspect::arguments(timeline).into_iter();
        let found = arguments.find(|item| item.expression == name);
        let found = found.map(named_item);
        return found.ok_or_else(|| unknown(timeline, name));
    }
    if name == LDS {
        let size = timeline.stepper().map_or(0, |stepper| stepper.lds().size());
        return match indices
            .map(|list| numbers(list, text))
            .transpose()?
            .as_deref()
        {
            None => Ok(node(LDS, &format!("{size} bytes"), Node::Lds, timeline)),
            Some(&[byte]) => inspect::lds(timeline, byte)
                .map(named_item)
                .ok_or_else(|| error(format!("`{shown}`: the group has {size} bytes of LDS"))),
            Some(_) => Err(error("LDS has one index, a byte: `lds[16]`".into())),
        };
    }
    let Some(number) = tensors.iter().position(|tensor| tensor.name == name) else {
        return Err(unknown(timeline, name));
    };
    let list = indices.map_or(Ok(Vec::new()), |list| numbers(list, text))?;
    inspect::tensor(timeline, number, &list)
        .map(named_item)
        .ok_or_else(|| {
            let axes = tensors[number].axes.iter();
            let lengths: Vec<String> = axes.map(|axis| axis.length.to_string()).collect();
            error(format!(
                "`{shown}` lies outside of `{name}`, whose axes have lengths {}",
                lengths.join(", ")
            ))
        })
}

fn error(text: String) -> ExpressionError {
    ExpressionError(text)
}

/// Builds the error for a name that nothing has.
fn unknown(timeline: &Timeline, name: &str) -> ExpressionError {
    let names: Vec<&str> = timeline
        .tensors()
        .iter()
        .map(|tensor| tensor.name.as_str())
        .collect();
    error(format!(
        "nothing is named `{}`: there are registers (v0, v0[63], s4, s[4:5], exec, vcc, scc, m0, mode, pc), \
         wave, group.x, lds[BYTE], args.NAME, variables of the frame, and the tensors {}",
        name.escape_debug(),
        names.join(", ")
    ))
}

/// Names an item by its expression, for a reader who does not see its node.
fn named_item(mut item: Item) -> Item {
    item.name.clone_from(&item.expression);
    item
}

fn node(name: &str, text: &str, node: Node, timeline: &Timeline) -> Item {
    Item {
        name: name.into(),
        text: text.into(),
        expression: name.into(),
        parts: inspect::length(timeline, &node),
        node: Some(node),
        ..Item::default()
    }
}

/// Reads `1, 2,3`.
fn numbers(list: &str, text: &str) -> Result<Vec<usize>, ExpressionError> {
    let number = |part: &str| {
        let part = part.trim();
        let parsed = match part.strip_prefix("0x") {
            Some(hex) => usize::from_str_radix(hex, 16).ok(),
            None => part.parse().ok(),
        };
        parsed.ok_or_else(|| {
            error(format!(
                "`{}` in `{}` is no index",
                part.escape_debug(),
                text.escape_debug()
            ))
        })
    };
    list.split(',').map(number).collect()
}

/// Returns a register, if the name is one of a register.
fn register(
    timeline: &Timeline,
    wave: WaveId,
    name: &str,
    indices: Option<&str>,
) -> Result<Option<Item>, ExpressionError> {
    let number = |prefix: char| {
        let digits = name.strip_prefix(prefix)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<usize>().ok().filter(|_| plain)
    };
    if let Some(register) = number('v') {
        let missing = || error(format!("the wave has no register `{name}` at this moment"));
        let whole = inspect::vgpr(timeline, wave, register).ok_or_else(missing)?;
        let Some(indices) = indices else {
            return Ok(Some(whole));
        };
        let lane = match numbers(indices, name)?.as_slice() {
            &[lane] => inspect::vgpr_lane(timeline, wave, register, lane),
            _ => None,
        };
        let lane = lane.ok_or_else(|| error(format!("`{name}` has one index, a lane below 64")))?;
        return Ok(Some(named_item(lane)));
    }
    if let (Some(register), None) = (number('s'), indices) {
        let missing = || error(format!("there is no register `{name}`: s0 to s101"));
        let found = inspect::sgpr(timeline, wave, register).ok_or_else(missing)?;
        return Ok(Some(found));
    }
    if let ("s", Some((first, last))) = (name, indices.and_then(|list| list.split_once(':'))) {
        let first = first.trim().parse::<usize>().ok();
        let last = last.trim().parse::<usize>().ok();
        let pair = first
            .zip(last)
            .filter(|(first, last)| Some(*last) == first.checked_add(1));
        let found = pair.and_then(|(first, _)| inspect::sgpr_pair(timeline, wave, first));
        let bad = || error("a pair of scalar registers is written `s[4:5]`".into());
        return Ok(Some(found.ok_or_else(bad)?));
    }
    if indices.is_some() {
        return Ok(None);
    }
    let special = inspect::special(timeline, wave);
    let found = special.into_iter().find(|item| item.expression == name);
    Ok(found.map(named_item))
}

/// A condition: comparisons of values with numbers, all of which must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(Vec<Comparison>);

#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    expression: String,
    operator: &'static str,
    number: f64,
}

/// Comparison operators, the longer ones first.
const OPERATORS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

impl Condition {
    /// Reads `group.x == 2 && v0[5] > 1.5`.
    ///
    /// # Errors
    /// A part is no comparison with a number.
    pub fn parse(text: &str) -> Result<Condition, ExpressionError> {
        let comparison = |part: &str| {
            let shown = part.trim().escape_debug();
            let bad = || {
                error(format!(
                    "`{shown}` is no condition: compare a value with a number, as in `wave == 1 && sum[3] > 0.5`"
                ))
            };
            let operator = OPERATORS.into_iter().find(|sign| part.contains(sign));
            let operator = operator.ok_or_else(bad)?;
            let (expression, number) = part.split_once(operator).ok_or_else(bad)?;
            let number = number.trim();
            let parsed = match number.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).map(|value| value as f64).ok(),
                None => number.parse().ok(),
            };
            Ok(Comparison {
                expression: expression.trim().to_owned(),
                operator,
                number: parsed.ok_or_else(bad)?,
            })
        };
        let parts: Result<Vec<Comparison>, ExpressionError> =
            text.split("&&").map(comparison).collect();
        Ok(Condition(parts?))
    }

    /// Returns true if the condition holds for the innermost frame of a wave. A value that does not exist makes it false.
    pub(super) fn holds(&self, timeline: &Timeline, wave: WaveId) -> bool {
        self.0.iter().all(|comparison| {
            let found = evaluate(timeline, Some((wave, 0)), &comparison.expression);
            let Some(value) = found.ok().and_then(|item| item.number) else {
                return false;
            };
            let number = comparison.number;
            match comparison.operator {
                "==" => value == number,
                "!=" => value != number,
                "<=" => value <= number,
                ">=" => value >= number,
                "<" => value < number,
                _ => value > number,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_comparisons_with_numbers() {
        let condition = Condition::parse("group.x==2 && v0[5] >= -1.5&&exec != 0xff");
        let parts = condition.expect("a condition").0;
        let shown: Vec<_> = parts
            .iter()
            .map(|part| (part.expression.as_str(), part.operator, part.number))
            .collect();
        assert_eq!(
            shown,
            [
                ("group.x", "==", 2.0),
                ("v0[5]", ">=", -1.5),
                ("exec", "!=", 255.0)
            ]
        );
        for text in ["", "x", "x = 1", "x == y", "x == 1 &&", "== =="] {
            assert!(Condition::parse(text).is_err(), "{text}");
        }
    }
}
