//! The flags of `vectors`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};

use super::{Color, DeviceArgs, Format, KernelArgs, LimitArgs, SanitizeArgs};

/// Run kernels of the gated delta rule on tensors from elsewhere, and judge what they compute.
///
/// A file holds q, k [B, T, H, K], v [B, T, HV, V], g (log gates) and beta [B, T, HV], perhaps
/// initial_state [B, HV, K, V], and the expected values. Those are o_block [B, T, HV, V] and state_block
/// [B, HV, K, V] if value head h reads query/key head h / (HV / H), and o_tiled and state_tiled if it
/// reads h % H. hf_o and hf_state are other names of o_block and state_block. q and k are used as they
/// are. The metadata's `scale` is the factor on the output; its default is 1/sqrt(K).
///
/// A packed file has cu_seqlens [N + 1], B = 1, and states [N, HV, K, V]; each sequence is launched on
/// its own. A file that has a tensor of another name is refused.
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
}
