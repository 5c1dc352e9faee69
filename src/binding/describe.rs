//! What a contract's tensors are, found out by asking its function at small sizes.
//!
//! The function draws and allocates at a few cases whose sizes differ one by one; how the lengths of an axis follow them says what
//! the axis is: `K`, `T * HV`, `ceil(T / C)`. Nothing is launched.

use std::collections::HashMap;

use serde::Serialize;

use super::formula::parse;
use super::layout::Layout;
use super::scope::{Scope, Shape, Side};
use crate::compare::ElementKind;
use crate::phases::Function;
use crate::registry::{self, Values};
use crate::trial::{Probed, probe};

/// The product of the sizes of a case that is looked at only to know more.
const MAX_PROBED: i64 = 1 << 22;

/// A contract's tensors.
#[derive(Debug)]
pub struct Described {
    /// The contract.
    pub function: &'static Function,
    /// Its tensors, in the order in which it makes them.
    pub tensors: Vec<DescribedTensor>,
}

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Kernels read it.
    Input,
    /// The references know it; the built-in kernels are not handed it.
    Hidden,
    /// Kernels write it, and it is compared.
    Output,
    /// It starts with values, kernels write it in part, and it is compared.
    InPlace,
    /// The built-in kernels hand it to each other. A binding has `scratch` of its own.
    Between,
}

/// A tensor of a contract.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedTensor {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Use,
    /// The type of its elements.
    #[serde(serialize_with = "kind_name")]
    pub element: ElementKind,
    /// Its axes, outermost first.
    pub axes: Vec<DescribedAxis>,
    /// How it is drawn, or that it follows from others.
    pub values: Option<String>,
    /// The outputs that it holds, where those are not the tensor itself.
    pub parts: Vec<String>,
}

/// An axis of a tensor.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedAxis {
    /// What reports call it.
    pub name: String,
    /// Its length over the sizes of a case; none where no formula fits.
    pub length: Option<String>,
}

fn kind_name<S: serde::Serializer>(kind: &ElementKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.name())
}

/// The tensors of a function. The first of the cases that it takes says what they are; variations of it say what sizes they have.
pub fn describe(function: &'static Function, cases: &[&Values]) -> Option<Described> {
    let size = |values: &Values| -> i64 {
        let dims = function.dims.iter().map(|name| values.get(name));
        dims.fold(1i64, i64::saturating_mul)
    };
    let mut cases = cases.to_vec();
    cases.sort_by_key(|values| size(values));
    let mut base = None;
    for values in &cases {
        let probed = probe(function, values);
        if let Some(probed) = probed {
            base = Some(((*values).clone(), probed));
            break;
        }
    }
    let (values, probed) = base?;
    let mut seen = vec![(values.clone(), probed)];
    let mut known = Vec::new();
    let sizes = || function.dims.iter().chain(function.integers);
    for name in sizes() {
        // Where a size must fit another, both change.
        let alone = [2, 3].map(|factor| vary(&values, &[name], factor));
        let others = sizes().filter(|other| *other != name);
        let pairs = others.map(|other| vary(&values, &[name, other], 2));
        let tried = alone.into_iter().chain(pairs);
        known.extend(tried.filter_map(|varied| Some((probe(function, &varied)?, varied))).map(|(probed, varied)| (varied, probed)).take(2));
    }
    let others = cases.iter().filter(|case| size(case) <= MAX_PROBED && **case != &values);
    known.extend(others.take(8).filter_map(|case| Some(((*case).clone(), probe(function, case)?))));
    // A variation may have other tensors where a size decides over that.
    let same = |probed: &[Probed]| {
        let names = |probed: &[Probed]| -> Vec<String> { probed.iter().map(|tensor| tensor.name.clone()).collect() };
        names(probed) == names(&seen[0].1)
    };
    let (alike, _): (Vec<_>, Vec<_>) = known.into_iter().partition(|(_, probed)| same(probed));
    seen.extend(alike);
    let tensors = (0..seen[0].1.len()).map(|at| tensor(function, &seen, at)).collect();
    Some(Described { function, tensors })
}

fn vary(values: &Values, names: &[&str], factor: i64) -> Values {
    let pairs = values.iter().map(|(known, value)| {
        let value = match value {
            registry::Value::Number(number) if names.contains(&known) => registry::Value::Number(number * factor),
            other => other.clone(),
        };
        (known.to_owned(), value)
    });
    Values::new(pairs.collect())
}

fn tensor(function: &Function, seen: &[(Values, Vec<Probed>)], at: usize) -> DescribedTensor {
    let first = &seen[0].1[at];
    let axes = first.axes.iter().enumerate().map(|(n, axis)| {
        let lengths: Option<Vec<(&Values, usize)>> = seen
            .iter()
            .map(|(values, probed)| Some((values, probed[at].axes.get(n)?.length)))
            .collect();
        DescribedAxis {
            name: axis.name.clone(),
            length: lengths.and_then(|lengths| length(function, &lengths)),
        }
    });
    let compared = first.compared || !first.parts.is_empty();
    let role = match (first.starts_with_values, first.written, compared) {
        (true, true, _) => Use::InPlace,
        (false, _, true) => Use::Output,
        (false, _, false) => Use::Between,
        (true, false, _) if first.on_device => Use::Input,
        (true, false, _) => Use::Hidden,
    };
    DescribedTensor {
        name: first.name.clone(),
        role,
        element: first.kind,
        axes: axes.collect(),
        values: first.values.clone(),
        parts: first.parts.clone(),
    }
}

