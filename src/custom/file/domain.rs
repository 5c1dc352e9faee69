//! Reading the sizes, choices, scalars, excluded cases and listed cases of a contract.

use std::collections::BTreeMap;

use super::{Reader, leaked};
use crate::binding::formula::Trouble;
use crate::binding::{NamedFormula, Scope};
use crate::contract::{Choice, Factor, Function, MAX_ELEMENTS, Rule, Value, Values, list_word};
use crate::custom::declaration::{Declaration, FileFormula, TensorSpec};
use crate::custom::values::Generator;
use crate::document::{
    Complaint, SpannedValue, Table, array, bad, integer, string, unknown, wrong_type,
};

/// The largest size.
const MAX_SIZE: i64 = MAX_ELEMENTS;
/// The most values of all sizes and words of all choices together, which a design combines.
const MAX_LEVELS: usize = 120;
/// The most combinations of sizes that are looked at for one formula.
const MAX_COMBINATIONS: usize = 100_000;

/// The sizes of a contract.
#[derive(Default)]
pub(super) struct Sizes {
    /// Names of the sizes that a case sets.
    pub dims: Vec<&'static str>,
    /// The values of each.
    pub factors: Vec<Factor>,
    /// Sizes of several values, each with its lists as words.
    pub lists: Vec<Choice>,
    /// Sizes that follow from others.
    pub derived: Vec<(String, FileFormula)>,
}

impl Reader<'_, '_> {
    /// Reads the sizes: a list of values, one value, a formula of other sizes, or lists for a size of several values.
    pub(super) fn sizes(&mut self, table: &Table<'_>) -> Sizes {
        let mut sizes = Sizes::default();
        for (name, span, value) in self.entries(table, "sizes") {
            if !self.define(span, &name, "a size") {
                continue;
            }
            if value.get_ref().is_str() {
                sizes
                    .derived
                    .extend(self.formula(value).map(|formula| (name, formula)));
                continue;
            }
            let list = match value.get_ref().as_array() {
                Some(list) => list.iter().collect(),
                None => vec![value],
            };
            if list.iter().any(|value| value.get_ref().is_array()) {
                let words = self.lists(&list);
                sizes.lists.push((leaked(&name), words));
                continue;
            }
            let mut levels: Vec<i64> = Vec::new();
            let none = list.is_empty();
            for value in list {
                match self.size(value) {
                    Some(size) if levels.contains(&size) => self.twice(value, size),
                    Some(size) => levels.push(size),
                    None => {}
                }
            }
            if none {
                self.out.push(bad(
                    value,
                    &format!("the size `{name}` has no values"),
                    "empty",
                    "list values that can reveal mistakes: 1, odd, around a wave of 64",
                ));
            }
            let name = leaked(&name);
            sizes.dims.push(name);
            sizes.factors.push(Factor::One(name, levels.leak()));
        }
        sizes
    }

