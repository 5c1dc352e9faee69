//! Discovery of a contract's tensors from runs of its function at small sizes.
//!
//! The function draws and allocates at a few cases whose sizes differ one by one. The lengths of an axis at these cases
//! show which formula the axis follows: `K`, `T * HV`, `ceil(T / C)`. Nothing is launched.
//!
//! Each combination of the contract's choices is described separately when a case first asks for the combination,
//! because an axis may stand elsewhere, and mean something else, under other choices.

mod terms;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use super::formula::parse;
use super::scope::{Scope, TensorAxis, TensorShape};
use crate::contract::{self, Factor, Function, TensorProbe, Values, probe};
use crate::tensor::{Axis, ElementKind};
use terms::{Terms, length};

/// A contract's tensors.
#[derive(Debug)]
pub struct ContractTensors {
    /// The contract.
    pub function: &'static Function,
    /// The contract's combinations of choices. The combinations of the cases that it was first described for come
    /// first.
    combinations: Vec<Words>,
    /// Tensors of the first combination that the contract takes. They stand for the contract where a caller asks about
    /// no case.
    first: Tensors,
    /// Descriptions by combination, each made when a case first asks for it.
    known: Mutex<BTreeMap<Words, Forms>>,
}

/// The words of a case, one for each of the contract's choices.
type Words = Vec<&'static str>;

/// The tensors of a contract under one combination of its choices.
type Tensors = Arc<[DescribedTensor]>;

/// The forms that the tensors of a combination have, the usual one first; empty if the contract does not take the
/// combination. Sizes may decide which axes there are: whole chunks may have an axis of their own.
type Forms = Arc<[Tensors]>;

/// The role of a tensor in a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TensorUse {
    /// An input that kernels read.
    Input,
    /// An input that only the references know.
    Hidden,
    /// An output that kernels write and that is compared.
    Output,
    /// A tensor that starts with values, is written by kernels in part, and is compared.
    InPlace,
}

/// A tensor of a contract.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedTensor {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: TensorUse,
    /// The type of its elements.
    #[serde(serialize_with = "kind_name")]
    pub element: ElementKind,
    /// Its axes, outermost first.
    pub axes: Vec<DescribedAxis>,
    /// The distribution that it is drawn from; none if it follows from other tensors.
    pub values: Option<String>,
    /// The outputs that it holds as parts; empty if the whole tensor is one output.
    pub parts: Vec<String>,
    /// Its element, if it is an input of one element, which is the same in all cases.
    #[serde(skip)]
    pub scalar: Option<f64>,
}

/// An axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DescribedAxis {
    /// The name that reports use.
    pub name: String,
    /// Its length as a formula over the sizes of a case; none if no formula fits.
    pub length: Option<String>,
}

fn kind_name<S: serde::Serializer>(kind: &ElementKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.name())
}

/// Describes the tensors of a contract. The cases decide which combination of choices comes first: the combination of
/// the smallest named case, then those of designed cases. The description of one combination does not depend on the
/// cases.
pub fn describe(
    function: &'static Function,
    named: &[&Values],
    designed: &[&Values],
) -> Option<ContractTensors> {
    let size = |values: &&&Values| -> i64 {
        let dims = function.dims.iter();
        let sizes = dims.map(|name| values.get(name).unwrap_or(1));
        sizes.fold(1i64, i64::saturating_mul)
    };
    let mut combinations: Vec<Words> = Vec::new();
    let mut add = |words: Words| {
        if !combinations.contains(&words) {
            combinations.push(words);
        }
    };
    for cases in [named, designed] {
        let mut cases: Vec<&&Values> = cases.iter().collect();
        cases.sort_by_key(size);
        cases.iter().for_each(|values| add(words(function, values)));
    }
    products(function.words.iter().map(|(_, words)| *words))
        .into_iter()
        .for_each(&mut add);
    let mut known = BTreeMap::new();
    let first = combinations.iter().find_map(|words| {
        let forms = combination(function, words);
        known.insert(words.clone(), Arc::clone(&forms));
        forms.first().cloned()
    })?;
    Some(ContractTensors {
        function,
        combinations,
        first,
        known: Mutex::new(known),
    })
}

