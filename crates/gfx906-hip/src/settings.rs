//! Environment variables of the runtime, and the settings that a program gives in their place. No other file reads the environment.
//!
//! A value that cannot be used is logged, and the default is used instead. Switches and the settings of launches are read once, at their
//! first use.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use gfx906::machine::{Limits, Patience, Schedule, TURN, Time};
use gfx906::observe::sanitize::{Checks, UnknownCheck};

use crate::diagnostics::log;
use crate::diagnostics::trap::demangle;

/// Most wave instructions of a launch without `GFX906_BUDGET`: ten minutes of emulation and more.
const BUDGET: u64 = 100_000_000_000;
/// Most CPU seconds of a launch without `GFX906_BUDGET`.
const SECONDS: f64 = 600.0;

/// Environment variable that is on with the value 1.
pub struct Switch {
    name: &'static str,
    value: OnceLock<bool>,
}

impl Switch {
    const fn new(name: &'static str) -> Switch {
        Switch {
            name,
            value: OnceLock::new(),
        }
    }

    /// Returns the name of the variable.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns true if the variable was 1 when it was first read.
    pub fn is_on(&self) -> bool {
        let read = || std::env::var(self.name).is_ok_and(|value| value.trim() == "1");
        *self.value.get_or_init(read)
    }
}

/// Ends the program when a kernel fails.
pub static ABORT: Switch = Switch::new("GFX906_ABORT");
/// Ends the program when the sanitizer finds something new.
pub static SANITIZE_ABORT: Switch = Switch::new("GFX906_SANITIZE_ABORT");
/// Logs memory that the program does not free, or frees twice.
pub static LEAKS: Switch = Switch::new("GFX906_LEAKS");
/// Fills fresh device memory with poison instead of zeros.
pub static POISON: Switch = Switch::new("GFX906_POISON");
/// Counts what kernels do, for the summary.
pub static COUNTERS: Switch = Switch::new("GFX906_COUNTERS");
/// Logs the instruction that made the first infinity or NaN that a kernel stored.
pub static FIRST_NONFINITE: Switch = Switch::new("GFX906_FIRST_NONFINITE");
/// Refuses hipRTC, files of code outside the current directory, and host functions of kernels (`hip --untrusted`).
pub static UNTRUSTED: Switch = Switch::new("GFX906_UNTRUSTED");
/// Lets kernels of an untrusted program call its host functions.
pub static HOST_CALLS: Switch = Switch::new("GFX906_HOST_CALLS");
/// Makes every call return only when its work is done.
pub static SYNC: Switch = Switch::new("GFX906_SYNC");

/// Settings of launches.
#[derive(Clone, Copy)]
pub struct LaunchSettings {
    /// Instructions and time that a launch may use up, and the order of its waves.
    pub limits: Limits,
    /// Host threads that run a launch; 0 stands for all.
    pub threads: usize,
    /// Checks of the sanitizer, if it is on.
    pub sanitize: Option<Checks>,
}

/// Settings of the environment.
static ENVIRONMENT: LazyLock<LaunchSettings> = LazyLock::new(|| {
    let (instructions, seconds) = budget();
    let turn = number("GFX906_TURN").and_then(|turn| u32::try_from(turn).ok());
    LaunchSettings {
        limits: Limits {
            instructions,
            seconds,
            turn: turn.unwrap_or(TURN),
            schedule: schedule(),
        },
        threads: number("GFX906_THREADS").unwrap_or(0) as usize,
        sanitize: checks(),
    }
});

/// Returns the settings of the environment.
pub fn environment() -> &'static LaunchSettings {
    &ENVIRONMENT
}

/// Settings that the program has given in place of those of the environment.
static GIVEN: Mutex<Option<LaunchSettings>> = Mutex::new(None);

/// Returns the settings of launches that begin now.
pub fn launches() -> LaunchSettings {
    let given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    given.unwrap_or(*ENVIRONMENT)
}

/// Gives the next launches settings in place of the environment's, in the words of the variables. Those that are left out are the
/// environment's.
///
/// # Errors
/// A text is none of the variable. The text says which.
pub fn give(
    sanitize: Option<&str>,
    budget: Option<&str>,
    schedule: Option<&str>,
) -> Result<(), String> {
    let mut settings = *ENVIRONMENT;
    if let Some(text) = sanitize {
        settings.sanitize =
            parse_checks(text).map_err(|problem| format!("sanitize {text}: {problem}"))?;
    }
    if let Some(text) = budget {
        let limits = parse_budget(text).ok_or_else(|| {
            format!("budget {text}: it is neither wave instructions (N) nor CPU seconds (Ns), nor both (N,Ns)")
        })?;
        (settings.limits.instructions, settings.limits.seconds) = limits;
    }
    if let Some(text) = schedule {
        let parsed = text.parse();
        settings.limits.schedule = parsed.map_err(|problem| format!("schedule: {problem}"))?;
    }
    let is_any = sanitize.is_some() || budget.is_some() || schedule.is_some();
    *GIVEN.lock().unwrap_or_else(PoisonError::into_inner) = is_any.then_some(settings);
    Ok(())
}

