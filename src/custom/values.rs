//! The values that inputs are drawn from: `normal`, `uniform(0.5, 1.5)`, `integers(0, N)`.

use super::function::PythonFunction;
use crate::binding::Scope;
use crate::binding::formula::{Formula, Node, Trouble, parse};
use crate::tensor::{Distribution, ElementKind, Stream};

/// A class of values.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// The text in the file.
    pub text: String,
    /// The word by which a case names the class.
    pub word: &'static str,
    /// The distribution.
    pub generator: Generator,
}

/// A distribution of values, with bounds that may depend on the sizes of a case.
#[derive(Clone, Debug)]
pub(super) enum Generator {
    /// Normal with mean 0 and this standard deviation.
    Normal(Formula),
    /// Uniform in `[low, high)`.
    Uniform(Formula, Formula),
    /// Running sum of uniform steps in `[low, high)`.
    Walk(Formula, Formula),
    /// Whole numbers from `low` to below `high`, all equally likely.
    Integers(Formula, Formula),
    /// Normal values, of which half are 0 or -0.
    Zeros,
    /// One value.
    Constant(Formula),
    /// Whole numbers from 0 up, in order.
    Iota,
    /// Whole numbers that follow from sizes and from tensors before: the offsets of packed sequences.
    Formula(Formula),
    /// Distinct whole numbers from 0 to below a bound, in random order.
    Distinct(Formula),
    /// The result of a Python function.
    Python(PythonFunction),
}

/// The standard deviation of `tiny`, whose squares are near the usual eps of a norm.
const TINY: f64 = 1.0 / 1024.0;
/// The standard deviation of `great`, whose sums of squares are beyond f16.
const GREAT: f64 = 4096.0;

/// The forms of distributions, for messages.
const FORMS: &str = "normal, normal(deviation), tiny, great, uniform(low, high), walk(low, high), integers(low, high), zeros, \
                     constant(value), iota, distinct(below), or a formula such as prefix_sum(tensor)";

impl Class {
    /// Reads a class from its text. `is_known` is true for names of sizes and tensors.
    pub fn parse(text: &str, is_known: &dyn Fn(&str) -> bool) -> Result<Class, Trouble> {
        Ok(Class::of(text, generator(&parse(text)?, is_known)?))
    }

    /// Makes a class of a generator. The text gives its word.
    pub fn of(text: &str, generator: Generator) -> Class {
        // A case's id shows the word, so that it has no commas, brackets and spaces.
        let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && !".-".contains(c));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let word = parts.join("_");
        Class {
            text: text.into(),
            word: word.leak(),
            generator,
        }
    }

    /// Gives the class another word if one of these classes has the same.
    pub fn distinct_from(mut self, others: &[Class]) -> Class {
        let word = self.word;
        let mut number = 2;
        while others.iter().any(|other| other.word == self.word) {
            self.word = format!("{word}_{number}").leak();
            number += 1;
        }
        self
    }

    /// Returns the class of zeros alone.
    pub fn zero() -> Class {
        let node = Node::Integer(0);
        Class::of("0", Generator::Constant(Formula { at: 0..0, node }))
    }

    /// Returns the class of a tensor whose values the file leaves open.
    pub fn usual(kind: ElementKind) -> Class {
        let number = |number| Formula {
            at: 0..0,
            node: Node::Integer(number),
        };
        match kind {
            _ if kind.is_float() => Class {
                text: "normal".into(),
                word: "normal",
                generator: Generator::Normal(number(1)),
            },
            _ => Class {
                text: "integers(0, 8)".into(),
                word: "integers",
                generator: Generator::Integers(number(0), number(8)),
            },
        }
    }
}

