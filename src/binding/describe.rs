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
use crate::contract::Function;
use crate::contract::{self, Values};
use crate::contract::{Probed, probe};

/// So many choices of words are looked at.
const MAX_CHOICES: usize = 32;

/// A contract's tensors.
#[derive(Debug)]
pub struct Described {
    /// The contract.
    pub function: &'static Function,
    /// Its tensors, which may depend on the words of a case.
    variants: Vec<Variant>,
}

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Kernels read it.
    Input,
    /// Only the references know it.
    Hidden,
    /// Kernels write it, and it is compared.
    Output,
    /// It starts with values, kernels write it in part, and it is compared.
    InPlace,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DescribedAxis {
    /// What reports call it.
    pub name: String,
    /// Its length over the sizes of a case; none where no formula fits.
    pub length: Option<String>,
}

fn kind_name<S: serde::Serializer>(kind: &ElementKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.name())
}

/// The tensors of a function, by cases that it takes. Formulas come from the smallest case of a choice of words, those that somebody named
/// before those of designs; where the formulas of other words give what a small case has, that is enough.
pub fn describe(
    function: &'static Function,
    named: &[&Values],
    designed: &[&Values],
) -> Option<Described> {
    let size = |values: &Values| -> i64 {
        let dims = function
            .dims
            .iter()
            .map(|name| values.get(name).unwrap_or(1));
        dims.fold(1i64, i64::saturating_mul)
    };
    let cases = [named, designed].map(|cases| {
        let mut cases = cases.to_vec();
        cases.sort_by_key(|values| size(values));
        cases
    });
    let cases = cases.concat();
    // Sizes of 1 tell no axis from another.
    let tells = |values: &&&Values| function.dims.iter().all(|name| values.get(name) != Some(1));
    let told = cases.iter().filter(tells).min_by_key(|values| size(values));
    // Small sizes alone make one chunk of every sequence.
    let mut by_size = cases.clone();
    by_size.sort_by_key(|values| size(values));
    let larger = by_size.get(2 * by_size.len() / 3);
    let others: Vec<&Values> = told.into_iter().chain(larger).copied().collect();
    let mut choices: Vec<(Words, Vec<&Values>)> = Vec::new();
    for &values in &cases {
        let words = words(function, values);
        match choices.iter_mut().find(|(known, _)| *known == words) {
            Some((_, cases)) => cases.push(values),
            None => choices.push((words, vec![values])),
        }
    }
    let mut described = Described {
        function,
        variants: Vec::new(),
    };
    let mut tried = 0;
    for (words, own) in choices {
        if tried == MAX_CHOICES {
            break;
        }
        // Small cases first: what is probed is drawn and computed.
        let probed = |sizes: Option<&&Values>, more: &[&Values]| {
            let own = own.iter().take(1).zip(sizes);
            let small = own.map(|(values, sizes)| sized(values, sizes));
            let mut all = small.chain(more.iter().map(|values| (*values).clone()));
            all.find_map(|values| Some((probe(function, &values)?, values)))
        };
        let telling = || own.iter().filter(tells).min_by_key(|values| size(values));
        let mut sizes = [told, cases.first()].into_iter().filter(|_| tried > 0);
        let fits = sizes.find_map(|sizes| {
            let (found, values) = probed(sizes, telling().map_or(&[], std::slice::from_ref))?;
            let mut variants = described.variants.iter();
            variants.position(|variant| variant.gives(function, &values, &found))
        });
        if let Some(at) = fits {
            described.variants[at].words.push(words);
            tried += 1;
        } else if let Some((found, values)) = probed(cases.first(), &own) {
            let tensors = tensors(function, &values, found, &others);
            let words = vec![words];
            described.variants.push(Variant { words, tensors });
            tried += 1;
        }
    }
    (!described.variants.is_empty()).then_some(described)
}

