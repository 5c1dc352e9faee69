//! The flags of `exec`.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};

use super::{DeviceChoice, Format, LimitArgs, SanitizeArgs, TargetArgs, TraceArgs};

/// Run any kernel of any code object, as a launch file says, and judge what it computed.
#[derive(Debug, Args)]
#[command(after_long_help = "\
The launch file:
  { \"code_object\": \"x.co\",
    \"buffers\": { \"in\":  {\"file\": \"in.npy\"},
                 \"q\":   {\"file\": \"x.safetensors\", \"tensor\": \"input.q\"},
                 \"out\": {\"bytes\": 4096, \"fill\": \"poison\", \"save\": \"out.bin\"} },
    \"variables\": { \"table\": {\"file\": \"table.bin\"} },
    \"launches\": [ {\"kernel\": \"k\", \"grid\": [4,1,1], \"block\": [64,1,1], \"dynamic_lds\": 0,
                   \"args\": [\"$in\", \"$q + 256\", \"$out\", {\"i32\": 5}, {\"raw\": \"00ff\"}]} ],
    \"expect\": { \"out\": {\"file\": \"golden.npy\", \"tolerance\": 1.7e-5} },
    \"limits\": {\"instructions\": 1000000000, \"seconds\": 60, \"turn\": 128} }

Paths are relative to the launch file. A name that ends in .npy is a NumPy array, one in .safetensors holds tensors, of which
`tensor` names one, any other is raw little-endian bytes.
A buffer has `file`, or `bytes` and `fill` (poison or zero); `save` with either. `dtype` names its elements' type and `shape`
its axes' lengths; without them they are those of the file that was read, or f32 in one row.
`read_only` (true): launches must leave it as it is, which is judged; and so are the guards around every buffer, where a stray
access does not fault (on the emulator the rest of a buffer's last dword, on a card all around).
Arguments are \"$buffer\", perhaps with an offset in bytes (\"$buffer + 4096\"), one of i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16
f32 f64 raw, or an array of these: a structure by value, its parts one after the other. `grid` counts work-groups.
`cooperative` (true): all of them are resident and may wait for one another, as in HIP's cooperative launches (on the emulator).
`expect` judges what a buffer holds after the launches, as a test's output is judged. An element may be off by `tolerance` plus
`relative` times its right value, or by `ulp` places of its type; tolerance 0: bit for bit. `relative_rms` limits the buffer as a
whole besides. Elements that keep the poison are told as never written.
`variables` are those of the code object (__device__, __constant__) that start with other values than it has: a file, or a value
as an argument has it.
Beside a k.hsaco, what Triton wrote into k.json fills in `kernel`, `block` and `dynamic_lds` where a launch leaves them out, and
null for the pointers to scratch that Triton adds behind a kernel's own arguments.
`limits` are wave instructions and CPU seconds of a launch, and what `--turn` says; `--budget` and `--turn` come before them.
Launches run in order on the same buffers, up to the first that traps. Buffers are saved after a trap, too, but not on a card.
With --device hip all of it runs on a card, in this process: no time limit ends a kernel that hangs there, and nothing is counted.

Exit codes: 0 ran and all is as expected, 1 trapped, hung or not as expected, 3 something is not usable (then nothing ran).")]
pub struct ExecArgs {
    /// What to run
    #[arg(value_name = "LAUNCH.json")]
    pub file: PathBuf,

    /// How the summary is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Host threads that run work-groups on the emulator [default: one a core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Where the kernels run.
    #[command(flatten)]
    pub target: TargetArgs,

    /// How long kernels may run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// What the sanitizer looks for.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// What is traced.
    #[command(flatten)]
    pub trace: TraceArgs,
}

impl ExecArgs {
    /// A launch file on the emulator, with nothing else that is looked at.
    pub fn alone(file: &Path, jobs: Option<u16>, limits: LimitArgs) -> ExecArgs {
        ExecArgs {
            file: file.to_owned(),
            format: Format::Table,
            jobs,
            target: TargetArgs {
                device: DeviceChoice::Emulator,
                hip_device: None,
            },
            limits,
            sanitize: SanitizeArgs {
                sanitize: None,
                sanitize_warn: false,
            },
            trace: TraceArgs {
                trace: None,
                trace_kernel: None,
                trace_group: None,
                trace_wave: None,
                trace_pc: None,
                trace_limit: 1,
            },
        }
    }
}
