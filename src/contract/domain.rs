//! The domain of a contract: values of its sizes that reveal mistakes, choices that a case may leave open, and excluded
//! combinations.

use std::fmt;

use super::Values;
use super::relation::Relation;

/// A choice's name and words. If a case leaves the choice open, the first word applies.
pub type Choice = (&'static str, &'static [&'static str]);

/// The domain of a contract. With the contract's own words it spans the cases that [`super::design`] chooses from.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// Factors of sizes and whole numbers, with values that can reveal mistakes. Each parameter belongs to one factor.
    pub factors: &'static [Factor],
    /// Input classes besides ordinary values. They are choices that a case may leave open, and kernels need no argument for them.
    pub values: &'static [Choice],
    /// Conventions that a case may leave open. A kernel without an argument for a convention follows its first word.
    pub conventions: &'static [Choice],
    /// Rules that exclude combinations.
    pub rules: &'static [Rule],
    /// Cases whose right output is zeros or a copy of an input. They prove only that the kernel writes its outputs.
    pub uncomputed: &'static [Rule],
    /// Laws that outputs must satisfy independently of the references.
    pub relations: &'static [Relation],
}

/// Parameters that are varied together: a factor, and its levels, in the words of covering arrays.
#[derive(Clone, Copy, Debug)]
pub enum Factor {
    /// A parameter and its values.
    One(&'static str, &'static [i64]),
    /// Several parameters whose values matter only together, such as tokens and the tokens of a chunk, and values for all of them.
    Together(&'static [&'static str], &'static [&'static [i64]]),
}

/// A condition on the parameters of a case.
pub type Predicate = dyn Fn(&Values) -> bool + Sync;

/// An exclusion: cases that the contract does not promise, or that prove nothing.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The parameters that the rule depends on. A rule must exclude nothing if a contract lacks one of them.
    pub of: &'static [&'static str],
    /// The exclusion and its reason.
    pub says: &'static str,
    /// Returns true if the rule excludes the case, judged by these parameters alone.
    pub breaks: &'static Predicate,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.says)
    }
}

impl Domain {
    /// Makes a domain in which all values of the factors may be combined.
    pub const fn of(factors: &'static [Factor]) -> Domain {
        Domain {
            factors,
            values: &[],
            conventions: &[],
            rules: &[],
            uncomputed: &[],
            relations: &[],
        }
    }

    /// Sets the input classes.
    pub const fn values(self, values: &'static [Choice]) -> Domain {
        Domain { values, ..self }
    }

    /// Sets the conventions that a case may leave open.
    pub const fn conventions(self, conventions: &'static [Choice]) -> Domain {
        Domain {
            conventions,
            ..self
        }
    }

    /// Returns the choices that a case may leave open.
    pub fn open(&self) -> impl Iterator<Item = &'static Choice> {
        self.conventions.iter().chain(self.values)
    }

    /// Sets the rules that exclude cases.
    pub const fn without(self, rules: &'static [Rule]) -> Domain {
        Domain { rules, ..self }
    }

    /// Sets the cases whose right output needs no computation, for which the test of tests accepts zeros and copies of inputs.
    pub const fn uncomputed(self, uncomputed: &'static [Rule]) -> Domain {
        Domain { uncomputed, ..self }
    }

    /// Sets the laws that need no reference.
    pub const fn relations(self, relations: &'static [Relation]) -> Domain {
        Domain { relations, ..self }
    }

    /// Returns the first rule that excludes a case.
    pub fn broken(&self, values: &Values) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| (rule.breaks)(values))
    }

    /// Returns true if the right output of a case needs no computation.
    pub fn is_uncomputed(&self, values: &Values) -> bool {
        self.uncomputed.iter().any(|rule| (rule.breaks)(values))
    }
}

impl Factor {
    /// Returns the parameters.
    pub fn names(&self) -> &[&'static str] {
        match self {
            Factor::One(name, _) => std::slice::from_ref(name),
            Factor::Together(names, _) => names,
        }
    }

    /// Returns the parameters' values for each level.
    pub fn levels(&self) -> Vec<&[i64]> {
        match self {
            Factor::One(_, values) => values.iter().map(std::slice::from_ref).collect(),
            Factor::Together(_, levels) => levels.to_vec(),
        }
    }
}
