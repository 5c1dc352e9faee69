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

Paths are relative to the launch file. A file whose name ends in .npy is a NumPy array. A file whose
name ends in .safetensors holds tensors; `tensor` names one of them. Any other file is raw little-endian
bytes.
A buffer has `file`, or `bytes` and `fill` (poison or zero); either may have `save`. With `file`, `bytes`
and `pieces` ([[OFFSET, BYTES], ..]) the file has these pieces of the buffer one after the other, and so
has the file that is expected; the rest is zero and must stay so. `read` and `written` are the parts that
a recorded launch used: for `bind --from`. `dtype` names the type
of its elements, and `shape` the lengths of its axes; their defaults are those of the file that was read,
else f32 in one row. If `read_only` is true, launches must leave the buffer unchanged. The guards around
every buffer must stay unchanged as well, because an access to a guard does not fault. On a card guards
stand before and after a buffer; on the emulator a guard is the rest of the buffer's last dword.
An argument is \"$buffer\", perhaps with an offset in bytes (\"$buffer + 4096\"), null or a whole number for
another address, one of i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 raw, or an array of these: a
structure by value, its parts one after the other. `grid` counts work-groups.
If `cooperative` is true, all work-groups are resident and may wait for one another, as in HIP's
cooperative launches (on the emulator).
`expect` judges what a buffer holds after the launches, as a test's output is judged. An element may be off
by `tolerance` plus `relative` times its right value, or by `ulp` places of its type; tolerance 0: bit for
bit. `relative_rms` also limits the error of the whole buffer. Elements that keep the poison are reported
as never written.
`variables` gives variables of the code object (__device__, __constant__) other values to start with: a
file, or a value that is written like an argument.
If a k.json of Triton's stands beside its k.hsaco, it fills in `kernel`, `block` and `dynamic_lds` of a
launch that leaves them out, and null for the scratch pointers that Triton adds behind a kernel's own
arguments.
`limits` are the wave instructions and CPU seconds of a launch, and the value of `--turn`; `--budget` and
`--turn` override them.
Launches run in order on the same buffers, up to the first that traps. Buffers are saved after a trap, too,
but not on a card.
With --device hip all launches run on a card, in this process: no time limit ends a kernel that hangs
there, and nothing is counted.

Exit codes: 0 all launches ran and all is as expected, 1 a launch trapped or hung, or something is not as
expected, 3 something is not usable (then nothing ran).")]
pub struct ExecArgs {
    /// The launch file
    #[arg(value_name = "LAUNCH.json")]
    pub file: PathBuf,

    /// Format of the summary
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Host threads that run work-groups on the emulator [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Flags that choose the device.
    #[command(flatten)]
    pub target: TargetArgs,

    /// Limits of each launch.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Flags of the sanitizer.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// Name the instruction that made the first infinity or NaN that a kernel of the emulator stored
    #[arg(long, conflicts_with_all = ["sanitize", "trace"])]
    pub first_nonfinite: bool,

    /// Flags of the trace.
    #[command(flatten)]
    pub trace: TraceArgs,
}

impl ExecArgs {
    /// Returns the arguments that run a launch file on the emulator, without sanitizer and trace.
    pub fn plain(file: &Path, jobs: Option<u16>, limits: LimitArgs) -> ExecArgs {
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
                sanitize_warn: None,
            },
            first_nonfinite: false,
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
