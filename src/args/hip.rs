//! The flags of `hip`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use gfx906::machine::Schedule;

use super::{ExecArgs, LimitArgs, ModelArgs, SanitizeArgs};
use crate::device::Budget;

/// Run a HIP program on the emulator, as it was built: hipcc, clang, or Python with torch or Triton.
///
/// The runtime is a file of its own, libamdhip64.so.5. The wheel has it; after `cargo install`,
/// `deltanet-check hip --install` builds it. The command takes the file that DELTANET_CHECK_LIBHIP names,
/// or the first one beside this program, in ../lib/deltanet-check, or in ../hip. The HIP program finds the
/// runtime through LD_LIBRARY_PATH; a program that was linked with -rpath to another runtime does not
/// find it. Standard output belongs to the program. At the end the command prints on standard error what
/// ran, if the program used the runtime and could end.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit code: the program's, or 128 + N if signal N ended it; 1 if that code is 0 and the sanitizer found
something, or a launch under it failed or was refused; 3 if the program could not be started. crates/gfx906-hip/README.md lists the other environment
variables of the runtime.")]
pub struct HipArgs {
    /// Flags of the sanitizer.
    #[command(flatten)]
    pub sanitize: SanitizeArgs,

    /// End the program (SIGABRT) as soon as a kernel faults or the sanitizer finds something
    #[arg(long)]
    pub abort: bool,

    /// Count instructions by kind, active lanes, bytes, barriers and branches, and show the counts of
    /// each kernel
    #[arg(long)]
    pub counters: bool,

    /// Record each launch into this directory, for `exec` and `bind --from`
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,

    /// Say what the launches would cost on an MI50 (docs/profile.md): each launch is recorded, and runs
    /// once more after the program has ended
    ///
    /// GFX906_RECORD_KERNELS selects the kernels, and GFX906_RECORD_BYTES limits the bytes of the
    /// records (crates/gfx906-hip/README.md).
    #[arg(long, conflicts_with = "record")]
    pub profile: bool,

    /// Flags of the model, for --profile.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Name, for each kernel, the instruction that made the first infinity or NaN that was stored
    #[arg(long, conflicts_with = "sanitize")]
    pub first_nonfinite: bool,

    /// Order in which work-groups begin and waves take turns: in-order, reverse, random or random=SEED
    #[arg(long, value_name = "ORDER")]
    pub schedule: Option<Schedule>,

    /// Budget of a launch, after which the launch is a hang: wave instructions (2e9), CPU seconds (90s),
    /// or both (2e9,90s) [default: 1e11,600s]
    #[arg(long, value_name = "N|Ns")]
    pub budget: Option<Budget>,

    /// Host threads that a launch may take [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Let the program find stand-ins of libraries that it is linked with and rarely calls (docs/hip.md):
    /// collectives of one rank work, all else is refused
    ///
    /// Libraries in LD_LIBRARY_PATH come first.
    #[arg(long)]
    pub stand_ins: bool,

    /// Let the program find the card in /sys/class/kfd, by a library in LD_PRELOAD
    #[arg(long)]
    pub rocm_view: bool,

    /// Confine the program: it writes only below the current folder and its own temporary one, reads besides
    /// only the system and its own folder, has no network, and cannot touch other processes
    ///
    /// `--allow-path DIR` gives it more folders. Its kernels call no functions of the host
    /// (GFX906_HOST_CALLS=1 allows that), hipRTC is off, and files of code are below the current folder.
    /// By Linux's Landlock and seccomp; the command says what this system's kernel lacks (docs/trust.md).
    #[arg(long)]
    pub untrusted: bool,

    /// Write a report of what ran to this file as well, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Build the HIP runtime from the sources of this program, and install it where this program finds it
    ///
    /// For a program that `cargo install` has built: it takes cargo and a C compiler, and some minutes. The
    /// runtime is written to ../lib/deltanet-check, from the folder of this program.
    #[arg(long, exclusive = true)]
    pub install: bool,

    /// The program and its arguments
    #[arg(
        trailing_var_arg = true,
        required_unless_present = "install",
        value_name = "PROGRAM [ARGS]"
    )]
    pub command: Vec<OsString>,
}

impl HipArgs {
    /// Returns the arguments with which `exec` runs a recorded launch for its profile.
    pub fn replay_args(&self, launch: &Path) -> ExecArgs {
        let limits = LimitArgs {
            budget: self.budget,
            turn: None,
            schedule: self.schedule,
        };
        ExecArgs::plain(launch, self.threads, limits)
    }

    /// Returns the environment variables that pass the flags to the runtime.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut variables: Vec<(&'static str, OsString)> = Vec::new();
        if let Some(checks) = self.sanitize.sanitize {
            variables.push(("GFX906_SANITIZE", checks.to_string().into()));
        }
        if self.abort {
            variables.push(("GFX906_ABORT", "1".into()));
            variables.push(("GFX906_SANITIZE_ABORT", "1".into()));
        }
        let first = self.first_nonfinite;
        variables.extend(first.then(|| ("GFX906_FIRST_NONFINITE", "1".into())));
        variables.extend(self.untrusted.then(|| ("GFX906_UNTRUSTED", "1".into())));
        variables.extend(self.counters.then(|| ("GFX906_COUNTERS", "1".into())));
        // The program may change its directory before its first launch.
        let record = self.record.iter();
        let record = record.map(|dir| std::path::absolute(dir).unwrap_or_else(|_| dir.clone()));
        variables.extend(record.map(|dir| ("GFX906_RECORD", dir.into())));
        let schedule = self.schedule.map(|order| order.to_string().into());
        variables.extend(schedule.map(|order| ("GFX906_SCHEDULE", order)));
        variables.extend(
            self.budget
                .map(|budget| ("GFX906_BUDGET", budget.to_string().into())),
        );
        let threads = self.threads.map(|threads| threads.to_string().into());
        variables.extend(threads.map(|threads| ("GFX906_THREADS", threads)));
        variables
    }
}