    /// Reads the lists of a size of several values, each once, as words.
    fn lists(&mut self, lists: &[SpannedValue<'_>]) -> &'static [&'static str] {
        let mut words: Vec<&'static str> = Vec::new();
        for value in lists {
            match self.list(value) {
                Some(list) if words.contains(&list.as_str()) => {
                    self.twice(value, format!("[{}]", list.replace('+', ", ")));
                }
                Some(list) => words.push(leaked(&list)),
                None => {}
            }
        }
        words.leak()
    }

    fn twice(&mut self, value: SpannedValue<'_>, what: impl std::fmt::Display) {
        self.out.push(bad(
            value,
            &format!("the value {what} is listed twice"),
            "the second",
            "list each value once",
        ));
    }

    /// Reads a list of a size of several values as its word. The values may be 0, as of sequences without tokens.
    fn list(&mut self, value: SpannedValue<'_>) -> Option<String> {
        let before = self.out.len();
        let entries = array(value, self.out);
        let mut numbers = Vec::new();
        for entry in entries {
            match integer(entry, self.out) {
                Some(number) if (0..=MAX_SIZE).contains(&number) => numbers.push(number),
                Some(number) => self.out.push(bad(
                    entry,
                    &format!("a length of {number}"),
                    "out of range",
                    &format!("a value of a list is from 0 to {MAX_SIZE}"),
                )),
                None => {}
            }
        }
        if entries.is_empty() && value.get_ref().is_array() {
            self.out.push(bad(
                value,
                "this list has no values",
                "empty",
                "write one value or more: `[1, 64, 3]`",
            ));
        }
        (self.out.len() == before).then(|| list_word(&numbers))
    }

    /// Complains if the domain has more values than a design combines.
    pub(super) fn limit_levels(&mut self, table: &Table<'_>, function: &Function) {
        let sizes = function.domain.factors.iter();
        let sizes: usize = sizes.map(|factor| factor.levels().len()).sum();
        let words: usize = function.choices().map(|(_, words)| words.len()).sum();
        let listed = table.get("cases").is_some();
        if sizes + words > MAX_LEVELS && !listed {
            let span = table
                .get("sizes")
                .map_or(table.span.clone(), |value| value.span());
            self.out.push(Complaint {
                span,
                title: format!(
                    "sizes, choices and classes of values have {} values",
                    sizes + words
                ),
                label: "too many to combine".into(),
                help: format!("list at most {MAX_LEVELS}: the few that can reveal mistakes"),
            });
        }
    }

    fn size(&mut self, value: SpannedValue<'_>) -> Option<i64> {
        let size = integer(value, self.out)?;
        if (1..=MAX_SIZE).contains(&size) {
            return Some(size);
        }
        self.out.push(bad(
            value,
            &format!("a size of {size}"),
            "out of range",
            &format!("a size is from 1 to {MAX_SIZE}"),
        ));
        None
    }

    pub(super) fn choices(&mut self, table: &Table<'_>) -> Vec<Choice> {
        let mut choices = Vec::new();
        for (name, span, value) in self.entries(table, "choices") {
            if !self.define(span, &name, "a choice") {
                continue;
            }
            let mut words: Vec<&'static str> = Vec::new();
            for value in array(value, self.out) {
                let Some(word) = string(value, self.out) else {
                    continue;
                };
                let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
                if !word.chars().all(plain) || words.contains(&word) {
                    self.out.push(bad(
                        value,
                        &format!("`{}` is no word of a choice", word.escape_debug()),
                        "there twice, or with other characters",
                        "use letters, digits, _, - and .",
                    ));
                    continue;
                }
                words.push(leaked(word));
            }
            let empty = value
                .get_ref()
                .as_array()
                .is_some_and(|list| list.is_empty());
            if empty {
                self.out.push(bad(
                    value,
                    &format!("the choice `{name}` has no words"),
                    "empty",
                    "list its words, the usual one first",
                ));
            }
            choices.push((leaked(&name), &*words.leak()));
        }
        choices
    }

    pub(super) fn scalars(&mut self, table: &Table<'_>) -> Vec<(String, f64)> {
        let mut scalars = Vec::new();
        for (name, span, value) in self.entries(table, "scalars") {
            if !self.define(span, &name, "a scalar") {
                continue;
            }
            let text = match (value.get_ref().as_float(), value.get_ref().as_integer()) {
                (Some(float), _) => float.as_str().replace('_', ""),
                (None, Some(_)) => match integer(value, self.out) {
                    Some(number) => number.to_string(),
                    None => continue,
                },
                (None, None) => {
                    self.out.push(wrong_type(value, "a number"));
                    continue;
                }
            };
            // Kernels take a scalar as f32.
            let number = text.parse::<f64>().ok();
            match number.filter(|number| (*number as f32).is_finite()) {
                Some(number) => scalars.push((name, number)),
                None => self.out.push(bad(
                    value,
                    &format!("`{name}` is {text}"),
                    "not finite in f32",
                    "write a number that f32 holds",
                )),
            }
        }
        scalars
    }

    /// Reads the formulas of excluded cases, and adds the exclusion of tensors that are too large. Checks that every other
    /// combination of sizes gives each axis a length.
    pub(super) fn rules(
        &mut self,
        table: &Table<'_>,
        declaration: &'static Declaration,
        function: &'static Function,
    ) -> Option<Vec<Rule>> {
        let before = self.out.len();
        let mut rules = self.conditions("excludes", table, declaration, function, &[])?;
        for (_, derived) in &declaration.derived {
            let of = self.parameters_of(&[derived], declaration, function)?;
            let check = |scope: &Scope<'_>| Declaration::length(scope, derived).map(drop);
            self.check_combinations(&of, function, derived, check, declaration, &rules)?;
        }
        for tensor in &declaration.tensors {
            let placed: Vec<&FileFormula> = tensor.axes.iter().map(|(_, placed)| placed).collect();
            let mut bounds = Vec::new();
            for class in &tensor.classes {
                for formula in class.generator.formulas() {
                    bounds.push(FileFormula {
                        span: tensor.values_span.clone(),
                        formula: formula.clone(),
                    });
                }
            }
            let all: Vec<&FileFormula> = placed.iter().copied().chain(&bounds).collect();
            let of = self.parameters_of(&all, declaration, function)?;
            for placed in placed {
                self.check_combinations(
                    &of,
                    function,
                    placed,
                    |scope| Declaration::length(scope, placed).map(drop),
                    declaration,
                    &rules,
                )?;
            }
            for bound in &bounds {
                self.check_combinations(
                    &of,
                    function,
                    bound,
                    |scope| {
                        let value = scope.number(&bound.formula)?;
                        value.float().map(drop).map_err(|error| {
                            Trouble::new(&bound.formula.at, error, "write a number")
                        })
                    },
                    declaration,
                    &rules,
                )?;
            }
            for class in &tensor.classes {
                if let Generator::Integers(low, high)
                | Generator::Uniform(low, high)
                | Generator::Walk(low, high) = &class.generator
                {
                    let bounds = FileFormula {
                        span: tensor.values_span.clone(),
                        formula: high.clone(),
                    };
                    let check = |scope: &Scope<'_>| {
                        let [low, high] = [low, high].map(|bound| scope.number(bound));
                        let (low, high) = (low?.float(), high?.float());
                        match low.ok() < high.ok() {
                            true => Ok(()),
                            false => Err(Trouble::new(
                                &bounds.formula.at,
                                "there is no number between these bounds",
                                "write the lower bound first, as in `uniform(0, 1)`",
                            )),
                        }
                    };
                    self.check_combinations(&of, function, &bounds, check, declaration, &rules)?;
                }
            }
            self.check_values(tensor, declaration, function, &rules)?;
            let mut rule = Rule {
                of: of.leak(),
                says: leaked(&format!(
                    "`{}` has more than {MAX_ELEMENTS} elements",
                    tensor.name
                )),
                breaks: Box::leak(Box::new(move |case: &Values| {
                    let lets = declaration.lets();
                    let scope = declaration.scope(function, case, &lets);
                    let lengths = tensor.axes.iter().map(|(_, placed)| {
                        Declaration::length(&scope, placed).map_or(1, |length| length as u128)
                    });
                    lengths.product::<u128>() > MAX_ELEMENTS.unsigned_abs().into()
                })),
            };
            // A rule that excludes none of the listed values concerns cases that are described.
            let cases = combinations(rule.of, function).unwrap_or_default();
            if !cases.iter().any(|case| (rule.breaks)(case)) {
                rule.says = "";
            }
            rules.push(rule);
        }
        (self.out.len() == before).then_some(rules)
    }

    /// Checks that formulas of values give each tensor as many numbers as it has elements.
    fn check_values(
        &mut self,
        tensor: &'static TensorSpec,
        declaration: &'static Declaration,
        function: &'static Function,
        rules: &[Rule],
    ) -> Option<()> {
        let formulas = tensor
            .classes
            .iter()
            .filter_map(|class| match &class.generator {
                Generator::Formula(formula) => Some(formula),
                _ => None,
            });
        for formula in formulas {
            let placed = FileFormula {
                span: tensor.values_span.clone(),
                formula: formula.clone(),
            };
            let earlier = declaration.tensors.iter();
            let earlier: Vec<&TensorSpec> = earlier
                .take_while(|known| known.name != tensor.name)
                .collect();
            let lengths = earlier.iter().copied().chain([tensor]);
            let axes = lengths.flat_map(|tensor| tensor.axes.iter().map(|(_, placed)| placed));
            let all: Vec<&FileFormula> = axes.chain([&placed]).collect();
            let of = self.parameters_of(&all, declaration, function)?;
            let check = |scope: &Scope<'_>| {
                let shapes = declaration.undrawn(&earlier, scope)?;
                let axes = tensor.axes.iter();
                let lengths = axes.map(|(_, placed)| Declaration::length(scope, placed));
                let count = lengths.product::<Result<usize, Trouble>>()?;
                Declaration::made(formula, count, &shapes, scope).map(drop)
            };
            self.check_combinations(&of, function, &placed, check, declaration, rules)?;
        }
        Some(())
    }