/// A formula that gives these lengths in these cases: of those that do the one that a reader would try first.
fn length(function: &Function, lengths: &[(&Values, usize)]) -> Option<String> {
    let wanted: Vec<i64> = lengths.iter().map(|(_, length)| *length as i64).collect();
    let names: Vec<&str> = function.dims.iter().chain(function.integers).copied().collect();
    let of = |name: &str| -> Vec<i64> { lengths.iter().map(|(values, _)| values.get(name)).collect() };
    let mut terms = Terms::default();
    let first = *wanted.first()?;
    let constant = wanted.iter().all(|length| *length == first);
    if constant && (first <= 4 || names.is_empty()) {
        terms.add(first.to_string(), wanted.clone());
    }
    // Products of up to four sizes, those of fewer first.
    let mut products: Vec<(usize, String, Vec<i64>)> = Vec::new();
    for (n, name) in names.iter().enumerate() {
        products.push((n, (*name).into(), of(name)));
    }
    let mut from = 0;
    for _ in 0..4 {
        let end = products.len();
        for at in from..end {
            let (last, formula, values) = products[at].clone();
            terms.add(formula.clone(), values.clone());
            for (n, name) in names.iter().enumerate().skip(last) {
                let product: Vec<i64> = values.iter().zip(of(name)).map(|(a, b)| a.saturating_mul(b)).collect();
                products.push((n, format!("{formula} * {name}"), product));
            }
        }
        from = end;
    }
    let singles: Vec<(&str, Vec<i64>)> = names.iter().map(|name| (*name, of(name))).collect();
    for (a, x) in &singles {
        for (b, y) in singles.iter().filter(|(b, y)| b != a && y.iter().all(|y| *y > 0)) {
            let up = x.iter().zip(y).map(|(x, y)| (x + y - 1).div_euclid(*y));
            terms.add(format!("ceil({a} / {b})"), up.collect());
            let whole = x.iter().zip(y).all(|(x, y)| x % y == 0);
            if whole {
                terms.add(format!("{a} / {b}"), x.iter().zip(y).map(|(x, y)| x / y).collect());
            }
        }
        terms.add(format!("ceil({a} / 64)"), x.iter().map(|x| (x + 63).div_euclid(64)).collect());
        for by in [1, -1] {
            let sign = if by > 0 { '+' } else { '-' };
            terms.add(format!("{a} {sign} 1"), x.iter().map(|x| x + by).collect());
        }
    }
    terms.find(&wanted).or_else(|| constant.then(|| first.to_string()))
}

/// Formulas by what they give in each case.
#[derive(Default)]
struct Terms {
    known: HashMap<Vec<i64>, String>,
    order: Vec<(String, Vec<i64>)>,
}

impl Terms {
    fn add(&mut self, formula: String, values: Vec<i64>) {
        self.known.entry(values.clone()).or_insert_with(|| formula.clone());
        self.order.push((formula, values));
    }

    /// A term, or the sum of two.
    fn find(&self, wanted: &[i64]) -> Option<String> {
        if let Some(term) = self.known.get(wanted) {
            return Some(term.clone());
        }
        let sum = |factor: i64, (formula, values): &(String, Vec<i64>)| {
            let rest: Vec<i64> = wanted.iter().zip(values).map(|(want, value)| want - factor * value).collect();
            let factor = if factor == 1 { String::new() } else { format!("{factor} * ") };
            Some(format!("{factor}{formula} + {}", self.known.get(&rest)?))
        };
        let twice = |(formula, values): &(String, Vec<i64>)| {
            let fits = wanted.iter().zip(values).all(|(want, value)| *want == 2 * value);
            fits.then(|| format!("2 * {formula}"))
        };
        let order = &self.order;
        order
            .iter()
            .find_map(twice)
            .or_else(|| [1, 2].into_iter().find_map(|factor| order.iter().find_map(|term| sum(factor, term))))
    }
}

fn evaluate(function: &Function, values: &Values, formula: &str) -> Option<usize> {
    let scope = Scope::new(function, values, &[], &[]);
    let value = scope.number(&parse(formula).ok()?).ok()?;
    usize::try_from(value.integer().ok()?).ok()
}

impl Described {
    /// The tensors at a case, in the contract's types and order; none where the length of an axis is not known.
    pub fn shapes(&self, values: &Values) -> Option<Vec<Shape>> {
        self.tensors.iter().map(|tensor| {
            let axes: Option<Vec<Side>> = tensor.axes.iter().map(|axis| {
                let symbol = axis.length.clone()?;
                let length = evaluate(self.function, values, &symbol)?;
                Some(Side { name: axis.name.clone(), symbol, length })
            }).collect();
            let axes = axes?;
            let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
            Some(Shape {
                name: tensor.name.clone(),
                kind: tensor.element,
                layout: Layout::plain(&lengths),
                axes,
                scalar: None,
            })
        }).collect()
    }

    /// The length of an axis as a formula.
    pub fn symbol(&self, tensor: &str, axis: usize) -> Option<&str> {
        let tensor = self.tensors.iter().find(|known| known.name == tensor)?;
        tensor.axes.get(axis)?.length.as_deref()
    }

    /// The outputs, and what is updated in place.
    pub fn outputs(&self) -> Vec<&str> {
        let compared = |tensor: &&DescribedTensor| matches!(tensor.role, Use::Output | Use::InPlace);
        self.tensors.iter().filter(compared).map(|tensor| tensor.name.as_str()).collect()
    }
}
