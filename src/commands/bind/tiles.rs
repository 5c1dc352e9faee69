//! Formulas for the work-groups of a grid.

use super::number::{Guess, LISTED, TILES, Term, Terms, choose, cost, quotient};

impl Terms<'_> {
    /// Guesses the formula of the work-groups along an axis: sizes, products, and tiles of them. `block` is the number of work-items along
    /// this axis, then in the whole work-group.
    pub fn groups(&self, value: i64, block: [i64; 2]) -> Guess {
        let products = self.products();
        let mut terms: Vec<Term> = Vec::new();
        let mut tiles: Vec<(i64, bool)> = TILES.map(|bits| (1i64 << bits, false)).collect();
        tiles.retain(|(tile, _)| !block.contains(tile));
        tiles.extend(
            block
                .iter()
                .filter(|count| **count > 1)
                .map(|count| (*count, true)),
        );
        for product in &products {
            for &(tile, told) in &tiles {
                let tile_ = i128::from(tile);
                if product.value < tile_ {
                    continue;
                }
                let up = (product.value + tile_ - 1) / tile_;
                // A kernel hardly tiles the square of a size.
                let square =
                    (1..product.uses.len()).any(|n| product.uses[..n].contains(&product.uses[n]));
                let cost = match (told, product.factors as u32 - 1) {
                    _ if square => cost::RARE,
                    (true, more) => cost::TILES + more,
                    (false, more) => cost::OTHER + 3 * more,
                };
                let formula = format!("ceil({} / {tile})", product.formula);
                for (other, count) in self.sizes.iter().filter(|(other, count)| {
                    *count > 1 && !product.uses.contains(&(*other).to_owned())
                }) {
                    if product.factors == 1 {
                        terms.push(Term {
                            formula: format!("{formula} * {other}"),
                            value: up.saturating_mul(i128::from(*count)),
                            cost: cost + 2,
                            uses: product
                                .uses
                                .iter()
                                .cloned()
                                .chain([(*other).to_owned()])
                                .collect(),
                            factors: 2,
                        });
                    }
                }
                terms.push(Term {
                    formula,
                    value: up,
                    cost,
                    uses: product.uses.clone(),
                    factors: product.factors,
                });
            }
        }
        for (a, x) in &self.sizes {
            for (b, y) in self
                .sizes
                .iter()
                .filter(|(b, y)| b != a && *y > 1 && x >= y)
            {
                let formula = format!("ceil({a} / {b})");
                let cost = self.quotient_cost(&formula);
                terms.push(quotient(formula, (x + y - 1).div_euclid(*y), cost, &[a, b]));
            }
        }
        terms.extend(products);
        if value == 1 {
            // A small case needs only one work-group whatever the formula is.
            let small = self
                .sizes
                .iter()
                .filter(|(_, x)| block.iter().any(|count| x <= count));
            let others = small.flat_map(|(a, x)| {
                let count = block.iter().find(|count| x <= count).copied().unwrap_or(1);
                [format!("ceil({a} / {count})")]
            });
            let others = others.take(LISTED).collect();
            return Guess {
                formula: "1".into(),
                others,
                literal: false,
                uses: Vec::new(),
            };
        }
        choose(terms, value)
    }
}
