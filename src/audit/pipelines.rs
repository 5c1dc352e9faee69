//! The pipelines that are compared with the rule: the rule with one departure, the documented pipeline,
//! and the documented pipeline with one departure or two mended.

use deltanet_reference::Real;
use deltanet_reference::operators::transpose;
use deltanet_reference::pipelines::{DeltanetInputs, deltanet};
use deltanet_reference::rule::{
    Convention, Departure, DepartureResults, GateKind, HeadInputs, Inputs, Outputs, Sizes,
    recurrence, rule_with_departures,
};

use super::inputs::{CHUNK, Head, SIZE, TOKENS};

use Departure::{BetaOfColumn, MaskSign, NoOutput, OutputUncorrected, StateUncorrected};

/// A pipeline that is compared with the rule.
pub struct AuditedPipeline {
    /// The identifier in JSON.
    pub id: &'static str,
    /// The title in tables.
    pub title: &'static str,
    /// The pipeline's departures from the rule.
    pub departures: &'static [Departure],
}

/// The pipelines of the audit. The first is a control: it computes the rule by chunks.
pub const PIPELINES: [AuditedPipeline; 10] = [
    AuditedPipeline {
        id: "rule-by-chunks",
        title: "none: the rule by chunks",
        departures: &[],
    },
    AuditedPipeline {
        id: "mask-sign",
        title: "only: decay mask that grows",
        departures: &[MaskSign],
    },
    AuditedPipeline {
        id: "beta-of-column",
        title: "only: beta of the column",
        departures: &[BetaOfColumn],
    },
    AuditedPipeline {
        id: "output-uncorrected",
        title: "only: output of u, not u - w h",
        departures: &[OutputUncorrected],
    },
    AuditedPipeline {
        id: "state-uncorrected",
        title: "only: state from w^T u",
        departures: &[StateUncorrected],
    },
    AuditedPipeline {
        id: "no-output",
        title: "only: no output",
        departures: &[NoOutput],
    },
    AuditedPipeline {
        id: "documented",
        title: "all: as documented",
        departures: &Departure::ALL,
    },
    AuditedPipeline {
        id: "documented-with-mask-mended",
        title: "all but: decay mask that grows",
        departures: &[BetaOfColumn, OutputUncorrected, StateUncorrected, NoOutput],
    },
    AuditedPipeline {
        id: "documented-with-output",
        title: "all but: no output",
        departures: &[MaskSign, BetaOfColumn, OutputUncorrected, StateUncorrected],
    },
    AuditedPipeline {
        id: "documented-with-mask-mended-and-output",
        title: "all but: both",
        departures: &[BetaOfColumn, OutputUncorrected, StateUncorrected],
    },
];

impl AuditedPipeline {
    /// Computes a head from a state of zeros. The pipeline with all departures is phase 8's reference
    /// for the compiled kernels.
    pub fn run<R: Real>(&self, head: &Head<R>) -> DepartureResults<R> {
        let state = vec![R::ZERO; SIZE * SIZE];
        if self.departures == Departure::ALL {
            // In the document a token is a column.
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
        rule_with_departures(inputs, SIZE, SIZE, CHUNK, self.departures)
    }
}

/// Computes a head by the rule's definition, token by token.
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
