//! Arguments matched with what a contract hands over: by name, by the formulas that its built-in kernels take, and at last by order.

use std::collections::BTreeSet;

use super::names;
use super::offer::Offer;
use super::source::{Argument, Contents};
use crate::binding::{DescribedTensor, TensorUse};

/// The tensor, size or formula that an argument is matched with.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The argument as a binding has it.
    pub text: String,
    /// The reason for a guess; none if the names are equal, or the tensor is scratch.
    pub guess: Option<&'static str>,
    /// The tensor of the contract whose address the argument is.
    pub tensor: Option<String>,
    /// The level of [`names::tensors`] at which the names match, 0 for equal names; none if the match is not by name.
    pub likeness: Option<u32>,
}

const SPELLED: &str = "by its name but for its spelling";
const MEANING: &str = "by the meaning of its name";
const BEGINNING: &str = "by the beginning of its name";
const ONLY: &str = "nothing else is left";
const ORDER: &str = "by order";
const WORDS: &str = "by a word in its name";
/// The name of the token that a launch is for.
pub const TOKEN: &str = "t";

impl Offer<'_> {
    /// Matches the arguments of one kernel, with members in place of structures. `scratch` are the names of tensors that kernels hand to
    /// each other, `spelled` the names of all arguments of the kernels that are bound together.
    pub fn matches(
        &self,
        leaves: &[&Argument],
        scratch: &BTreeSet<&str>,
        spelled: &BTreeSet<&str>,
    ) -> Vec<Option<Match>> {
        let mut matcher = Matcher {
            offer: self,
            leaves,
            spelled,
            found: vec![None; leaves.len()],
        };
        matcher.scratch(scratch);
        matcher.token(true);
        for level in 0..=3 {
            matcher.tensors(level);
            matcher.sizes(level);
        }
        matcher.token(false);
        matcher.formulas();
        matcher.rest();
        matcher.found
    }
}

/// The arguments of one kernel, and what they are matched with so far.
struct Matcher<'m> {
    offer: &'m Offer<'m>,
    leaves: &'m [&'m Argument],
    spelled: &'m BTreeSet<&'m str>,
    found: Vec<Option<Match>>,
}