    /// Reads a list of conditions on cases.
    pub(super) fn conditions(
        &mut self,
        key: &str,
        table: &Table<'_>,
        declaration: &'static Declaration,
        function: &'static Function,
        excluded: &[Rule],
    ) -> Option<Vec<Rule>> {
        let mut rules: Vec<Rule> = Vec::new();
        let Some(list) = table.get(key) else {
            return Some(rules);
        };
        for value in array(list, self.out) {
            let Some(placed) = self.formula(value) else {
                continue;
            };
            let of = self.parameters_of(&[&placed], declaration, function)?;
            let says = leaked(&string(value, self.out)?.replace('\n', " "));
            let placed: &'static FileFormula = Box::leak(Box::new(placed));
            let check = |scope: &Scope<'_>| {
                let help = "write a condition, such as `K > T`";
                let condition = scope.number(&placed.formula)?.truth();
                let wrong = |error| Trouble::new(&placed.formula.at, error, help);
                condition.map(drop).map_err(wrong)
            };
            let before: Vec<Rule> = excluded.iter().chain(&rules).copied().collect();
            self.check_combinations(&of, function, placed, check, declaration, &before)?;
            rules.push(Rule {
                of: of.leak(),
                says,
                breaks: Box::leak(Box::new(move |case: &Values| {
                    let lets = declaration.lets();
                    let scope = declaration.scope(function, case, &lets);
                    let value = scope.number(&placed.formula).ok();
                    value.and_then(|value| value.truth().ok()).unwrap_or(false)
                })),
            });
        }
        Some(rules)
    }

    /// Returns the sizes and choices that formulas depend on, also through sizes that follow from others.
    fn parameters_of(
        &mut self,
        formulas: &[&FileFormula],
        declaration: &Declaration,
        function: &Function,
    ) -> Option<Vec<&'static str>> {
        let mut names = Vec::new();
        for placed in formulas {
            placed.formula.collect_names(&mut names);
        }
        let mut seen = 0;
        while let Some(name) = names.get(seen).cloned() {
            seen += 1;
            let derived = declaration.derived.iter().find(|(known, _)| *known == name);
            if let Some((_, placed)) = derived {
                let mut more = Vec::new();
                placed.formula.collect_names(&mut more);
                more.retain(|name| !names.contains(name));
                names.append(&mut more);
            }
        }
        let parameters = function
            .sizes()
            .chain(function.choices().map(|(name, _)| *name));
        let of: Vec<&'static str> = parameters
            .filter(|name| names.iter().any(|known| known == name))
            .collect();
        if combinations(&of, function).is_some() {
            return Some(of);
        }
        let span = formulas.first().map_or(0..0, |placed| placed.span.clone());
        self.out.push(Complaint {
            span,
            title: format!(
                "the sizes {} have more than {MAX_COMBINATIONS} combinations",
                of.join(", ")
            ),
            label: "depends on them".into(),
            help: "list fewer values of these sizes".into(),
        });
        None
    }

    /// Tries a formula at every combination of the parameters that no rule excludes.
    fn check_combinations(
        &mut self,
        of: &[&'static str],
        function: &'static Function,
        placed: &FileFormula,
        check: impl Fn(&Scope<'_>) -> Result<(), Trouble>,
        declaration: &Declaration,
        rules: &[Rule],
    ) -> Option<()> {
        for case in combinations(of, function)? {
            // A rule of other parameters as well may exclude some cases of this combination only.
            let excluded = rules
                .iter()
                .any(|rule| rule.of.iter().all(|name| of.contains(name)) && (rule.breaks)(&case));
            if excluded {
                continue;
            }
            let lets: Vec<NamedFormula<'_>> = declaration.lets();
            let scope = declaration.scope(function, &case, &lets);
            if let Err(mut trouble) = check(&scope) {
                let at = case.to_string();
                if !at.is_empty() {
                    trouble.title = format!("{} at {at}", trouble.title);
                }
                self.out.push(self.source.complaint(&placed.span, trouble));
                return None;
            }
        }
        Some(())
    }

    /// Reads the cases that the file lists, if it lists any.
    pub(super) fn cases(
        &mut self,
        table: &Table<'_>,
        function: &'static Function,
    ) -> Option<Vec<Values>> {
        let list = table.get("cases")?;
        let mut cases: Vec<Values> = Vec::new();
        for value in array(list, self.out) {
            let known: Vec<&str> = function
                .sizes()
                .chain(function.choices().map(|(name, _)| *name))
                .collect();
            let Some(entries) = Table::of("case", value, &known, self.out) else {
                continue;
            };
            let optional: Vec<&str> = function.domain.open().map(|(name, _)| *name).collect();
            let mut pairs = Vec::new();
            for name in known {
                let Some(at) = entries.get(name) else {
                    if !optional.contains(&name) {
                        entries.need(name, &format!("`{name} = ...`"), self.out);
                    }
                    continue;
                };
                let choice = function.choices().find(|(choice, _)| *choice == name);
                let read = match choice {
                    None => self.size(at).map(Value::Number),
                    Some((_, words)) => {
                        let word = match function.lists.contains(&name) {
                            true => self.list(at),
                            false => string(at, self.out).map(str::to_owned),
                        };
                        word.and_then(|word| {
                            let found = words.iter().find(|known| **known == word);
                            if found.is_none() {
                                self.out.push(unknown(at.span(), "word", &word, words));
                            }
                            found.map(|word| Value::Word(word))
                        })
                    }
                };
                pairs.extend(read.map(|read| (name.to_owned(), read)));
            }
            let case = Values::new(pairs);
            if let Some(rule) = function.domain.broken(&case) {
                self.out.push(bad(
                    value,
                    "this case is excluded",
                    match rule.says {
                        "" => "a tensor of more than 2^24 elements",
                        says => says,
                    },
                    "leave it out, or change the exclusion",
                ));
            }
            if cases.contains(&case) {
                self.out.push(bad(
                    value,
                    "this case is there twice",
                    "again",
                    "remove one",
                ));
            }
            cases.push(case);
        }
        if cases.is_empty() {
            self.out.push(bad(
                list,
                "there are no cases",
                "empty",
                "list at least one, or leave `cases` out: a design chooses them",
            ));
        }
        Some(cases)
    }
}

/// Returns the values of every combination of some parameters; none if there are too many.
fn combinations(of: &[&'static str], function: &Function) -> Option<Vec<Values>> {
    let mut all: Vec<Vec<(String, Value)>> = vec![Vec::new()];
    let choices: BTreeMap<&str, &[&'static str]> = function.choices().copied().collect();
    for name in of {
        let factor = function
            .domain
            .factors
            .iter()
            .find(|factor| factor.names().contains(name));
        let levels: Vec<Value> = match (factor, choices.get(name)) {
            (Some(factor), _) => factor
                .levels()
                .iter()
                .map(|level| Value::Number(level[0]))
                .collect(),
            (None, Some(words)) => words.iter().map(|word| Value::Word(word)).collect(),
            (None, None) => continue,
        };
        if all.len().saturating_mul(levels.len()) > MAX_COMBINATIONS {
            return None;
        }
        all = all
            .iter()
            .flat_map(|one| {
                levels.iter().map(move |level| {
                    let mut longer = one.clone();
                    longer.push(((*name).to_owned(), level.clone()));
                    longer
                })
            })
            .collect();
    }
    Some(all.into_iter().map(Values::new).collect())
}