/// Returns a variable, unless it is empty.
fn filled(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the file of the process's summary: `GFX906_SUMMARY`.
pub fn summary_file() -> Option<OsString> {
    filled("GFX906_SUMMARY")
}

/// Returns the file that findings of the sanitizer go to besides stderr: `GFX906_SANITIZE_LOG`.
pub fn sanitizer_log() -> Option<OsString> {
    std::env::var_os("GFX906_SANITIZE_LOG")
}

/// Returns the compiler that hipRTC is told to use: `GFX906_CLANG`.
pub fn clang() -> Option<PathBuf> {
    filled("GFX906_CLANG").map(PathBuf::from)
}

/// Returns the directories in which a compiler is searched: `PATH`.
pub fn search_path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// Variables that say which launches are recorded, and where. Their values are not checked yet.
pub struct RecordingVariables {
    /// `GFX906_RECORD`.
    pub directory: PathBuf,
    /// `GFX906_RECORD_BYTES`.
    pub bytes: Option<String>,
    /// `GFX906_RECORD_KERNELS`.
    pub kernels: Option<String>,
}

/// Returns the variables of recording, if `GFX906_RECORD` names a directory.
pub fn recording() -> Option<RecordingVariables> {
    Some(RecordingVariables {
        directory: filled("GFX906_RECORD")?.into(),
        bytes: std::env::var("GFX906_RECORD_BYTES").ok(),
        kernels: std::env::var("GFX906_RECORD_KERNELS").ok(),
    })
}

/// Returns true unless `HIP_VISIBLE_DEVICES` or `ROCR_VISIBLE_DEVICES` hides device 0. On hardware these lists renumber devices; the first
/// entry decides what device 0 is.
pub fn first_device_is_visible() -> bool {
    let lists = ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];
    lists.iter().all(|variable| match std::env::var(variable) {
        Ok(list) => list.split(',').next().map(str::trim) == Some("0"),
        Err(_) => true,
    })
}

/// Returns HIP's major version that the library is told to stand for, whatever its file is called: `GFX906_HIP=5`, `6` or `7`.
pub fn hip_major() -> Option<u32> {
    let text = std::env::var("GFX906_HIP").ok()?;
    match text.trim() {
        "5" => Some(5),
        "6" => Some(6),
        "7" => Some(7),
        _ => {
            log(format!(
                "GFX906_HIP={text} is none of 5, 6 and 7: it is not used"
            ));
            None
        }
    }
}

/// Returns true if kernels may read beyond an allocation within its last page, and such reads are only logged: `GFX906_OOB=report`.
pub fn reads_beyond_pass() -> bool {
    static PASS: LazyLock<bool> = LazyLock::new(|| match std::env::var("GFX906_OOB") {
        Ok(value) if value.trim() == "report" => true,
        Ok(value) if !value.trim().is_empty() => {
            log(format!(
                "GFX906_OOB={value} is not `report`: it is not used"
            ));
            false
        }
        _ => false,
    });
    *PASS
}

/// Returns the checks of `GFX906_SANITIZE`: `1`, `all`, or a list of names.
fn checks() -> Option<Checks> {
    let text = std::env::var("GFX906_SANITIZE").ok()?;
    parse_checks(&text).unwrap_or_else(|problem| {
        log(format!("GFX906_SANITIZE: {problem}; all are used"));
        Some(Checks::ALL)
    })
}

fn parse_checks(text: &str) -> Result<Option<Checks>, UnknownCheck> {
    match text.trim() {
        "" | "0" => Ok(None),
        "1" | "all" => Ok(Some(Checks::ALL)),
        list => list.parse().map(Some),
    }
}

/// Returns the order of work-groups and waves: `GFX906_SCHEDULE=in-order|reverse|random[=SEED]`.
fn schedule() -> Schedule {
    let Ok(text) = std::env::var("GFX906_SCHEDULE") else {
        return Schedule::InOrder;
    };
    text.parse().unwrap_or_else(|problem| {
        log(format!("GFX906_SCHEDULE: {problem}; it is not used"));
        Schedule::InOrder
    })
}

