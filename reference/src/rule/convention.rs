use super::Norm;
use crate::Real;

/// Meaning of "the gated delta rule" for a kernel or a library: every choice that differs silently between them.
///
/// The constants are conventions in use. A variant is a constant with fields replaced: `Convention { head_map: HeadMap::Tiled,
/// ..Convention::FLA }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convention {
    /// Order of decay and error.
    pub order: Order,
    /// Form of the gates in `g`.
    pub gate: Gate,
    /// Map from value heads to query/key heads.
    pub head_map: HeadMap,
    /// Factor on the output.
    pub scale: Scale,
    /// Layout of the initial and the final state.
    pub state: StateLayout,
    /// Normalisation of q and k.
    pub norm: Norm,
    /// Vector that reads the state.
    pub readout: Readout,
}

impl Convention {
    /// flash-linear-attention's `fused_recurrent_gated_delta_rule` and `chunk_gated_delta_rule`. They normalise q and k only on request, so
    /// this convention takes q and k unchanged.
    ///
    /// FLA puts the scale on q; this reference puts it on the output, which is the same up to the last bit.
    pub const FLA: Convention = Convention {
        order: Order::DecayFirst,
        gate: Gate::Log,
        head_map: HeadMap::Block,
        scale: Scale::InverseSqrtKeySize,
        state: StateLayout::KeyMajor,
        norm: Norm::None,
        readout: Readout::Query,
    };

    /// Hugging Face transformers' `torch_recurrent_gated_delta_rule` and `torch_chunk_gated_delta_rule`, as its Qwen3-Next calls them:
    /// FLA's convention with q and k normalised inside ([`Norm::FLA`]).
    ///
    /// The model repeats the heads of q and k beforehand (`repeat_interleave`), which is the block map.
    pub const HUGGING_FACE: Convention = Convention {
        norm: Norm::FLA,
        ..Convention::FLA
    };

    /// ggml's `GATED_DELTA_NET`, which llama.cpp runs. ggml normalises by a separate operation beforehand ([`Norm::GGML`]).
    /// [`super::ggml_gated_delta_net`] has ggml's single output buffer, too.
    pub const GGML: Convention = Convention {
        head_map: HeadMap::Tiled,
        state: StateLayout::ValueMajor,
        ..Convention::FLA
    };

    /// The sequential rule of a research notebook. The error is taken from the undecayed state, the gate is a factor in (0,1), and the output
    /// is read with k and not scaled. The notebook has as many heads of q and k as value heads, and normalises k beforehand
    /// ([`Norm::TORCH`]).
    ///
    /// `S <- g S + k (x) beta (v - S^T k)`, `o = S^T k`
    pub const NOTEBOOK: Convention = Convention {
        order: Order::ErrorFirst,
        gate: Gate::Factor,
        head_map: HeadMap::Block,
        scale: Scale::One,
        state: StateLayout::KeyMajor,
        norm: Norm::None,
        readout: Readout::Key,
    };

    /// A fused Metal kernel: the decay is `exp(-g)`, heads are tiled, the output is not scaled, and a column of the state is contiguous.
    pub const METAL: Convention = Convention {
        order: Order::DecayFirst,
        gate: Gate::NegatedLog,
        head_map: HeadMap::Tiled,
        scale: Scale::One,
        state: StateLayout::ValueMajor,
        norm: Norm::None,
        readout: Readout::Query,
    };
}

/// Order of decay and error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The error is taken from the decayed state. The rule's definition has this order.
    DecayFirst,
    /// The error is taken from the state before the decay, which gives other results.
    ErrorFirst,
}

/// Form of the gate tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The log of the decay, `<= 0`: the state is multiplied by `e^g`.
    Log,
    /// The negated log of the decay, `>= 0`: the state is multiplied by `e^-g`.
    NegatedLog,
    /// The decay itself, in (0,1]: the state is multiplied by `g`.
    Factor,
}

