//! Conditions of `--fail-if`: `instructions > +5%`.

use std::str::FromStr;

use super::metric::Metric;
use super::{Change, MetCondition, share};
use crate::report::saved::Trial;
use crate::text::nearest;

/// A condition on a metric, either of each test or of all tests together.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    total: bool,
    /// The metric that the condition is about.
    pub metric: Metric,
    above: bool,
    limit: Limit,
}

/// The limit of a condition, and the value that is compared with it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// The limit of the change, as a share of the old value.
    Share(f64),
    /// The limit of the change.
    By(f64),
    /// The limit of the new value.
    At(f64),
}

/// A reason why a text is not a condition.
#[derive(Debug, thiserror::Error)]
pub enum ConditionError {
    /// The text does not have the form of a condition.
    #[error(
        "write METRIC > +5% (the change of a test), METRIC > +100, METRIC > 0.5 (the new value), `total METRIC > +1%` for all tests together, or < for less"
    )]
    Form,
    /// No metric has the name.
    #[error("there is no metric `{name}`; {help}")]
    NoMetric {
        /// The name, made printable.
        name: String,
        /// The nearest name, or all names.
        help: String,
    },
    /// The share has no sign.
    #[error("a share is one of a change: write +{0} or -{0}")]
    UnsignedShare(String),
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Condition, ConditionError> {
        let at = text.find(['<', '>']).ok_or(ConditionError::Form)?;
        let (left, right) = (text[..at].trim(), text[at + 1..].trim());
        let total = left.strip_prefix("total ");
        let name = total.unwrap_or(left).trim();
        let metric = Metric::find(name).ok_or_else(|| {
            let near = nearest(name, Metric::names(), 1);
            let names: Vec<&str> = Metric::names().collect();
            ConditionError::NoMetric {
                name: name.escape_debug().to_string(),
                help: match near.first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", names.join(", ")),
                },
            }
        })?;
        let (digits, percent) = match right.strip_suffix('%') {
            Some(digits) => (digits.trim_end(), true),
            None => (right, false),
        };
        let signed = digits.starts_with(['+', '-']);
        let number: f64 = digits.parse().map_err(|_| ConditionError::Form)?;
        let limit = match (percent, signed) {
            _ if !number.is_finite() => return Err(ConditionError::Form),
            (true, true) => Limit::Share(number / 100.0),
            (false, true) => Limit::By(number),
            (false, false) => Limit::At(number),
            (true, false) => {
                return Err(ConditionError::UnsignedShare(right.into()));
            }
        };
        Ok(Condition {
            text: text.trim().into(),
            total: total.is_some(),
            metric,
            above: text[at..].starts_with('>'),
            limit,
        })
    }
}

impl Condition {
    fn holds(&self, old: f64, new: f64) -> bool {
        let (value, limit) = match self.limit {
            Limit::Share(limit) => (share(old, new), limit),
            Limit::By(limit) => (if old == new { 0.0 } else { new - old }, limit),
            Limit::At(limit) => (new, limit),
        };
        if self.above {
            value > limit
        } else {
            value < limit
        }
    }

    /// Returns the tests in which the condition holds.
    pub(super) fn find_met(
        &self,
        both: &[(Trial<'_>, Trial<'_>)],
        total: &Change,
    ) -> Vec<MetCondition> {
        let met = |test: &str, old, new| {
            self.holds(old, new).then(|| MetCondition {
                condition: self.text.clone(),
                test: test.into(),
                old,
                new,
            })
        };
        if self.total {
            return met("total", total.old, total.new).into_iter().collect();
        }
        let rows = both.iter().filter_map(|(old, new)| {
            met(
                new.id,
                self.metric.of(old.value)?,
                self.metric.of(new.value)?,
            )
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold_beyond_their_limit() {
        let holds = |text: &str, old, new| {
            let condition: Condition = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            condition.holds(old, new)
        };
        for (text, old, new, want) in [
            ("instructions > +5%", 100.0, 105.0, false),
            ("instructions > +5%", 100.0, 106.0, true),
            ("instructions>+5 %", 100.0, 106.0, true),
            ("instructions > +5%", 0.0, 1.0, true),
            ("instructions > +5%", 0.0, 0.0, false),
            ("instructions < -5%", 100.0, 94.0, true),
            ("instructions < -5%", 100.0, 96.0, false),
            ("error > +0.1", 0.2, 0.31, true),
            ("error > +0", f64::INFINITY, f64::INFINITY, false),
            ("error > +0", 0.1, f64::INFINITY, true),
            ("error > 0.5", 0.9, 0.4, false),
            ("error > 0.5", 0.4, 0.6, true),
            ("total launches/*/counters/barriers > +0", 3.0, 4.0, true),
        ] {
            assert_eq!(holds(text, old, new), want, "{text}: {old}, {new}");
        }
    }

    #[test]
    fn what_is_no_condition_is_told() {
        for (text, said) in [
            ("", "write METRIC"),
            ("instructions", "write METRIC"),
            ("instructions > ", "write METRIC"),
            ("instructions > +x%", "write METRIC"),
            ("instructions > inf", "write METRIC"),
            ("instructions > 5%", "write +5%"),
            ("instruction > +5%", "did you mean `instructions`?"),
            ("zzz > +5%", "there are error"),
        ] {
            let error = text.parse::<Condition>().expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
