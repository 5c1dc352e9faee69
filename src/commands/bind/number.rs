//! Formulas over the sizes of a case that give a number of a launch: the simplest, and others that are about as simple.

/// Alternatives that a comment names.
pub const LISTED: usize = 3;
/// Costs of formulas that are tried: the lower the cost, the sooner a reader would think of the formula.
pub mod cost {
    pub const SIZE: u32 = 1;
    pub const CONSTANT: u32 = 2;
    pub const PRODUCT: u32 = 3;
    pub const TILES: u32 = 3;
    pub const QUOTIENT: u32 = 4;
    pub const LONG_PRODUCT: u32 = 5;
    pub const OTHER: u32 = 6;
    pub const RARE: u32 = 8;
}
/// Binary logarithms of the tiles that a work-group or a work-item commonly takes.
pub const TILES: std::ops::RangeInclusive<u32> = 1..=12;

/// A formula, and others that give the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The formula as a binding has it.
    pub formula: String,
    /// Other formulas that are about as simple.
    pub others: Vec<String>,
    /// True if no formula gives the number, so that a binding has the number itself.
    pub literal: bool,
    /// The sizes in it.
    pub uses: Vec<String>,
}

/// The text before and behind a size in a formula, and the formula as a function.
type Scale = (&'static str, &'static str, fn(f64) -> f64);

/// The sizes of a case, in the order in which they are tried.
#[derive(Clone, Debug)]
pub struct Terms<'a> {
    /// Names and values.
    pub sizes: Vec<(&'a str, i64)>,
    /// Lengths of the contract's axes. A quotient among them, such as `ceil(T / C)`, is likelier than other quotients of sizes.
    axes: &'a [String],
}

/// A formula and its value.
pub struct Term {
    /// The formula as a binding has it.
    pub formula: String,
    /// The value of the formula.
    pub value: i128,
    /// The cost of the formula: the later a reader would think of it, the higher.
    pub cost: u32,
    /// The sizes in it.
    pub uses: Vec<String>,
    /// The number of sizes in the product. A product needs no brackets anywhere that it is put.
    pub factors: usize,
}

impl<'a> Terms<'a> {
    /// Terms of these sizes; `axes` are the lengths of the contract's axes.
    pub fn new(sizes: Vec<(&'a str, i64)>, axes: &'a [String]) -> Terms<'a> {
        Terms { sizes, axes }
    }

    /// Returns the cost of a quotient of two sizes.
    pub fn quotient_cost(&self, formula: &str) -> u32 {
        match self.axes.iter().any(|axis| axis == formula) {
            true => cost::QUOTIENT,
            false => cost::RARE,
        }
    }

    /// Returns exact quotients of two sizes with this value, such as the value heads of each key head.
    pub fn quotients(&self, value: i64) -> Vec<String> {
        let pairs = self
            .sizes
            .iter()
            .flat_map(|a| self.sizes.iter().map(move |b| (a, b)));
        let exact = pairs.filter(|((_, x), (_, y))| *y > 1 && x % y == 0 && x / y == value);
        exact
            .map(|((a, _), (b, _))| format!("{a} / {b}"))
            .take(LISTED)
            .collect()
    }

    /// Returns the sizes, and the products of up to four sizes, in which a size may occur more than once.
    pub fn products(&self) -> Vec<Term> {
        let mut all: Vec<(usize, Term)> = Vec::new();
        for (at, (name, value)) in self.sizes.iter().enumerate() {
            let term = Term {
                formula: (*name).into(),
                value: i128::from(*value),
                cost: cost::SIZE,
                uses: vec![(*name).into()],
                factors: 1,
            };
            all.push((at, term));
        }
        let mut from = 0;
        for factors in 2..=4 {
            let end = all.len();
            for at in from..end {
                let last = all[at].0;
                // A factor of 1 says nothing.
                let more = self
                    .sizes
                    .iter()
                    .enumerate()
                    .skip(last)
                    .filter(|(_, (_, value))| *value > 1);
                for (next, (name, value)) in more {
                    let term = &all[at].1;
                    if term.value <= 1 {
                        continue;
                    }
                    let square = term.uses.iter().any(|used| used == name);
                    let long = if factors == 2 {
                        cost::PRODUCT
                    } else {
                        cost::LONG_PRODUCT
                    };
                    let uses = term.uses.iter().cloned().chain([(*name).to_owned()]);
                    let term = Term {
                        formula: format!("{} * {name}", term.formula),
                        value: term.value.saturating_mul(i128::from(*value)),
                        cost: long + 2 * u32::from(square),
                        uses: uses.collect(),
                        factors,
                    };
                    all.push((next, term));
                }
            }
            from = end;
        }
        all.into_iter().map(|(_, term)| term).collect()
    }