/// Returns the Cartesian product of the lists; the last list counts fastest.
fn products<'a, T: Copy + 'a>(lists: impl Iterator<Item = &'a [T]>) -> Vec<Vec<T>> {
    lists.fold(vec![Vec::new()], |some, list| {
        let longer = |one: Vec<T>| list.iter().map(move |last| [&one[..], &[*last]].concat());
        some.into_iter().flat_map(longer).collect()
    })
}

/// Returns the combination of choices of a case. A choice that the case leaves open takes the first of its words, as in
/// [`Instance::word`]. Options of a contract's domain change no tensor's type or shape.
///
/// A list of a size of several values counts as the first, because all lists give the same tensors, of other lengths.
///
/// [`Instance::word`]: crate::contract::Instance::word
fn words(function: &Function, values: &Values) -> Words {
    let words = function.words.iter();
    words
        .filter_map(|(name, words)| {
            let own = values.word(name).filter(|_| !function.lists.contains(name));
            own.or_else(|| words.first().copied())
        })
        .collect()
}

/// Returns sizes that tell axes apart: first the smallest levels of the domain that are not 1, then every other level
/// of each factor while the other factors keep theirs.
fn sizes(function: &Function) -> Vec<Vec<(&'static str, i64)>> {
    let factors = || function.domain.factors.iter();
    let set = |factor: &Factor, level: &[i64]| -> Vec<(&'static str, i64)> {
        let names = factor.names().iter().copied();
        names.zip(level.iter().copied()).collect()
    };
    let telling = |factor: &Factor| {
        let levels = factor.levels().into_iter();
        let rank = |level: &&[i64]| {
            let product = level
                .iter()
                .fold(1i64, |all, size| all.saturating_mul(size.abs()));
            (level.contains(&1), product)
        };
        levels.min_by_key(rank).map(|level| set(factor, level))
    };
    let base: Vec<(&'static str, i64)> = factors().filter_map(telling).flatten().collect();
    let mut all = vec![base.clone()];
    for factor in factors() {
        for level in factor.levels() {
            let own = set(factor, level);
            let changed = base.iter().map(|(name, size)| {
                let mut own = own.iter();
                *own.find(|(known, _)| known == name)
                    .unwrap_or(&(*name, *size))
            });
            let changed: Vec<_> = changed.collect();
            if !all.contains(&changed) {
                all.push(changed);
            }
        }
    }
    all
}

fn case(function: &Function, sizes: &[(&'static str, i64)], words: &Words) -> Values {
    let sizes = sizes
        .iter()
        .map(|(name, size)| ((*name).to_owned(), contract::Value::Number(*size)));
    let words = function.words.iter().zip(words);
    let words = words.map(|((name, _), word)| ((*name).to_owned(), contract::Value::Word(word)));
    Values::new(sizes.chain(words).collect())
}

/// Describes the tensors of a contract under a combination of its choices, in each form that they have.
fn combination(function: &Function, words: &Words) -> Forms {
    let mut forms: Vec<Vec<CaseTensors>> = Vec::new();
    let sizes = sizes(function);
    let first = case(function, &sizes[0], words);
    let cases = sizes.iter().map(|sizes| case(function, sizes, words));
    for case in cases.chain(other_lists(function, &first)) {
        let Some(probed) = probe(function, &case) else {
            continue;
        };
        let known = forms.iter_mut().find(|form| alike(&form[0].1, &probed));
        match known {
            Some(form) => form.push((case, probed)),
            None => forms.push(vec![(case, probed)]),
        }
    }
    let tensors = |seen| tensors(function, seen).into();
    forms.into_iter().map(tensors).collect()
}

/// Returns a case with each other list of each size of several values.
fn other_lists<'a>(function: &'a Function, first: &'a Values) -> impl Iterator<Item = Values> + 'a {
    let lists = function.words.iter();
    let lists = lists.filter(|(name, _)| function.lists.contains(name));
    lists.flat_map(move |(name, words)| {
        words.iter().skip(1).map(move |word| {
            let pairs = first.iter().map(|(known, value)| {
                let value = match known == *name {
                    true => contract::Value::Word(word),
                    false => value.clone(),
                };
                (known.to_owned(), value)
            });
            Values::new(pairs.collect())
        })
    })
}

/// A case, and the tensors that a contract has at that case.
type CaseTensors = (Values, Vec<TensorProbe>);

/// Returns true if two cases have the same tensors with the same axes, whatever the lengths.
fn alike(one: &[TensorProbe], other: &[TensorProbe]) -> bool {
    let axes = |tensor: &TensorProbe| tensor.axes.iter().map(|axis| axis.name.clone()).collect();
    let names = |probed: &[TensorProbe]| -> Vec<(String, Vec<String>)> {
        let all = probed.iter();
        all.map(|tensor| (tensor.name.clone(), axes(tensor)))
            .collect()
    };
    names(one) == names(other)
}

/// Describes the tensors of a contract from cases that have the same tensors and axes, and from variations of the first case.
fn tensors(function: &Function, mut seen: Vec<CaseTensors>) -> Vec<DescribedTensor> {
    let (values, own) = seen[0].clone();
    let sizes = || function.dims.iter().chain(function.integers);
    for name in sizes() {
        // Two sizes change together if one of them must fit the other.
        let alone = [2, 3].map(|factor| vary(&values, &[name], factor));
        let others = sizes().filter(|other| *other != name);
        let pairs = others.map(|other| vary(&values, &[name, other], 2));
        let found = alone.into_iter().chain(pairs).filter_map(|varied| {
            let probed = probe(function, &varied)?;
            alike(&own, &probed).then_some((varied, probed))
        });
        seen.extend(found.take(2).collect::<Vec<_>>());
    }
    let cases: Vec<&Values> = seen.iter().map(|(values, _)| values).collect();
    let terms = Terms::of(function, &cases);
    let tensor = |at| tensor((function, &terms), &seen, at);
    (0..own.len()).map(tensor).collect()
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

fn tensor(
    (function, terms): (&Function, &Terms),
    seen: &[(Values, Vec<TensorProbe>)],
    at: usize,
) -> DescribedTensor {
    let first = &seen[0].1[at];
    let axes = first.axes.iter().enumerate().map(|(n, axis)| {
        // A custom contract names an axis by the formula of its length.
        let is_formula = function.is_custom()
            && seen.iter().all(|(values, probed)| {
                let length = probed[at].axes.get(n).map(|axis| axis.length);
                length.is_some() && evaluate(function, values, &axis.name) == length
            });
        let lengths: Option<Vec<i64>> = seen
            .iter()
            .map(|(_, probed)| i64::try_from(probed[at].axes.get(n)?.length).ok())
            .collect();
        DescribedAxis {
            name: axis.name.clone(),
            length: match is_formula {
                true => Some(axis.name.clone()),
                false => lengths.and_then(|lengths| length(terms, &lengths)),
            },
        }
    });
    let compared = first.compared || !first.parts.is_empty();
    let role = match (first.starts_with_values, first.written, compared) {
        (true, true, _) => TensorUse::InPlace,
        (false, _, _) => TensorUse::Output,
        (true, false, _) if first.offered => TensorUse::Input,
        (true, false, _) => TensorUse::Hidden,
    };
    DescribedTensor {
        name: first.name.clone(),
        role,
        element: first.kind,
        axes: axes.collect(),
        values: first.values.clone(),
        parts: first.parts.clone(),
        scalar: first.scalar.filter(|_| {
            seen.iter()
                .all(|(_, probed)| probed[at].scalar == first.scalar)
        }),
    }
}

/// Returns true if two lists of tensors have the same names, element types and axes, whatever their roles and values.
fn same_axes(one: &[DescribedTensor], other: &[DescribedTensor]) -> bool {
    let axes = |tensors: &[DescribedTensor]| -> Vec<(String, ElementKind, Vec<DescribedAxis>)> {
        let tensors = tensors.iter();
        tensors
            .map(|tensor| (tensor.name.clone(), tensor.element, tensor.axes.clone()))
            .collect()
    };
    axes(one) == axes(other)
}

fn evaluate(function: &Function, values: &Values, formula: &str) -> Option<usize> {
    let scope = Scope::new(function, values, &[], &[]);
    let value = scope.number(&parse(formula).ok()?).ok()?;
    usize::try_from(value.integer().ok()?).ok()
}

impl ContractTensors {
    /// Returns the tensors of the first combination of choices, in the order in which the function makes them. They
    /// stand for the contract where a caller asks about no case.
    pub fn tensors(&self) -> &[DescribedTensor] {
        &self.first
    }

    /// Returns each differing list of tensors under other choices, with the first combination that has the list.
    pub fn others(&self) -> Vec<(Words, Vec<DescribedTensor>)> {
        let mut seen = vec![Arc::clone(&self.first)];
        let mut others = Vec::new();
        for words in &self.combinations {
            let forms = self.of(words);
            let Some(tensors) = forms.first() else {
                continue;
            };
            if seen.iter().any(|known| same_axes(known, tensors)) {
                continue;
            }
            let differs = |tensor: &&DescribedTensor| {
                let mut first = self.tensors().iter();
                let first = first.find(|first| first.name == tensor.name);
                first.is_none_or(|first| first.axes != tensor.axes)
            };
            let differing = tensors.iter().filter(differs).cloned().collect();
            others.push((words.clone(), differing));
            seen.push(Arc::clone(tensors));
        }
        others
    }

    /// Returns the tensors that the first combination lacks, each as the first combination that has it describes it. Combinations without
    /// such a tensor are not described.
    pub fn of_other_choices(&self) -> Vec<DescribedTensor> {
        let mut more: Vec<DescribedTensor> = Vec::new();
        for words in &self.combinations {
            let mut sizes = sizes(self.function).into_iter();
            let usual = sizes.find_map(|sizes| {
                let case = case(self.function, &sizes, words);
                probe(self.function, &case)
            });
            let is_known = |name: &str| {
                let mut known = self.first.iter().chain(&more);
                known.any(|tensor| tensor.name == name)
            };
            if usual.iter().flatten().all(|probed| is_known(&probed.name)) {
                continue;
            }
            let forms = self.of(words);
            let tensors = forms.iter().take(1).flat_map(|usual| usual.iter());
            let new: Vec<DescribedTensor> = tensors
                .filter(|tensor| !is_known(&tensor.name))
                .cloned()
                .collect();
            more.extend(new);
        }
        more
    }

    /// Returns the combinations of choices that the contract takes: a word for each choice.
    pub fn choices(&self) -> impl Iterator<Item = &[&'static str]> {
        let all = self.combinations.iter();
        all.filter(|words| !self.of(words).is_empty())
            .map(Vec::as_slice)
    }

    /// Returns the tensors under the choices of a case in their usual form; none if the contract does not take these
    /// choices.
    pub fn tensors_at(&self, values: &Values) -> Option<Tensors> {
        self.at(values).first().cloned()
    }

    fn at(&self, values: &Values) -> Forms {
        self.of(&words(self.function, values))
    }

    fn of(&self, words: &Words) -> Forms {
        // A panic while another thread described a combination leaves the map intact, so a poisoned lock is harmless.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(words) {
            return Arc::clone(found);
        }
        let found = combination(self.function, words);
        known.insert(words.clone(), Arc::clone(&found));
        found
    }

    /// Returns the shapes of the tensors at a case, in the contract's types and order; none if the contract does not
    /// take the case.
    pub fn shapes(&self, values: &Values) -> Option<Vec<TensorShape>> {
        self.by_formulas(values).or_else(|| {
            let probed = probe(self.function, values)?;
            let shape = |tensor: &TensorProbe| {
                let axes = self.axes(values, &tensor.name, &tensor.axes);
                TensorShape {
                    numbers: tensor.numbers.clone(),
                    scalar: tensor.scalar,
                    ..TensorShape::plain(&tensor.name, tensor.kind, axes)
                }
            };
            Some(probed.iter().map(shape).collect())
        })
    }

    /// Returns the shapes that formulas give; none if a length has no formula, if sizes decide which form applies, or if there are whole
    /// numbers, whose values formulas of bindings may take.
    fn by_formulas(&self, values: &Values) -> Option<Vec<TensorShape>> {
        let forms = self.at(values);
        let [tensors] = &forms[..] else {
            return None;
        };
        let has_numbers = |tensor: &DescribedTensor| {
            tensor.role != TensorUse::Output && !tensor.element.is_float()
        };
        if tensors.iter().any(has_numbers) {
            return None;
        }
        let shape = |tensor: &DescribedTensor| {
            let axis = |axis: &DescribedAxis| {
                let symbol = axis.length.as_deref()?;
                let length = evaluate(self.function, values, symbol)?;
                Some(TensorAxis {
                    name: axis.name.clone(),
                    symbol: symbol.to_owned(),
                    length,
                })
            };
            let axes = tensor
                .axes
                .iter()
                .map(axis)
                .collect::<Option<Vec<TensorAxis>>>()?;
            Some(TensorShape {
                scalar: tensor.scalar,
                ..TensorShape::plain(&tensor.name, tensor.element, axes)
            })
        };
        tensors.iter().map(shape).collect()
    }

    /// Returns the axes of a tensor at a case with their symbols, which are their lengths as formulas. An axis has no symbol if the
    /// contract has no such tensor or axis under the choices of the case, or if the formula does not give the axis's length.
    pub fn axes(&self, values: &Values, tensor: &str, axes: &[Axis]) -> Vec<TensorAxis> {
        let forms = self.at(values);
        let names = || axes.iter().map(|axis| &axis.name);
        let mut named = forms.iter().flat_map(|tensors| tensors.iter());
        let found = named.find(|known| {
            known.name == tensor && known.axes.iter().map(|axis| &axis.name).eq(names())
        });
        let symbol = |(at, axis): (usize, &Axis)| {
            let symbol = found?.axes[at].length.as_deref()?;
            let length = evaluate(self.function, values, symbol)?;
            (length == axis.length).then(|| symbol.to_owned())
        };
        let sides = axes.iter().enumerate().map(|(at, axis)| TensorAxis {
            name: axis.name.clone(),
            symbol: symbol((at, axis)).unwrap_or_default(),
            length: axis.length,
        });
        sides.collect()
    }

    /// Returns the names of the outputs at a case, tensors updated in place among them.
    pub fn outputs(&self, values: &Values) -> Vec<String> {
        let compared = |tensor: &&DescribedTensor| {
            matches!(tensor.role, TensorUse::Output | TensorUse::InPlace)
        };
        self.names(values, compared)
    }

    /// Returns the names of the tensors at a case that kernels write and that hold states of the rule. A state has a
    /// row for each key channel and a column for each value channel, or has "state" in its name.
    pub fn states(&self, values: &Values) -> Vec<String> {
        self.names(values, |tensor| {
            let has = |name: &str| tensor.axes.iter().any(|axis| axis.name == name);
            let mut names = std::iter::once(&tensor.name).chain(&tensor.parts);
            let state = has("key channel") && has("value channel")
                || names.any(|name| name.contains("state"));
            state && matches!(tensor.role, TensorUse::Output | TensorUse::InPlace)
        })
    }

    /// Returns the inputs that have the same axes as an output. The output's buffer may begin as a copy of one of them.
    pub fn beginnings(&self, values: &Values, output: &str) -> Vec<String> {
        let tensors = self.tensors_at(values);
        let tensors = tensors.as_deref().unwrap_or_default();
        let of = tensors.iter().find(|tensor| tensor.name == output);
        let axes = of.map(|tensor| &tensor.axes[..]).unwrap_or_default();
        self.names(values, |tensor| {
            tensor.role == TensorUse::Input && !axes.is_empty() && tensor.axes == axes
        })
    }

    fn names(&self, values: &Values, wanted: impl Fn(&&DescribedTensor) -> bool) -> Vec<String> {
        let tensors = self.tensors_at(values);
        let tensors = tensors.as_deref().unwrap_or_default().iter();
        tensors
            .filter(wanted)
            .map(|tensor| tensor.name.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests;
