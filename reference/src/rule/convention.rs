use super::Norm;
use crate::Real;

/// What a kernel or a library means by "the gated delta rule": every choice that differs silently between them.
///
/// The constants are the ones people use. A variant is one of them with fields replaced:
/// `Convention { head_map: HeadMap::Tiled, ..Convention::FLA }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convention {
    /// Whether the error is taken from the decayed state.
    pub order: Order,
    /// What `g` holds.
    pub gate: Gate,
    /// Which query/key head a value head reads.
    pub head_map: HeadMap,
    /// The factor on the output.
    pub scale: Scale,
    /// The layout of the initial and the final state.
    pub state: StateLayout,
    /// What is done to q and k first.
    pub norm: Norm,
    /// What the state is read with.
    pub readout: Readout,
}

impl Convention {
    /// flash-linear-attention's `fused_recurrent_gated_delta_rule` and `chunk_gated_delta_rule`, which normalise q and
    /// k only when told to: they are used here as they come.
    ///
    /// FLA puts the scale on q; the reference puts it on the output, which is the same but for the last bit.
    pub const FLA: Convention = Convention {
        order: Order::DecayFirst,
        gate: Gate::Log,
        head_map: HeadMap::Block,
        scale: Scale::InverseSqrtKeySize,
        state: StateLayout::KeyMajor,
        norm: Norm::None,
        readout: Readout::Query,
    };

    /// Hugging Face transformers' `torch_recurrent_gated_delta_rule` and `torch_chunk_gated_delta_rule`, as its
    /// Qwen3-Next calls them: FLA's convention, q and k normalised inside ([`Norm::FLA`]).
    ///
    /// The model repeats the heads of q and k beforehand (`repeat_interleave`), which is the block map.
    pub const HUGGING_FACE: Convention = Convention {
        norm: Norm::FLA,
        ..Convention::FLA
    };

    /// ggml's `GATED_DELTA_NET`, which llama.cpp runs; it normalises by an operation of its own beforehand
    /// ([`Norm::GGML`]). [`super::ggml_gated_delta_net`] has its one output buffer, too.
    pub const GGML: Convention = Convention {
        head_map: HeadMap::Tiled,
        state: StateLayout::ValueMajor,
        ..Convention::FLA
    };

    /// The sequential rule of the project's seed 003, a notebook: error from the undecayed state, the gate a factor
    /// in (0,1), the output read with k and not scaled. It has one kind of heads, and takes k normalised
    /// ([`Norm::TORCH`]).
    ///
    /// `S <- g S + k (x) beta (v - S^T k)`, `o = S^T k`
    pub const SEED_003: Convention = Convention {
        order: Order::ErrorFirst,
        gate: Gate::Factor,
        head_map: HeadMap::Block,
        scale: Scale::One,
        state: StateLayout::KeyMajor,
        norm: Norm::None,
        readout: Readout::Key,
    };

    /// The fused Metal kernel of the project's seed 004: the decay is `exp(-g)`, heads are tiled, the output is not
    /// scaled, a column of the state is contiguous.
    pub const SEED_004: Convention = Convention {
        order: Order::DecayFirst,
        gate: Gate::NegatedLog,
        head_map: HeadMap::Tiled,
        scale: Scale::One,
        state: StateLayout::ValueMajor,
        norm: Norm::None,
        readout: Readout::Query,
    };
}

/// The order of forgetting and error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The error is taken from the decayed state: the definition.
    DecayFirst,
    /// The error is taken from the state as it was: another function.
    ErrorFirst,
}

/// What the gate tensor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The log of the decay, `<= 0`: the state is multiplied by `e^g`.
    Log,
    /// Its negative, `>= 0`: the state is multiplied by `e^-g`.
    NegatedLog,
    /// The decay itself, in (0,1].
    Factor,
}

impl Gate {
    /// What the state is multiplied by.
    #[must_use]
    pub fn decay<R: Real>(self, g: R) -> R {
        match self {
            Gate::Log => g.exp(),
            Gate::NegatedLog => (-g).exp(),
            Gate::Factor => g,
        }
    }

    /// The natural logarithm of [`Gate::decay`].
    #[must_use]
    pub fn log<R: Real>(self, g: R) -> R {
        match self {
            Gate::Log => g,
            Gate::NegatedLog => -g,
            Gate::Factor => g.ln(),
        }
    }
}

/// Which of the query/key heads a value head reads, where there are fewer of them.
///
/// With 16 and 32 heads the two agree for heads 0 and 31 only: a test on one head cannot tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMap {
    /// `h = hv / (HV / H)`: FLA, Hugging Face, vLLM.
    Block,
    /// `h = hv % H`: ggml.
    Tiled,
}

impl HeadMap {
    /// The query/key head of a value head. `value_heads` is a multiple of `key_heads`.
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
    /// None.
    One,
    /// Any other.
    Factor(f64),
}

impl Scale {
    /// The factor, rounded once.
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
    /// `[V][K]`: key channels are contiguous (ggml, seed 004).
    ValueMajor,
}

/// What the state is read with to give the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readout {
    /// The query: `o = S^T q`.
    Query,
    /// The key, `o = S^T k`; there are no queries, `q` is an empty slice.
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