/// A case with the sizes of another.
fn sized(values: &Values, sizes: &Values) -> Values {
    let pairs = values.iter().map(|(name, value)| {
        let size = sizes.get(name).map(contract::Value::Number);
        let own = matches!(value, contract::Value::Number(_));
        let value = size.filter(|_| own).unwrap_or_else(|| value.clone());
        (name.to_owned(), value)
    });
    Values::new(pairs.collect())
}

/// The words of a case.
type Words = Vec<&'static str>;

/// Of the contract's choices: what a case may leave open changes no tensor's type or shape.
fn words(function: &Function, values: &Values) -> Words {
    let words = function.words.iter();
    words.filter_map(|(name, _)| values.word(name)).collect()
}

/// The tensors of a contract where they are the same.
#[derive(Debug)]
struct Variant {
    /// For these words.
    words: Vec<Words>,
    tensors: Vec<DescribedTensor>,
}

impl Variant {
    /// Whether its formulas give what was found at a case.
    fn gives(&self, function: &Function, values: &Values, probed: &[Probed]) -> bool {
        let same = |(tensor, probed): (&DescribedTensor, &Probed)| {
            let lengths = tensor
                .axes
                .iter()
                .map(|axis| evaluate(function, values, axis.length.as_deref()?));
            let wanted = probed.axes.iter().map(|axis| Some(axis.length));
            // Where K is V only their names tell axes apart.
            let names = tensor.axes.iter().map(|axis| &axis.name);
            let named = names.eq(probed.axes.iter().map(|axis| &axis.name));
            tensor.name == probed.name
                && tensor.element == probed.kind
                && named
                && lengths.eq(wanted)
        };
        self.tensors.len() == probed.len() && self.tensors.iter().zip(probed).all(same)
    }
}

/// What the tensors of a function are, from a case, the same with the sizes of others, and variations of it.
fn tensors(
    function: &Function,
    values: &Values,
    probed: Vec<Probed>,
    others: &[&Values],
) -> Vec<DescribedTensor> {
    let names = |probed: &[Probed]| -> Vec<(String, Vec<String>)> {
        let axes = |tensor: &Probed| tensor.axes.iter().map(|axis| axis.name.clone()).collect();
        let name = |tensor: &Probed| (tensor.name.clone(), axes(tensor));
        probed.iter().map(name).collect()
    };
    let own = names(&probed);
    let sizes = || function.dims.iter().chain(function.integers);
    let mut seen = vec![(values.clone(), probed)];
    let others = others.iter().map(|sizes| sized(values, sizes));
    seen.extend(others.filter_map(|other| {
        let probed = probe(function, &other)?;
        (names(&probed) == own).then_some((other, probed))
    }));
    for name in sizes() {
        // Where a size must fit another, both change.
        let alone = [2, 3].map(|factor| vary(values, &[name], factor));
        let others = sizes().filter(|other| *other != name);
        let pairs = others.map(|other| vary(values, &[name, other], 2));
        let found = alone.into_iter().chain(pairs).filter_map(|varied| {
            let probed = probe(function, &varied)?;
            // Where a size decides over what tensors and axes there are, it says nothing of these.
            (names(&probed) == own).then_some((varied, probed))
        });
        seen.extend(found.take(2).collect::<Vec<_>>());
    }
    let cases: Vec<&Values> = seen.iter().map(|(values, _)| values).collect();
    let terms = Terms::of(function, &cases);
    (0..own.len()).map(|at| tensor(&terms, &seen, at)).collect()
}

fn vary(values: &Values, names: &[&str], factor: i64) -> Values {
    let pairs = values.iter().map(|(known, value)| {
        let value = match value {
            contract::Value::Number(number) if names.contains(&known) => {
                contract::Value::Number(number * factor)
            }
            other => other.clone(),
        };
        (known.to_owned(), value)
    });
    Values::new(pairs.collect())
}

