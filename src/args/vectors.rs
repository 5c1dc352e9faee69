//! The flags of `vectors`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};

use super::{Color, DeviceArgs, Format, KernelArgs, LimitArgs, SanitizeArgs};

/// Run kernels of the gated delta rule on tensors from elsewhere, and judge what they compute.
///
/// A file holds q, k [B, T, H, K], v [B, T, HV, V], beta [B, T, HV], g (log gates) [B, T, HV] or
/// [B, T, HV, K], perhaps initial_state [B, HV, K, V], and the expected values: o [B, T, HV, V] and
/// final_state [B, HV, K, V], or, beside do and dfinal_state, the gradients dq, dk, dv, dg, dbeta and
/// dinitial_state. Value head h reads query/key head h / (HV / H); o_block and state_block, hf_o and
/// hf_state are other names. For o_tiled and state_tiled it reads h % H. Without g nothing decays.
///
/// The metadata may have arguments of FLA's functions: `scale`, the factor on the output, whose default
/// is 1/sqrt(K), `use_qk_l2norm_in_kernel`, without which q and k are used as they are, and
/// `state_v_first` for states [V, K].
///
/// A packed file has cu_seqlens [N + 1], B = 1, and states [N, HV, K, V]. Kernels of packed sequences
/// run on the whole file, and all others on each sequence. A file that has a tensor of another name is
/// refused.
#[derive(Debug, Args)]
pub struct VectorsArgs {
    /// Files of tensors
    #[arg(value_name = "FILE.safetensors", required = true)]
    pub files: Vec<PathBuf>,

    /// Family of the kernels that run
    #[arg(long, value_enum, default_value_t = FamilyChoice::All)]
    pub family: FamilyChoice,

    /// Flags that name the kernels and their bindings.
    #[command(flatten)]
    pub sources: KernelArgs,

    /// Flags that choose the device.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write a report to this file as well, in the format of its extension: .json, .xml (JUnit), .md or
    /// .html
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Number of launches that run at the same time [default: one per core; on a card 1]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Flags of the sanitizer.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// Limits of each launch.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Colours of the output (NO_COLOR is honoured)
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Show more: relative RMS, ULP and wave instructions
    #[arg(short, long)]
    pub verbose: bool,
}

/// Choice of the families of kernels that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FamilyChoice {
    /// All families that the code object has and that can compute the file
    All,
    /// The fused recurrence, `gdn_recurrent_f32`
    Recurrent,
    /// The chunk pipeline, `gdn_chunk_*_f32`
    Chunked,
    /// `ggml_gated_delta_net_f32`
    Ggml,
    /// The recurrence over packed sequences, `gdn_packed_f32`
    Packed,
    /// The chunk pipeline over packed sequences, `gdn_packed_*_f32`
    PackedChunked,
    /// The gradients, token by token, `gdn_backward_f32`
    Backward,
    /// The gradients by chunks, `gdn_backward_f32`
    BackwardChunked,
}
