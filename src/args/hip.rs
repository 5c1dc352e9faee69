//! The flags of `hip`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use gfx906::machine::Schedule;

use super::{ExecArgs, LimitArgs, SanitizeArgs};
use crate::device::Budget;
use crate::profile::CLOCK;

/// Run a HIP program on the emulator, as it was built: hipcc, clang, or Python with torch or Triton.
///
/// The runtime is a file of its own, libamdhip64.so, which `cargo install` does not build: scripts/build-hip.sh does, in a clone. It is the file that
/// DELTANET_CHECK_LIBHIP names, or the first one beside this program, in ../lib, or in ../hip. The program finds it through LD_LIBRARY_PATH (one that was linked with -rpath to another does not).
/// Standard output is the program's; what ran is told on standard error at the end, if the runtime was used and the program could end.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit code: the program's, 128 + N where signal N ended it; 1 where that is 0 and the sanitizer found something; 3 if it could not be started.
What else the runtime does by its environment is in hip/README.md.")]
pub struct HipArgs {
    /// What the sanitizer looks for.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// End the program (SIGABRT) where a kernel faults or the sanitizer finds something
    #[arg(long)]
    pub abort: bool,

    /// Count instructions by kind, lanes that were on, bytes, barriers and branches, and show them by kernel
    #[arg(long)]
    pub counters: bool,

    /// Record launches into this directory, one each, for `exec` and `bind --from`
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,

    /// Say what the launches would cost on an MI50 (docs/profile.md): each is recorded, and runs once more when the program has ended
    ///
    /// GFX906_RECORD_KERNELS says of which kernels, GFX906_RECORD_BYTES how many bytes records may take (hip/README.md).
    #[arg(long, conflicts_with = "record")]
    pub profile: bool,

    /// With --profile: the clock of the card in MHz; owners run it at 1606 and less
    #[arg(long, value_name = "MHZ", default_value_t = CLOCK, value_parser = super::clock, requires = "profile")]
    pub clock: f64,

    /// In which order work-groups begin and waves take turns: in-order, reverse, random or random=SEED
    #[arg(long, value_name = "ORDER")]
    pub schedule: Option<Schedule>,

    /// What a launch may use up before it counts as a hang: wave instructions (2e9), CPU seconds (90s), or both (2e9,90s)
    #[arg(long, value_name = "N|Ns")]
    pub budget: Option<Budget>,

    /// Host threads that a launch may take [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Write what ran to this file, too, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// The program, and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    pub command: Vec<OsString>,
}

impl HipArgs {
    /// What `exec` is to do with a record, so that it is profiled.
    pub fn replay(&self, launch: &Path) -> ExecArgs {
        let limits = LimitArgs {
            budget: self.budget,
            turn: None,
            schedule: self.schedule,
        };
        ExecArgs::alone(launch, self.threads, limits)
    }

    /// What they say to the runtime: variables of its environment.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut set: Vec<(&'static str, OsString)> = Vec::new();
        if let Some(checks) = self.sanitize.sanitize {
            set.push(("GFX906_SANITIZE", checks.to_string().into()));
        }
        if self.abort {
            set.push(("GFX906_ABORT", "1".into()));
            set.push(("GFX906_SANITIZE_ABORT", "1".into()));
        }
        set.extend(self.counters.then(|| ("GFX906_COUNTERS", "1".into())));
        set.extend(self.record.iter().map(|dir| ("GFX906_RECORD", dir.into())));
        let schedule = self.schedule.map(|order| order.to_string().into());
        set.extend(schedule.map(|order| ("GFX906_SCHEDULE", order)));
        set.extend(
            self.budget
                .map(|budget| ("GFX906_BUDGET", budget.to_string().into())),
        );
        let threads = self.threads.map(|threads| threads.to_string().into());
        set.extend(threads.map(|threads| ("GFX906_THREADS", threads)));
        set
    }
}