impl Gate {
    /// Returns the factor on the state.
    #[must_use]
    pub fn decay<R: Real>(self, g: R) -> R {
        match self {
            Gate::Log => g.exp(),
            Gate::NegatedLog => (-g).exp(),
            Gate::Factor => g,
        }
    }

    /// Returns the natural logarithm of [`Gate::decay`].
    #[must_use]
    pub fn log<R: Real>(self, g: R) -> R {
        match self {
            Gate::Log => g,
            Gate::NegatedLog => -g,
            Gate::Factor => g.ln(),
        }
    }
}

/// Map from value heads to query/key heads, for models with fewer query/key heads.
///
/// With 16 query/key heads and 32 value heads, the two maps agree for value heads 0 and 31 only, so a test on one head cannot tell them
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMap {
    /// `h = hv / (HV / H)`: FLA, Hugging Face, vLLM.
    Block,
    /// `h = hv % H`: ggml.
    Tiled,
}

impl HeadMap {
    /// Returns the other map, as of a kernel that mistakes one for the other.
    #[must_use]
    pub fn other(self) -> HeadMap {
        match self {
            HeadMap::Block => HeadMap::Tiled,
            HeadMap::Tiled => HeadMap::Block,
        }
    }

    /// Returns the query/key head of a value head. `value_heads` is a multiple of `key_heads`.
    #[must_use]
    pub fn key_head(self, value_head: usize, key_heads: usize, value_heads: usize) -> usize {
        match self {
            HeadMap::Block => value_head / (value_heads / key_heads),
            HeadMap::Tiled => value_head % key_heads,
        }
    }
}

/// The factor on the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// `key_size^(-1/2)`: the field's default.
    InverseSqrtKeySize,
    /// Factor 1.
    One,
    /// Any other factor.
    Factor(f64),
}

impl Scale {
    /// Returns the factor, rounded once.
    #[must_use]
    pub fn factor<R: Real>(self, key_size: usize) -> R {
        R::from_f64(match self {
            Scale::InverseSqrtKeySize => 1.0 / (key_size as f64).sqrt(),
            Scale::One => 1.0,
            Scale::Factor(factor) => factor,
        })
    }
}

/// The layout of a head's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateLayout {
    /// `[K][V]`: value channels are contiguous (FLA, Hugging Face).
    KeyMajor,
    /// `[V][K]`: key channels are contiguous (ggml, the Metal kernel).
    ValueMajor,
}

impl StateLayout {
    /// Returns the other layout, as of a kernel that mistakes one for the other.
    #[must_use]
    pub fn other(self) -> StateLayout {
        match self {
            StateLayout::KeyMajor => StateLayout::ValueMajor,
            StateLayout::ValueMajor => StateLayout::KeyMajor,
        }
    }
}

/// Vector that reads the state to give the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readout {
    /// The query: `o = S^T q`.
    Query,
    /// The key: `o = S^T k`. There are no queries, and `q` is an empty slice.
    Key,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_maps_agree_on_the_first_and_the_last_head_only() {
        let same: Vec<usize> = (0..32)
            .filter(|&hv| {
                HeadMap::Block.key_head(hv, 16, 32) == HeadMap::Tiled.key_head(hv, 16, 32)
            })
            .collect();
        assert_eq!(same, [0, 31]);
    }

    #[test]
    fn the_three_gates_say_the_same() {
        for (gate, g) in [
            (Gate::Log, -(2f64.ln())),
            (Gate::NegatedLog, 2f64.ln()),
            (Gate::Factor, 0.5),
        ] {
            assert!((gate.decay(g) - 0.5).abs() < 1e-16);
            assert!((gate.log(g) + 2f64.ln()).abs() < 1e-16);
        }
    }

    #[test]
    fn scales() {
        assert_eq!(Scale::InverseSqrtKeySize.factor::<f32>(64), 0.125);
        assert_eq!(Scale::One.factor::<f32>(64), 1.0);
        assert_eq!(Scale::Factor(0.1).factor::<f32>(64), 0.1);
    }
}