    /// Guesses the formula of a whole number among the arguments.
    pub fn argument(&self, value: i64) -> Guess {
        let mut terms = self.products();
        for (a, x) in &self.sizes {
            for (b, y) in self.sizes.iter().filter(|(b, y)| b != a && *y > 1) {
                let (formula, cost) = match x % y {
                    0 => (format!("{a} / {b}"), cost::QUOTIENT),
                    _ => {
                        let formula = format!("ceil({a} / {b})");
                        let cost = self.quotient_cost(&formula);
                        (formula, cost)
                    }
                };
                terms.push(quotient(formula, (x + y - 1).div_euclid(*y), cost, &[a, b]));
            }
            for (sign, by) in [('+', 1), ('-', -1)] {
                terms.push(quotient(format!("{a} {sign} 1"), x + by, cost::OTHER, &[a]));
            }
            terms.push(quotient(
                format!("2 * {a}"),
                x.saturating_mul(2),
                cost::OTHER,
                &[a],
            ));
            for tile in TILES
                .map(|bits| 1i64 << bits)
                .filter(|tile| *tile < *x && *tile > 2)
            {
                let up = (x + tile - 1).div_euclid(tile);
                terms.push(quotient(
                    format!("ceil({a} / {tile})"),
                    up,
                    cost::OTHER,
                    &[a],
                ));
            }
        }
        choose(terms, value)
    }

    /// Guesses the formula of a number of bytes of dynamic LDS: elements of 2, 4 or 8 bytes.
    pub fn bytes(&self, value: i64, block: [u32; 3]) -> Guess {
        let mut terms = Vec::new();
        for each in [4, 2, 8] {
            for term in self.products() {
                let cost = term.cost + u32::from(each != 4);
                terms.push(Term {
                    formula: format!("{each} * {}", term.formula),
                    value: term.value.saturating_mul(each),
                    cost,
                    ..term
                });
            }
        }
        let items: i64 = block.iter().map(|count| i64::from(*count)).product();
        terms.retain(|term| term.value != i128::from(items) * 4);
        choose(terms, value)
    }

    /// Guesses the formula of a float: a factor such as `1 / sqrt(K)`, or a size.
    pub fn float(&self, value: f32) -> Guess {
        let scales: [Scale; 5] = [
            ("1 / sqrt(", ")", |x| 1.0 / x.sqrt()),
            ("log2(e) / sqrt(", ")", |x| {
                std::f64::consts::LOG2_E / x.sqrt()
            }),
            ("sqrt(", ")", f64::sqrt),
            ("1 / ", "", |x| 1.0 / x),
            ("", "", |x| x),
        ];
        let terms = scales.iter().flat_map(|(before, behind, scale)| {
            let sizes = self.sizes.iter().filter(|(_, x)| *x > 1);
            sizes.map(move |(a, x)| (format!("{before}{a}{behind}"), scale(*x as f64), *a))
        });
        // A host computes such factors in f32, so the last place may differ.
        let near = |term: f64| (term as f32).to_bits().abs_diff(value.to_bits()) <= 1;
        let mut found = terms.filter(|(_, term, _)| near(*term));
        let Some((formula, _, size)) = found.next() else {
            return Guess {
                formula: value.to_string(),
                others: Vec::new(),
                literal: true,
                uses: Vec::new(),
            };
        };
        Guess {
            formula,
            others: found.map(|(formula, ..)| formula).take(LISTED).collect(),
            literal: false,
            uses: vec![size.to_owned()],
        }
    }
}

/// A term of one size or two.
pub fn quotient(formula: String, value: i64, cost: u32, uses: &[&str]) -> Term {
    Term {
        formula,
        value: value.into(),
        cost,
        uses: uses.iter().map(|name| (*name).to_owned()).collect(),
        factors: uses.len(),
    }
}

/// Returns the cheapest term with a value, or the number itself if no term has it.
pub fn choose(mut terms: Vec<Term>, value: i64) -> Guess {
    // 0 and 1 are flags and strides more often than they are results of a formula.
    let plain = matches!(value, 0 | 1);
    terms.retain(|term| term.value == i128::from(value) && (!plain || term.cost == cost::SIZE));
    terms.sort_by_key(|term| term.cost);
    let Some(best) = terms.first() else {
        return Guess {
            formula: value.to_string(),
            others: Vec::new(),
            literal: !plain,
            uses: Vec::new(),
        };
    };
    let close = terms
        .iter()
        .skip(1)
        .filter(|term| term.cost <= best.cost + 1);
    let mut others: Vec<String> = close
        .take(LISTED)
        .map(|term| term.formula.clone())
        .collect();
    if plain && best.cost < cost::CONSTANT {
        others.push(value.to_string());
    }
    Guess {
        formula: best.formula.clone(),
        others,
        literal: false,
        uses: best.uses.clone(),
    }
}

#[cfg(test)]
mod tests;