impl Matcher<'_> {
    fn scratch(&mut self, scratch: &BTreeSet<&str>) {
        for at in 0..self.leaves.len() {
            let name = self.leaves[at].name.as_str();
            if is_pointer(self.leaves[at]) && scratch.contains(name) {
                self.set(at, name.to_owned(), None, None, None);
            }
        }
    }

    /// Matches pointers that are named like tensors.
    fn tensors(&mut self, level: u32) {
        for at in self.open(is_pointer) {
            let name = self.leaves[at].name.as_str();
            let offer = self.offer;
            let mut tensors = offer.pointers.iter().filter(|(tensor, _)| {
                names::tensors(name, &tensor.name) == Some(level)
                    && !self.claimed(&tensor.name)
                    && (level == 0 || self.fits(at, tensor))
                    // An argument with exactly this name goes before.
                    && (level == 0 || !self.spelled.contains(tensor.name.as_str()))
            });
            if let Some((tensor, text)) = tensors.next() {
                let tensor = Some(tensor.name.clone());
                self.set(at, text.clone(), why(level), tensor, Some(level));
            }
        }
    }

    /// Matches numbers that are named like sizes.
    fn sizes(&mut self, level: u32) {
        for at in self.open(is_number) {
            let leaf = self.leaves[at];
            let whole = !matches!(&leaf.holds, Contents::Number(Some(kind)) if kind.contains('f'));
            let mut sizes = self.offer.sizes.iter().filter(|size| {
                names::sizes(&leaf.name, size) == Some(level)
                    && !self.says(size)
                    && (level == 0 || !self.spelled.contains(*size))
            });
            if let Some(size) = sizes.next().filter(|_| whole) {
                let text = format!("{} {size}", kind(leaf, "i"));
                self.set(at, text, why(level), None, Some(level));
            }
        }
    }

    /// Matches the token of a launch, for contracts of `T` tokens: with `exact` an argument with the name of the built-in launches' loop
    /// variable, without it any name that people give a token.
    fn token(&mut self, exact: bool) {
        let tokens = self.offer.sizes.contains(&"T");
        for at in self.open(is_number) {
            let leaf = self.leaves[at];
            let whole = matches!(kind(leaf, "i").as_str(), "i32" | "u32" | "i64" | "u64");
            let named = match exact {
                true => leaf.name == TOKEN && self.offer.tokens.contains(&leaf.name),
                false => names::is_token(&leaf.name),
            };
            if tokens && whole && named && !self.says(TOKEN) {
                let text = format!("{} {TOKEN}", kind(leaf, "i"));
                self.set(at, text, Some(MEANING), None, Some(2));
            }
        }
    }

    /// Matches numbers whose name is a word of a formula that the built-in kernels take.
    fn formulas(&mut self) {
        for at in self.open(is_number) {
            let leaf = self.leaves[at];
            let scale = names::is_scale(&leaf.name);
            let numbers = &self.offer.numbers;
            let mut fits = numbers.iter().filter(|(kind, formula)| {
                let root = formula.contains("sqrt") || formula == "scale";
                let named = names::mentions(formula, &leaf.name);
                of_kind(leaf, kind) && (named || (scale && root)) && !self.says(formula)
            });
            if let Some((number, formula)) = fits.next() {
                let text = format!("{} {formula}", kind(leaf, number));
                let why = if scale { MEANING } else { WORDS };
                self.set(at, text, Some(why), None, Some(2));
            }
        }
    }

    /// Matches the arguments and tensors that are left by order, if there are as many of both; then the numbers.
    fn rest(&mut self) {
        for writable in [Some(true), Some(false), None] {
            let open = self.open(is_pointer);
            let own = |at: &usize| self.writable(*at) == writable;
            let open: Vec<usize> = open.into_iter().filter(own).collect();
            let free = |(tensor, _): &&(DescribedTensor, String)| {
                let output = matches!(tensor.role, TensorUse::Output | TensorUse::InPlace);
                let role = writable.map_or(tensor.role != TensorUse::Hidden, |writable| {
                    if writable {
                        output
                    } else {
                        tensor.role == TensorUse::Input
                    }
                });
                role && !self.claimed(&tensor.name)
            };
            let left = self.offer.pointers.iter().filter(free);
            let left: Vec<(String, String)> = left
                .map(|(tensor, text)| (tensor.name.clone(), text.clone()))
                .collect();
            if open.len() == left.len() && self.named() {
                let why = if open.len() == 1 { ONLY } else { ORDER };
                for (at, (tensor, text)) in open.into_iter().zip(left) {
                    self.set(at, text, Some(why), Some(tensor), None);
                }
            }
        }
        for float in [false, true] {
            let of = |number: &str| number.contains('f') == float;
            let open =
                self.open(|leaf| matches!(&leaf.holds, Contents::Number(Some(kind)) if of(kind)));
            let numbers = self.offer.numbers.iter();
            let left = numbers.filter(|(kind, formula)| of(kind) && !self.says(formula));
            let left: Vec<(String, String)> = left.cloned().collect();
            // A number of another width than the built-in kernels take has another meaning.
            let wide = |at: &usize| matches!(self.leaves[*at].size, 4 | 8);
            let same = |at: &usize| !float || kind(self.leaves[*at], "f") == "f32";
            if open.len() == left.len() && open.iter().all(|at| wide(at) && same(at)) {
                let why = if open.len() == 1 { ONLY } else { ORDER };
                for (at, (number, formula)) in open.into_iter().zip(left) {
                    let text = format!("{} {formula}", kind(self.leaves[at], &number));
                    self.set(at, text, Some(why), None, None);
                }
            }
        }
    }

    fn set(
        &mut self,
        at: usize,
        text: String,
        guess: Option<&'static str>,
        tensor: Option<String>,
        likeness: Option<u32>,
    ) {
        self.found[at] = Some(Match {
            text,
            guess,
            tensor,
            likeness,
        });
    }

    /// Returns the arguments of a sort that are not matched yet.
    fn open(&self, sort: impl Fn(&Argument) -> bool) -> Vec<usize> {
        let open = |at: &usize| self.found[*at].is_none() && sort(self.leaves[*at]);
        (0..self.leaves.len()).filter(open).collect()
    }

    /// True if an argument of this kernel has a name.
    fn named(&self) -> bool {
        self.leaves.iter().any(|leaf| !leaf.name.is_empty())
    }

    fn claimed(&self, tensor: &str) -> bool {
        let claims = |found: &Match| found.tensor.as_deref() == Some(tensor);
        self.found.iter().flatten().any(claims)
    }

    /// True if an argument is matched with this formula.
    fn says(&self, formula: &str) -> bool {
        let says = |found: &Match| {
            let formula_of = found.text.split_once(' ').map(|(_, formula)| formula);
            formula_of == Some(formula)
        };
        self.found.iter().flatten().any(says)
    }

    fn writable(&self, at: usize) -> Option<bool> {
        match self.leaves[at].holds {
            Contents::Pointer { writable } => writable,
            _ => None,
        }
    }

    /// True if the kernel writes through this pointer and the tensor is an output, or neither; or if the source does not tell.
    fn fits(&self, at: usize, tensor: &DescribedTensor) -> bool {
        let output = matches!(tensor.role, TensorUse::Output | TensorUse::InPlace);
        self.writable(at).is_none_or(|writable| writable == output)
    }
}

fn why(level: u32) -> Option<&'static str> {
    match level {
        0 => None,
        1 => Some(SPELLED),
        2 => Some(MEANING),
        _ => Some(BEGINNING),
    }
}

fn is_pointer(leaf: &Argument) -> bool {
    matches!(leaf.holds, Contents::Pointer { .. })
}

fn is_number(leaf: &Argument) -> bool {
    matches!(leaf.holds, Contents::Number(_))
}

/// Returns the type of a number as the source has it, or else the first letter of `usual` with the argument's size.
fn kind(leaf: &Argument, usual: &str) -> String {
    match &leaf.holds {
        Contents::Number(Some(kind)) => (*kind).to_owned(),
        _ => format!("{}{}", &usual[..1], 8 * leaf.size),
    }
}

/// True unless the source has a float where a whole number is wanted, or a whole number for a float.
fn of_kind(leaf: &Argument, wanted: &str) -> bool {
    match &leaf.holds {
        Contents::Number(Some(kind)) => kind.contains('f') == wanted.contains('f'),
        _ => true,
    }
}
