//! One of several parts of a run, which cost about the same.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::select::Selected;

/// Wave instructions of tests, a case, and of cases that are far from that (`scripts/costs.py`).
static COSTS: LazyLock<HashMap<&str, u64>> = LazyLock::new(|| {
    let rows = include_str!("costs.tsv").lines();
    rows.filter_map(|row| {
        let (name, cost) = row.split_once('\t')?;
        Some((name, cost.parse().ok()?))
    })
    .collect()
});
/// What a case costs whatever it runs, in wave instructions: measured over a run of all tests.
const CASE: u64 = 31_000;
/// More parts than any fleet has.
const MAX_PARTS: usize = 100_000;

/// Part `number` of `parts`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which.
    pub number: usize,
    /// Of how many.
    pub parts: usize,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, parts)| Some((number.parse().ok()?, parts.parse().ok()?)));
        match numbers {
            Some((number, parts)) if (1..=parts).contains(&number) && parts <= MAX_PARTS => {
                Ok(Part { number, parts })
            }
            _ => Err("write K/N, as in 2/4: part K of N, from 1/N to N/N".into()),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.parts)
    }
}

impl Part {
    /// The positions of those among the selected cases that are in this part, in order. Every machine comes to the same parts.
    pub fn of(self, selected: &[Selected<'_>]) -> Vec<usize> {
        let costs: Vec<u64> = selected.iter().map(cost).collect();
        self.positions(&costs)
    }

    /// The dearest first, each to the part that has least to do so far.
    fn positions(self, costs: &[u64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by_key(|&position| (Reverse(costs[position]), position));
        let mut loads = vec![0_u64; self.parts];
        let mut own = Vec::new();
        for position in order {
            let least = (0..self.parts).min_by_key(|&part| (loads[part], part));
            let Some(part) = least else { break };
            loads[part] += costs[position];
            if part + 1 == self.number {
                own.push(position);
            }
        }
        own.sort_unstable();
        own
    }
}

/// What a case costs, or what the cases of its test do on average. Of a test that nobody has measured nothing is known.
fn cost(one: &Selected<'_>) -> u64 {
    let measured = COSTS.get(one.case.id.as_str());
    let measured = measured.or_else(|| COSTS.get(one.test.id.as_str()));
    CASE + measured.copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::registry::Registry;
    use crate::select::everything;

    #[test]
    fn what_is_no_part_is_refused() {
        assert_eq!(
            "2/4".parse(),
            Ok(Part {
                number: 2,
                parts: 4
            })
        );
        for text in [
            "",
            "1",
            "0/4",
            "5/4",
            "1/0",
            "a/b",
            "1/2/3",
            "-1/2",
            "1/1000000",
        ] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn all_parts_together_are_everything_once_and_none_is_much_dearer(
            costs in prop::collection::vec(0_u64..1 << 40, 0..200),
            parts in 1_usize..20,
        ) {
            let of = |number| Part { number, parts }.positions(&costs);
            let mut all: Vec<usize> = (1..=parts).flat_map(of).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..costs.len()).collect::<Vec<_>>());
            let loads = (1..=parts).map(|number| of(number).iter().map(|&at| costs[at]).sum::<u64>());
            let loads: Vec<u64> = loads.collect();
            let (least, most) = (loads.iter().min(), loads.iter().max());
            let dearest = costs.iter().max().copied().unwrap_or(0);
            prop_assert!(most <= least.map(|least| least + dearest).as_ref());
        }
    }

    /// The table has the tests of the registry, and only those: `scripts/costs.py` renews it.
    #[test]
    fn every_test_has_a_cost() {
        let registry = Registry::built_in().expect("good");
        let unmeasured: Vec<&str> = registry
            .tests()
            .map(|test| test.id.as_str())
            .filter(|id| !COSTS.contains_key(id))
            .collect();
        assert!(
            unmeasured.len() * 20 < registry.tests().count(),
            "renew costs.tsv: {unmeasured:?}"
        );
        let ids: Vec<&str> = everything(&registry)
            .flat_map(|one| [one.test.id.as_str(), one.case.id.as_str()])
            .collect();
        for name in COSTS.keys() {
            assert!(ids.contains(name), "costs.tsv: `{name}` is no test");
        }
    }
}
