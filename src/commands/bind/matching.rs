//! Arguments matched with what a contract hands over: by name, by what the built-in kernels of the contract are handed, and where
//! nothing else is left.

use std::collections::BTreeSet;

use super::names;
use super::offer::Offer;
use super::source::{Argument, Holds};
use crate::binding::{DescribedTensor, TensorUse};

/// The tensor, size or formula that an argument is matched with.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The argument in a binding.
    pub text: String,
    /// The reason if it is a guess; none if the names are the same.
    pub guess: Option<&'static str>,
    /// The tensor that it is the address of.
    pub tensor: Option<String>,
    /// The difference of the names: 0 if they are equal; nothing if the names say nothing.
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
    /// Matches the arguments of one kernel, structures taken apart. `scratch` are names of tensors that kernels hand to each other,
    /// `spelled` all names of the arguments of these kernels.
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

    /// Pointers that are called like tensors.
    fn tensors(&mut self, level: u32) {
        for at in self.open(is_pointer) {
            let name = self.leaves[at].name.as_str();
            let offer = self.offer;
            let mut tensors = offer.pointers.iter().filter(|(tensor, _)| {
                names::tensors(name, &tensor.name) == Some(level)
                    && !self.claimed(&tensor.name)
                    && (level == 0 || self.fits(at, tensor))
                    // Another argument is called so to the letter.
                    && (level == 0 || !self.spelled.contains(tensor.name.as_str()))
            });
            if let Some((tensor, text)) = tensors.next() {
                let tensor = Some(tensor.name.clone());
                self.set(at, text.clone(), why(level), tensor, Some(level));
            }
        }
    }

    /// Numbers that are called like sizes.
    fn sizes(&mut self, level: u32) {
        for at in self.open(is_number) {
            let leaf = self.leaves[at];
            let whole = !matches!(&leaf.holds, Holds::Number(Some(kind)) if kind.contains('f'));
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

    /// The token of a launch, where there is one for each: called as the built-in kernels' launches call it, or so that it means one.
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

    /// Numbers whose name is a word of a formula that the built-in kernels are handed.
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

    /// Matches the arguments and tensors that are left, where there are as many of both.
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
                self.open(|leaf| matches!(&leaf.holds, Holds::Number(Some(kind)) if of(kind)));
            let numbers = self.offer.numbers.iter();
            let left = numbers.filter(|(kind, formula)| of(kind) && !self.says(formula));
            let left: Vec<(String, String)> = left.cloned().collect();
            // A number of another width than the built-in kernels take is another number.
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

    /// Arguments of a sort that are matched with nothing yet.
    fn open(&self, sort: impl Fn(&Argument) -> bool) -> Vec<usize> {
        let open = |at: &usize| self.found[*at].is_none() && sort(self.leaves[*at]);
        (0..self.leaves.len()).filter(open).collect()
    }

    /// True if anything tells the names of this kernel's arguments.
    fn named(&self) -> bool {
        self.leaves.iter().any(|leaf| !leaf.name.is_empty())
    }

    fn claimed(&self, tensor: &str) -> bool {
        let claims = |found: &Match| found.tensor.as_deref() == Some(tensor);
        self.found.iter().flatten().any(claims)
    }

    /// True if an argument is this formula already.
    fn says(&self, formula: &str) -> bool {
        let says = |found: &Match| {
            let formula_of = found.text.split_once(' ').map(|(_, formula)| formula);
            formula_of == Some(formula)
        };
        self.found.iter().flatten().any(says)
    }

    fn writable(&self, at: usize) -> Option<bool> {
        match self.leaves[at].holds {
            Holds::Pointer { writable } => writable,
            _ => None,
        }
    }

    /// True if a kernel may do with this pointer what the tensor is for.
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
    matches!(leaf.holds, Holds::Pointer { .. })
}

fn is_number(leaf: &Argument) -> bool {
    matches!(leaf.holds, Holds::Number(_))
}

/// The type of a number: as the source has it, or of its size with the first letter of a usual type.
fn kind(leaf: &Argument, usual: &str) -> String {
    match &leaf.holds {
        Holds::Number(Some(kind)) => (*kind).to_owned(),
        _ => format!("{}{}", &usual[..1], 8 * leaf.size),
    }
}

/// True if a number may be of a type: whole or not, as far as the source tells.
fn of_kind(leaf: &Argument, wanted: &str) -> bool {
    match &leaf.holds {
        Holds::Number(Some(kind)) => kind.contains('f') == wanted.contains('f'),
        _ => true,
    }
}