fn tensor(terms: &Terms, seen: &[(Values, Vec<Probed>)], at: usize) -> DescribedTensor {
    let first = &seen[0].1[at];
    let axes = first.axes.iter().enumerate().map(|(n, axis)| {
        let lengths: Option<Vec<i64>> = seen
            .iter()
            .map(|(_, probed)| i64::try_from(probed[at].axes.get(n)?.length).ok())
            .collect();
        DescribedAxis {
            name: axis.name.clone(),
            length: lengths.and_then(|lengths| length(terms, &lengths)),
        }
    });
    let compared = first.compared || !first.parts.is_empty();
    let role = match (first.starts_with_values, first.written, compared) {
        (true, true, _) => Use::InPlace,
        (false, _, _) => Use::Output,
        (true, false, _) if first.offered => Use::Input,
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
fn length(terms: &Terms, wanted: &[i64]) -> Option<String> {
    let first = *wanted.first()?;
    let constant = wanted.iter().all(|length| *length == first);
    if constant && (first <= 4 || terms.order.is_empty()) {
        return Some(first.to_string());
    }
    let found = terms.find(wanted);
    found.or_else(|| constant.then(|| first.to_string()))
}

impl Terms {
    /// What the sizes of a function give in these cases.
    fn of(function: &Function, cases: &[&Values]) -> Terms {
        let sizes = function.dims.iter().chain(function.integers);
        let names: Vec<&str> = sizes.copied().collect();
        let of = |name: &str| -> Vec<i64> {
            let size = |values: &&Values| values.get(name).unwrap_or(1);
            cases.iter().map(size).collect()
        };
        let mut terms = Terms::default();
        // Products of up to five sizes, and twice those, those of fewer first.
        let mut products: Vec<(usize, String, Vec<i64>)> = Vec::new();
        for (n, name) in names.iter().enumerate() {
            products.push((n, (*name).into(), of(name)));
        }
        let (mut from, mut doubled) = (0, Vec::new());
        for _ in 0..5 {
            let end = products.len();
            for at in from..end {
                let (last, formula, values) = products[at].clone();
                terms.add(formula.clone(), values.clone());
                doubled.push((
                    format!("2 * {formula}"),
                    values.iter().map(|value| value.saturating_mul(2)).collect(),
                ));
                for (n, name) in names.iter().enumerate().skip(last) {
                    let product: Vec<i64> = values
                        .iter()
                        .zip(of(name))
                        .map(|(a, b)| a.saturating_mul(b))
                        .collect();
                    products.push((n, format!("{formula} * {name}"), product));
                }
            }
            from = end;
        }
        doubled
            .into_iter()
            .for_each(|(formula, values)| terms.add(formula, values));
        let singles: Vec<(&str, Vec<i64>)> = names.iter().map(|name| (*name, of(name))).collect();
        for (a, x) in &singles {
            for (b, y) in singles
                .iter()
                .filter(|(b, y)| b != a && y.iter().all(|y| *y > 0))
            {
                let up = x.iter().zip(y).map(|(x, y)| (x + y - 1).div_euclid(*y));
                terms.add(format!("ceil({a} / {b})"), up.collect());
                let whole = x.iter().zip(y).all(|(x, y)| x % y == 0);
                if whole {
                    terms.add(
                        format!("{a} / {b}"),
                        x.iter().zip(y).map(|(x, y)| x / y).collect(),
                    );
                }
            }
            terms.add(
                format!("ceil({a} / 64)"),
                x.iter().map(|x| (x + 63).div_euclid(64)).collect(),
            );
            for by in [1, -1] {
                let sign = if by > 0 { '+' } else { '-' };
                terms.add(format!("{a} {sign} 1"), x.iter().map(|x| x + by).collect());
            }
        }
        terms
    }
}

/// Formulas by what they give in each case.
#[derive(Default)]
struct Terms {
    known: HashMap<Vec<i64>, String>,
    order: Vec<(String, Vec<i64>)>,
}

impl Terms {
    fn add(&mut self, formula: String, values: Vec<i64>) {
        self.known
            .entry(values.clone())
            .or_insert_with(|| formula.clone());
        self.order.push((formula, values));
    }

    /// A term, or the sum of two.
    fn find(&self, wanted: &[i64]) -> Option<String> {
        if let Some(term) = self.known.get(wanted) {
            return Some(term.clone());
        }
        self.order.iter().find_map(|(formula, values)| {
            let rest: Vec<i64> = wanted
                .iter()
                .zip(values)
                .map(|(want, value)| want - value)
                .collect();
            Some(format!("{formula} + {}", self.known.get(&rest)?))
        })
    }
}

fn evaluate(function: &Function, values: &Values, formula: &str) -> Option<usize> {
    let scope = Scope::new(function, values, &[], &[]);
    let value = scope.number(&parse(formula).ok()?).ok()?;
    usize::try_from(value.integer().ok()?).ok()
}

impl Described {
    /// Its tensors in the first of the choices of words, in the order in which the function makes them.
    pub fn tensors(&self) -> &[DescribedTensor] {
        self.variants
            .first()
            .map_or(&[], |variant| &variant.tensors)
    }

    /// Tensors that are otherwise for other words: those words, and the tensors.
    pub fn others(&self) -> impl Iterator<Item = (&[&'static str], Vec<&DescribedTensor>)> {
        self.variants.iter().skip(1).map(|variant| {
            let differs = |tensor: &&DescribedTensor| {
                let first = self
                    .tensors()
                    .iter()
                    .find(|first| first.name == tensor.name);
                first.is_none_or(|first| first.axes != tensor.axes)
            };
            let words = variant.words.first().map_or(&[][..], |words| words);
            (words, variant.tensors.iter().filter(differs).collect())
        })
    }

    /// The words of cases whose tensors are known, one for each of the contract's choices.
    pub fn choices(&self) -> impl Iterator<Item = &[&'static str]> {
        self.variants
            .iter()
            .flat_map(|variant| variant.words.iter().map(Vec::as_slice))
    }

    /// The tensors at a case; nothing where its words are not known.
    pub fn tensors_at(&self, values: &Values) -> Option<&[DescribedTensor]> {
        self.variant(values).map(|variant| &variant.tensors[..])
    }

    fn variant(&self, values: &Values) -> Option<&Variant> {
        let wanted = words(self.function, values);
        self.variants
            .iter()
            .find(|variant| variant.words.contains(&wanted))
    }

    /// The tensors at a case, in the contract's types and order; none where the length of an axis is not known.
    pub fn shapes(&self, values: &Values) -> Option<Vec<Shape>> {
        let shape = |tensor: &DescribedTensor| {
            let axes: Option<Vec<Side>> = tensor
                .axes
                .iter()
                .map(|axis| {
                    let symbol = axis.length.clone()?;
                    let length = evaluate(self.function, values, &symbol)?;
                    Some(Side {
                        name: axis.name.clone(),
                        symbol,
                        length,
                    })
                })
                .collect();
            let axes = axes?;
            let lengths: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
            Some(Shape {
                name: tensor.name.clone(),
                kind: tensor.element,
                layout: Layout::plain(&lengths),
                axes,
                scalar: None,
            })
        };
        self.variant(values)?.tensors.iter().map(shape).collect()
    }

    /// The length of an axis at a case, as a formula.
    pub fn symbol(&self, values: &Values, tensor: &str, axis: usize) -> Option<&str> {
        let tensors = self
            .variant(values)
            .map_or(self.tensors(), |variant| &variant.tensors);
        let tensor = tensors.iter().find(|known| known.name == tensor)?;
        tensor.axes.get(axis)?.length.as_deref()
    }

    /// The outputs, and what is updated in place.
    pub fn outputs(&self) -> Vec<&str> {
        let compared =
            |tensor: &&DescribedTensor| matches!(tensor.role, Use::Output | Use::InPlace);
        self.tensors()
            .iter()
            .filter(compared)
            .map(|tensor| tensor.name.as_str())
            .collect()
    }
}
