//! The flags of `vectors`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};

use super::{Color, DeviceArgs, Format, KernelArgs, LimitArgs, SanitizeArgs};

/// Run kernels of the gated delta rule on tensors that somebody else made, and judge what they compute.
///
/// A file holds q, k [B, T, H, K], v [B, T, HV, V], g (log gates) and beta [B, T, HV], perhaps initial_state
/// [B, HV, K, V], and what is expected: o_block [B, T, HV, V] and state_block [B, HV, K, V] where value head h reads
/// query/key head h / (HV / H), o_tiled and state_tiled where it reads h % H. q and k are used as they are. The
/// metadata's `scale` is the factor on the output, 1/sqrt(K) without it.
///
/// A packed file has cu_seqlens [N + 1], B = 1, and states [N, HV, K, V]: each sequence is a call of its own. A file
/// with a tensor of another name is refused.
#[derive(Debug, Args)]
pub struct VectorsArgs {
    /// Files of tensors
    #[arg(value_name = "FILE.safetensors", required = true)]
    pub files: Vec<PathBuf>,

    /// Which kernels
    #[arg(long, value_enum, default_value_t = FamilyChoice::All)]
    pub family: FamilyChoice,

    /// What is launched.
    #[command(flatten)]
    pub sources: KernelArgs,

    /// Where the kernels run.
    #[command(flatten)]
    pub device: DeviceArgs,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write a report to this file as well, in the format of its extension: .json, .xml (JUnit), .md or .html
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// How many launches run at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// What the sanitizer looks for.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// When to colour the output (NO_COLOR is honoured)
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Say more: relative RMS, ULP and wave instructions
    #[arg(short, long)]
    pub verbose: bool,
}

/// Which families run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FamilyChoice {
    /// All that the code object has and that can compute the file
    All,
    /// The fused recurrence, `gdn_recurrent_f32`
    Recurrent,
    /// The chunk pipeline, `gdn_chunk_*_f32`
    Chunked,
    /// `ggml_gated_delta_net_f32`
    Ggml,
}
