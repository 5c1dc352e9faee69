//! Subjects that are compared with the rule: the rule with one departure, the documented pipeline, the
//! mended pipeline.

use deltanet_reference::Real;
use deltanet_reference::operators::transpose;
use deltanet_reference::pipelines::{DeltanetInputs, deltanet};
use deltanet_reference::rule::{
    Convention, Departure, DepartureResults, GateKind, HeadInputs, Inputs, Outputs, Sizes,
    departed, recurrence,
};

use super::inputs::{CHUNK, Head, SIZE, TOKENS};

/// A function that is compared with the rule.
pub struct Subject {
    /// The identifier in JSON.
    pub id: &'static str,
    /// A title in words.
    pub title: &'static str,
    /// The departures from the rule.
    pub departures: &'static [Departure],
}

use Departure::{BetaOfColumn, MaskSign, NoOutput, OutputUncorrected, StateUncorrected};

/// The subjects of the audit. The first is a control: it computes the rule by chunks.
pub const SUBJECTS: [Subject; 10] = [
    Subject {
        id: "rule-by-chunks",
        title: "none: the rule by chunks",
        departures: &[],
    },
    Subject {
        id: "mask-sign",
        title: "only: decay mask that grows",
        departures: &[MaskSign],
    },
    Subject {
        id: "beta-of-column",
        title: "only: beta of the column",
        departures: &[BetaOfColumn],
    },
    Subject {
        id: "output-uncorrected",
        title: "only: output of u, not u - w h",
        departures: &[OutputUncorrected],
    },
    Subject {
        id: "state-uncorrected",
        title: "only: state from w^T u",
        departures: &[StateUncorrected],
    },
    Subject {
        id: "no-output",
        title: "only: no output",
        departures: &[NoOutput],
    },
    Subject {
        id: "documented",
        title: "all: as documented",
        departures: &Departure::ALL,
    },
    Subject {
        id: "documented-with-mask-mended",
        title: "all but: decay mask that grows",
        departures: &[BetaOfColumn, OutputUncorrected, StateUncorrected, NoOutput],
    },
    Subject {
        id: "documented-with-output",
        title: "all but: no output",
        departures: &[MaskSign, BetaOfColumn, OutputUncorrected, StateUncorrected],
    },
    Subject {
        id: "documented-with-mask-mended-and-output",
        title: "all but: both",
        departures: &[BetaOfColumn, OutputUncorrected, StateUncorrected],
    },
];

impl Subject {
    /// Computes a head from a state of zeros. With all departures the result is phase 8's reference for
    /// the compiled kernels, not the rule with its departures.
    pub fn run<R: Real>(&self, head: &Head<R>) -> DepartureResults<R> {
        let state = vec![R::ZERO; SIZE * SIZE];
        if self.departures == Departure::ALL {
            // The document has tokens as columns.
            let columns = |rows: &[R]| transpose(rows, TOKENS, SIZE);
            let inputs = DeltanetInputs {
                k: &columns(&head.k),
                v: &columns(&head.v),
                g: &head.g,
                beta: &head.logits,
                state: &state,
            };
            return DepartureResults {
                output: None,
                state: deltanet(inputs, SIZE, CHUNK).state,
            };
        }
        let inputs = HeadInputs {
            q: &head.q,
            k: &head.k,
            v: &head.v,
            g: &head.g,
            beta: &head.beta,
            state: &state,
            scale: Convention::FLA.scale.factor(SIZE),
        };
        departed(inputs, SIZE, SIZE, CHUNK, self.departures)
    }
}

/// The rule by its definition, token by token.
pub fn rule(head: &Head<f64>) -> Outputs<f64> {
    let sizes = Sizes {
        sequences: 1,
        tokens: TOKENS,
        key_heads: 1,
        value_heads: 1,
        key_size: SIZE,
        value_size: SIZE,
        gate_kind: GateKind::PerHead,
    };
    let inputs = Inputs {
        q: &head.q,
        k: &head.k,
        v: &head.v,
        g: &head.g,
        beta: &head.beta,
        state: &vec![0.0; SIZE * SIZE],
    };
    recurrence(&Convention::FLA, sizes, inputs)
}