/// Returns the most wave instructions and CPU seconds of a launch. If `GFX906_BUDGET` names only one of the two, the other has no limit.
fn budget() -> (u64, f64) {
    let Ok(text) = std::env::var("GFX906_BUDGET") else {
        return (BUDGET, SECONDS);
    };
    let budget = parse_budget(&text);
    if budget.is_none() {
        log(format!(
            "GFX906_BUDGET={text} is neither wave instructions (N) nor CPU seconds (Ns), nor both (N,Ns): it is not used"
        ));
    }
    budget.unwrap_or((BUDGET, SECONDS))
}

fn parse_budget(text: &str) -> Option<(u64, f64)> {
    let (mut instructions, mut seconds) = (u64::MAX, f64::INFINITY);
    for part in text.split(',').map(str::trim) {
        match part.strip_suffix('s') {
            Some(number) => seconds = number.parse().ok().filter(|&s: &f64| s > 0.0)?,
            None => instructions = part.parse().ok()?,
        }
    }
    Some((instructions, seconds))
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let value = text.trim().parse().ok();
    if value.is_none() {
        log(format!("{variable}={text} is no number: it is not used"));
    }
    value
}

/// Returns the clock that kernels read. It is the host's clock at the given rates in kHz, or, with `GFX906_CLOCK=instructions`, the number
/// of instructions that were executed.
pub fn time(cycles: u32, steady: u32) -> Time {
    let host = Time::Host {
        since: Instant::now(),
        cycles,
        steady,
    };
    let text = std::env::var("GFX906_CLOCK").unwrap_or_default();
    match text.trim() {
        "" | "host" => host,
        "instructions" => Time::Instructions,
        unknown => {
            log(format!(
                "GFX906_CLOCK={unknown} is neither host nor instructions: it is not used"
            ));
            host
        }
    }
}

/// Message for a user who has waited ten seconds for a kernel.
pub const PATIENCE: Patience = Patience {
    seconds: 10.0,
    tell: |kernel, instructions| {
        let kernel = demangle(kernel);
        let most = budget_text(&launches().limits);
        log(format!(
            "kernel `{kernel}` still runs after 10 seconds, {instructions} wave instructions so far; {most}; {}Ns stops it after N \
             seconds of CPU time",
            budget_flag()
        ));
    },
};

/// Returns the beginning of the setting of the budget, as the user gives it: the flag if `deltanet-check hip` has started the program, which
/// asks for a summary, or else the variable.
pub fn budget_flag() -> &'static str {
    match summary_file() {
        Some(_) => "--budget ",
        None => "GFX906_BUDGET=",
    }
}

/// Returns the time at which a launch is stopped.
fn budget_text(limits: &Limits) -> String {
    let seconds =
        (limits.seconds < f64::INFINITY).then(|| format!("{} CPU seconds", limits.seconds));
    let count = limits.instructions;
    let instructions = (count < u64::MAX).then(|| format!("{count} wave instructions"));
    let parts: Vec<String> = seconds.into_iter().chain(instructions).collect();
    match parts.is_empty() {
        true => "it has no budget".to_owned(),
        false => format!("it is stopped after {}", parts.join(" or ")),
    }
}

/// Returns the number of host threads that run a launch.
pub fn threads() -> usize {
    match ENVIRONMENT.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, budget_text, give, launches, parse_budget};

    #[test]
    fn a_text_that_is_no_setting_is_refused_and_changes_nothing() {
        let before = launches();
        for (sanitize, budget, schedule, says) in [
            (Some("rice"), None, None, "sanitize rice: "),
            (Some("1"), Some("soon"), None, "budget soon: "),
            (Some("1"), Some("5s"), Some("backwards"), "schedule: "),
        ] {
            let problem = give(sanitize, budget, schedule).expect_err(says);
            assert!(problem.starts_with(says), "{problem}");
        }
        assert_eq!(launches().limits, before.limits);
        assert_eq!(launches().sanitize, before.sanitize);
    }

    #[test]
    fn the_budget_of_a_launch_is_told() {
        let told = |text: &str| {
            let (instructions, seconds) = parse_budget(text).expect("a budget");
            budget_text(&Limits {
                instructions,
                seconds,
                ..launches().limits
            })
        };
        assert_eq!(told("5s"), "it is stopped after 5 CPU seconds");
        assert_eq!(told("7"), "it is stopped after 7 wave instructions");
        assert_eq!(
            told("7,600s"),
            "it is stopped after 600 CPU seconds or 7 wave instructions"
        );
    }

    #[test]
    fn a_budget_is_instructions_or_cpu_seconds_or_both() {
        assert_eq!(parse_budget("1000"), Some((1000, f64::INFINITY)));
        assert_eq!(parse_budget("1.5s"), Some((u64::MAX, 1.5)));
        assert_eq!(parse_budget("1000, 90s"), Some((1000, 90.0)));
        for text in ["", "s", "-1s", "0s", "many", "1000 s,"] {
            assert_eq!(parse_budget(text), None, "{text}");
        }
    }
}
