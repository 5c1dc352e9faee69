//! Tests of the rule with departures: without departures it is the rule, with all of them the documented pipeline.

use crate::common::{Random, distance};
use deltanet_reference::operators::{sigmoid, transpose};
use deltanet_reference::pipelines::{DeltanetInputs, deltanet};
use deltanet_reference::rule::*;
use deltanet_reference::widen;
use proptest::prelude::*;

/// The inputs of one head, tokens as rows. `logits` is beta before the sigmoid.
struct Head {
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    g: Vec<f64>,
    logits: Vec<f64>,
    beta: Vec<f64>,
    state: Vec<f64>,
}

impl Head {
    fn random(tokens: usize, size: usize, seed: u64) -> Head {
        let mut random = Random::new(seed);
        let mut fill = |n, low, high| widen(&random.fill(n, low, high));
        let logits = fill(tokens, -2.0, 2.0);
        Head {
            q: Norm::TORCH.rows(&fill(tokens * size, -1.0, 1.0), size),
            k: Norm::TORCH.rows(&fill(tokens * size, -1.0, 1.0), size),
            v: fill(tokens * size, -1.0, 1.0),
            g: fill(tokens, -0.2, 0.0),
            beta: sigmoid(&logits),
            logits,
            state: fill(size * size, -1.0, 1.0),
        }
    }

    fn inputs(&self) -> HeadInputs<'_, f64> {
        HeadInputs {
            q: &self.q,
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
            state: &self.state,
            scale: 0.5,
        }
    }

    fn rule(&self, size: usize) -> Outputs<f64> {
        let sizes = Sizes {
            sequences: 1,
            tokens: self.g.len(),
            key_heads: 1,
            value_heads: 1,
            key_size: size,
            value_size: size,
            gate_kind: GateKind::PerHead,
        };
        let inputs = Inputs {
            q: &self.q,
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
            state: &self.state,
        };
        let convention = Convention {
            scale: Scale::Factor(0.5),
            ..Convention::FLA
        };
        recurrence(&convention, sizes, inputs)
    }
}

proptest! {
    #[test]
    fn no_departure_is_the_rule(tokens in 1usize..40, size in 1usize..9, chunk in 1usize..20, seed: u64) {
        let head = Head::random(tokens, size, seed);
        let got = rule_with_departures(head.inputs(), size, size, chunk, &[]);
        let want = head.rule(size);
        prop_assert!(distance(&got.output.unwrap(), &want.output) < 1e-12);
        prop_assert!(distance(&got.state, &want.state) < 1e-12);
    }

    #[test]
    fn all_departures_are_the_documented_pipeline(chunks in 1usize..4, size in 1usize..9, chunk in 1usize..20, seed: u64) {
        let head = Head::random(chunks * chunk, size, seed);
        let got = rule_with_departures(head.inputs(), size, size, chunk, &Departure::ALL);
        let tokens = head.g.len();
        // the document has tokens as columns, and beta before the sigmoid
        let (k, v) = (transpose(&head.k, tokens, size), transpose(&head.v, tokens, size));
        let inputs = DeltanetInputs { k: &k, v: &v, g: &head.g, beta: &head.logits, state: &head.state };
        let want = deltanet(inputs, size, chunk).state;
        let largest = want.iter().fold(1.0f64, |max, x| max.max(x.abs()));
        prop_assert_eq!(got.output, None);
        prop_assert!(distance(&got.state, &want) < 1e-12 * largest);
    }
}

#[test]
fn each_departure_alone_changes_what_it_says() {
    let head = Head::random(48, 8, 11);
    let rule = rule_with_departures(head.inputs(), 8, 8, 16, &[]);
    let output = rule.output.unwrap();
    let far = |a: &[f64], b: &[f64]| distance(a, b) > 1e-3;
    for departure in Departure::ALL {
        let got = rule_with_departures(head.inputs(), 8, 8, 16, &[departure]);
        let state = far(&got.state, &rule.state);
        let changed = got.output.map(|got| far(&got, &output));
        let want = match departure {
            Departure::MaskSign | Departure::BetaOfColumn => (true, Some(true)),
            // later chunks read the state
            Departure::StateUncorrected => (true, Some(true)),
            Departure::OutputUncorrected => (false, Some(true)),
            Departure::NoOutput => (false, None),
        };
        assert_eq!((state, changed), want, "{departure:?}");
    }
}
