//! The flags of `debug`.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use gfx906::machine::Schedule;

use super::{ExecArgs, LimitArgs, SourceArgs};

/// Debug kernels on the emulator from an editor, forwards and backwards.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
The command speaks the Debug Adapter Protocol on standard input and output, so an editor starts it:
VS Code, Neovim with nvim-dap, and others (docs/debug.md has their settings).

What runs is a launch file of `exec` (`deltanet-check exec --help` has its format), or one test. The editor's
`launch` request may name it too, if the command line does not: `launchFile`, `test`, or the keys of a launch
file themselves (`code_object`, `buffers`, `launches`). It may also have `seed`, `kernels`, `bind`,
`sourceDir`, `stopOnEntry`, and `cwd`, to which its paths are relative.

Breakpoints: lines of the source, names of functions, addresses of instructions; conditions compare values
with numbers, as in `group.x == 2 && sum[5] > 0.5`. Watchpoints stop behind the instruction that changes an
element. A thread is a wave of the work-group that runs. Values are written v3[17], s4, s[4:5], exec,
lds[BYTE], o[0,5,1,17] (an element of a tensor), and by the names of the source's variables.

Exit codes: 0 the session ended, 2 bad command line, 3 the input is not the Debug Adapter Protocol.")]
pub struct DebugArgs {
    /// The launch file
    #[arg(value_name = "LAUNCH.json", conflicts_with = "test")]
    pub file: Option<PathBuf>,

    /// Debug the kernels of this test instead
    #[arg(long, value_name = "ID")]
    pub test: Option<String>,

    /// Seed of the test's inputs
    #[arg(long, value_name = "N", default_value = "0")]
    pub seed: String,

    /// Flags that name the files of the test.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Look for source files here too, beside the places that the debug information names; may be given
    /// several times
    #[arg(long, value_name = "DIR")]
    pub source_dir: Vec<PathBuf>,

    /// Number of instructions that a wave runs before another wave of its work-group has its turn
    /// [default: 128]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub turn: Option<u32>,

    /// Order in which work-groups begin and waves take turns: in-order, reverse, random or random=SEED
    /// [default: in-order]
    #[arg(long, value_name = "ORDER")]
    pub schedule: Option<Schedule>,
}

impl DebugArgs {
    /// Returns the limits of the launches, which have no budget.
    pub fn limits(&self) -> LimitArgs {
        LimitArgs {
            budget: None,
            turn: self.turn,
            schedule: self.schedule,
        }
    }

    /// Returns the arguments of `exec` that run the launch file.
    pub fn exec_args(&self, file: &Path) -> ExecArgs {
        ExecArgs::plain(file, None, self.limits())
    }
}