fn generator(formula: &Formula, is_known: &dyn Fn(&str) -> bool) -> Result<Generator, Trouble> {
    let float = |value| Formula {
        at: formula.at.clone(),
        node: Node::Float(value),
    };
    let other = || {
        Err(Trouble::new(
            &formula.at,
            "these are no values to draw",
            format!("write one of: {FORMS}"),
        ))
    };
    match &formula.node {
        Node::Name(name) => match name.as_str() {
            "normal" => Ok(Generator::Normal(float(1.0))),
            "tiny" => Ok(Generator::Normal(float(TINY))),
            "great" => Ok(Generator::Normal(float(GREAT))),
            "zeros" => Ok(Generator::Zeros),
            "iota" => Ok(Generator::Iota),
            name if is_known(name) => Ok(Generator::Formula(formula.clone())),
            _ => other(),
        },
        Node::Integer(_) | Node::Float(_) | Node::Negative(_) => {
            Ok(Generator::Constant(formula.clone()))
        }
        Node::Call(name, arguments) => match (name.as_str(), &arguments[..]) {
            ("normal", [deviation]) => Ok(Generator::Normal(deviation.clone())),
            ("uniform", [low, high]) => Ok(Generator::Uniform(low.clone(), high.clone())),
            ("walk", [low, high]) => Ok(Generator::Walk(low.clone(), high.clone())),
            ("integers", [low, high]) => Ok(Generator::Integers(low.clone(), high.clone())),
            ("constant", [value]) => Ok(Generator::Constant(value.clone())),
            ("distinct", [below]) => Ok(Generator::Distinct(below.clone())),
            (name, _) if Scope::has_function(name) => Ok(Generator::Formula(formula.clone())),
            _ => other(),
        },
        Node::Binary(..) | Node::Choice(..) | Node::Index(..) => {
            Ok(Generator::Formula(formula.clone()))
        }
        Node::Word(_) | Node::Not(_) => other(),
    }
}

impl Generator {
    /// Returns the formulas of the bounds.
    pub fn formulas(&self) -> Vec<&Formula> {
        match self {
            Generator::Normal(of) | Generator::Constant(of) | Generator::Distinct(of) => vec![of],
            Generator::Uniform(low, high)
            | Generator::Walk(low, high)
            | Generator::Integers(low, high) => {
                vec![low, high]
            }
            Generator::Zeros | Generator::Iota | Generator::Formula(_) | Generator::Python(_) => {
                Vec::new()
            }
        }
    }

    /// Draws values; the declaration evaluates formulas and calls Python functions itself. `number` evaluates a bound.
    pub fn draw(
        &self,
        stream: &mut Stream,
        (kind, count): (ElementKind, usize),
        number: &dyn Fn(&Formula) -> f64,
    ) -> Vec<f64> {
        let single = |formula| number(formula) as f32;
        let mut float = |distribution| -> Vec<f64> {
            let drawn = stream.draw(count, distribution);
            let mut drawn: Vec<f64> = drawn.into_iter().map(f64::from).collect();
            if kind == ElementKind::F64 {
                // Numbers that f32 cannot hold, so that a kernel shows whether it narrows them.
                for value in &mut drawn {
                    *value *= 1.0 + stream.below(1 << 24) as f64 * 2f64.powi(-50);
                }
            }
            drawn
        };
        match self {
            Generator::Normal(deviation) => float(Distribution::Normal(single(deviation))),
            Generator::Uniform(low, high) => {
                float(Distribution::Uniform(single(low), single(high)))
            }
            Generator::Walk(low, high) => float(Distribution::Walk(single(low), single(high))),
            Generator::Integers(low, high) => {
                let (low, high) = (number(low), number(high));
                let span = (high - low).max(1.0) as usize;
                (0..count)
                    .map(|_| low + stream.below(span) as f64)
                    .collect()
            }
            Generator::Zeros => {
                let mut drawn = float(Distribution::Normal(1.0));
                // The first element keeps its value, so that an output of zeros is never right.
                for value in drawn.iter_mut().skip(1) {
                    *value = [0.0, -0.0, *value, *value][stream.below(4)];
                }
                drawn
            }
            Generator::Constant(value) => vec![number(value); count],
            Generator::Formula(_) | Generator::Python(_) => Vec::new(),
            Generator::Iota => (0..count).map(|at| at as f64).collect(),
            Generator::Distinct(below) => {
                let mut all: Vec<usize> = (0..number(below).max(0.0) as usize).collect();
                for at in (1..all.len()).rev() {
                    all.swap(at, stream.below(at + 1));
                }
                all.into_iter().take(count).map(|at| at as f64).collect()
            }
        }
    }
}
