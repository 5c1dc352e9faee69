//! The names of a file's tensors.

use deltanet_reference::rule::HeadMap;

/// A tensor that a file may have.
pub struct TensorName {
    /// The name by which the tensor is known here.
    pub name: &'static str,
    /// Other names of the same tensor.
    others: &'static [&'static str],
    /// The form of the tensor.
    pub form: Form,
}

/// The form of a tensor, which gives its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Rows of key channels for each token and query/key head.
    Keys,
    /// Rows of value channels for each token and value head.
    Values,
    /// Log gates for each token and value head, or for each key channel, too.
    Gates,
    /// Numbers for each token and value head.
    Strengths,
    /// Matrices for each sequence and value head.
    States,
}

const fn tensor(name: &'static str, others: &'static [&'static str], form: Form) -> TensorName {
    TensorName { name, others, form }
}

/// The tensors that a file may have, but for the bounds of packed sequences.
pub const TENSORS: &[TensorName] = &[
    tensor("q", &[], Form::Keys),
    tensor("k", &[], Form::Keys),
    tensor("v", &[], Form::Values),
    tensor("g", &[], Form::Gates),
    tensor("beta", &[], Form::Strengths),
    tensor("initial_state", &["h0"], Form::States),
    tensor("o", &[], Form::Values),
    tensor("final_state", &["ht"], Form::States),
    tensor("o_block", &[], Form::Values),
    tensor("state_block", &[], Form::States),
    tensor("o_tiled", &[], Form::Values),
    tensor("state_tiled", &[], Form::States),
    tensor("hf_o", &[], Form::Values),
    tensor("hf_state", &[], Form::States),
    tensor("do", &[], Form::Values),
    tensor("dfinal_state", &["dht"], Form::States),
    tensor("dq", &[], Form::Keys),
    tensor("dk", &[], Form::Keys),
    tensor("dv", &[], Form::Values),
    tensor("dg", &[], Form::Gates),
    tensor("dbeta", &["db"], Form::Strengths),
    tensor("dinitial_state", &["dh0"], Form::States),
];

/// Pairs of an expected output and state, with their head map if the names tell it.
pub const RESULTS: [(Option<HeadMap>, [&str; 2]); 4] = [
    (None, ["o", "final_state"]),
    (Some(HeadMap::Block), ["o_block", "state_block"]),
    (Some(HeadMap::Tiled), ["o_tiled", "state_tiled"]),
    // The results of Hugging Face's own code.
    (Some(HeadMap::Block), ["hf_o", "hf_state"]),
];

/// The gradients of a loss by the inputs.
pub const GRADIENTS: [&str; 6] = ["dq", "dk", "dv", "dg", "dbeta", "dinitial_state"];

impl TensorName {
    /// Returns all names of the tensor.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name].into_iter().chain(self.others.iter().copied())
    }
}

/// Returns the names that a file may have, as a message lists them.
pub fn known() -> String {
    let names = TENSORS.iter().map(|tensor| tensor.name);
    names
        .chain([super::packed::NAME])
        .collect::<Vec<_>>()
        .join(", ")
}
