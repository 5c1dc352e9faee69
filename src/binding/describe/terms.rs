//! Search for a formula over the sizes of a contract that gives the lengths of an axis.

use std::collections::HashMap;

use crate::contract::{Function, Values};

/// Returns a formula that gives these lengths in these cases. Among several, it is the formula that a reader would try
/// first.
pub(super) fn length(terms: &Terms, wanted: &[i64]) -> Option<String> {
    let first = *wanted.first()?;
    let constant = wanted.iter().all(|length| *length == first);
    if constant && (first <= 4 || terms.order.is_empty()) {
        return Some(first.to_string());
    }
    let found = terms.find(wanted);
    found.or_else(|| constant.then(|| first.to_string()))
}

impl Terms {
    /// Enumerates the formulas over the sizes of a function, with their values in these cases.
    pub(super) fn of(function: &Function, cases: &[&Values]) -> Terms {
        let sizes = function.dims.iter().chain(function.integers).copied();
        let derived = function.derived.iter().map(|size| size.name);
        let names: Vec<&str> = sizes.chain(derived).collect();
        let of = |name: &str| -> Vec<i64> {
            let derived = function.derived.iter().find(|size| size.name == name);
            let size = |values: &&Values| {
                let found = values.get(name);
                let found = found.or_else(|| derived.and_then(|size| (size.value)(values)));
                found.unwrap_or(1)
            };
            cases.iter().map(size).collect()
        };
        let mut terms = Terms::default();
        // Products of up to five sizes, and twice these products. Products of fewer sizes come first.
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
            for tile in [64, 256] {
                let up = x.iter().map(|x| (x + tile - 1).div_euclid(tile));
                terms.add(format!("ceil({a} / {tile})"), up.collect());
            }
            for by in [1, -1] {
                let sign = if by > 0 { '+' } else { '-' };
                terms.add(format!("{a} {sign} 1"), x.iter().map(|x| x + by).collect());
            }
        }
        terms
    }
}

/// Formulas, indexed by their values in each case.
#[derive(Default)]
pub(super) struct Terms {
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

    /// Finds a term, or the sum of two terms, that has these values.
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
