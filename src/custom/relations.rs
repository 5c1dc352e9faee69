//! Laws that a contract names: `linear in x`, `scale w by 3`, `permute T`.

use super::declaration::{Declaration, TensorRole};
use crate::binding::formula::Node;
use crate::contract::relation::{Closeness, Relation, Step, reversed};

/// The factor by which a linear law multiplies an input. The sign belongs to the law.
const FACTOR: f64 = -2.0;

/// A mistake in the text of a law, and its remedy.
type Mistake = (String, String);

/// Reads a law.
pub(super) fn parse(
    text: &str,
    of: &Declaration,
    outputs: &'static [&'static str],
) -> Result<Relation, Mistake> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let scaled = |name: &str, factor: f64| {
        let input = of.tensors.iter().find(|tensor| tensor.name == name);
        if input.is_none_or(|tensor| tensor.role != TensorRole::Input || !tensor.kind.is_float()) {
            let known = of
                .tensors
                .iter()
                .filter(|tensor| tensor.role == TensorRole::Input);
            let known: Vec<&str> = known.map(|tensor| tensor.name.as_str()).collect();
            return Err((
                format!("`{name}` is no input of floats"),
                format!("inputs are {}", known.join(", ")),
            ));
        }
        let inputs: &'static [&'static str] = vec![&*name.to_owned().leak()].leak();
        let before: &'static [Step] = vec![Step::Times(inputs, factor)].leak();
        let after: &'static [Step] = vec![Step::Times(outputs, factor)].leak();
        Ok(Relation::twice(
            name_of(text),
            text.to_owned().leak(),
            [before, after],
            Closeness::Tolerance,
        ))
    };
    match words[..] {
        ["linear", "in", name] => scaled(name, FACTOR),
        ["scale", name, "by", factor] => match factor.parse::<f64>() {
            Ok(factor) if factor.is_finite() && factor != 0.0 => scaled(name, factor),
            _ => Err((
                format!("`{factor}` is no factor"),
                "write a number other than 0".into(),
            )),
        },
        ["permute", axis] => {
            let all = of.tensors.iter().flat_map(|tensor| &tensor.axes);
            let named = all.filter(|(name, length)| {
                name == axis || matches!(&length.formula.node, Node::Name(size) if size == axis)
            });
            let mut places: Vec<(&'static str, &'static str)> = Vec::new();
            for (name, _) in named {
                if !places.iter().any(|(_, known)| known == name) {
                    places.push(("*", &*name.clone().leak()));
                }
            }
            if places.is_empty() {
                return Err((
                    format!("no tensor has an axis `{axis}`"),
                    "name an axis as the tensors do, or its size".into(),
                ));
            }
            let places: &'static [(&'static str, &'static str)] = places.leak();
            let moved: &'static [Step] = vec![Step::Moved(places, reversed)].leak();
            Ok(Relation::twice(
                name_of(text),
                text.to_owned().leak(),
                [moved, moved],
                Closeness::Tolerance,
            ))
        }
        _ => Err((
            format!("`{text}` is no law"),
            "write `linear in TENSOR`, `scale TENSOR by NUMBER` or `permute AXIS`".into(),
        )),
    }
}

/// Returns the short name of a law: its words with hyphens.
fn name_of(text: &str) -> &'static str {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join("-").leak()
}
