//! What the environment says about launches: limits, threads.

use std::sync::LazyLock;
use std::time::Instant;

use gfx906::machine::{Limits, Patience, Schedule, TURN, Time};
use gfx906::observe::sanitize::Checks;

use crate::tell::tell;

/// Wave instructions of a launch, unless `GFX906_BUDGET` says otherwise: ten minutes and more.
const BUDGET: u64 = 100_000_000_000;
/// CPU seconds of a launch, unless `GFX906_BUDGET` says otherwise.
const SECONDS: f64 = 3600.0;

/// What the environment says about launches.
pub struct Settings {
    /// What a launch may use up.
    pub limits: Limits,
    /// Host threads that it takes; 0: all.
    pub threads: usize,
    /// The checks of the sanitizer that look on.
    pub sanitize: Option<Checks>,
    /// Whether what kernels do is counted for the summary: `GFX906_COUNTERS=1`.
    pub counters: bool,
    /// Whether every call returns when its work is done: `GFX906_SYNC=1`.
    pub synchronous: bool,
}

/// What it says.
pub static SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let (instructions, seconds) = budget();
    let turn = number("GFX906_TURN").and_then(|turn| u32::try_from(turn).ok());
    Settings {
        limits: Limits {
            instructions,
            seconds,
            turn: turn.unwrap_or(TURN),
            schedule: schedule(),
        },
        threads: number("GFX906_THREADS").unwrap_or(0) as usize,
        sanitize: checks(),
        counters: on("GFX906_COUNTERS"),
        synchronous: on("GFX906_SYNC"),
    }
});

/// Whether a variable is 1.
fn on(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| value.trim() == "1")
}

/// `GFX906_SANITIZE=1`, `all`, or a list of checks.
fn checks() -> Option<Checks> {
    let text = std::env::var("GFX906_SANITIZE").ok()?;
    match text.trim() {
        "" | "0" => None,
        "1" | "all" => Some(Checks::ALL),
        list => match list.parse() {
            Ok(checks) => Some(checks),
            Err(problem) => {
                tell(format!("GFX906_SANITIZE: {problem}; all are used"));
                Some(Checks::ALL)
            }
        },
    }
}

/// The order of groups and waves: `GFX906_SCHEDULE=in-order|reverse|random[=SEED]`.
fn schedule() -> Schedule {
    let Ok(text) = std::env::var("GFX906_SCHEDULE") else {
        return Schedule::InOrder;
    };
    text.parse().unwrap_or_else(|problem| {
        tell(format!("GFX906_SCHEDULE: {problem}; it is not used"));
        Schedule::InOrder
    })
}

/// Wave instructions and CPU seconds of a launch: what `GFX906_BUDGET` does not name has no limit.
fn budget() -> (u64, f64) {
    let Ok(text) = std::env::var("GFX906_BUDGET") else {
        return (BUDGET, SECONDS);
    };
    let budget = parse_budget(&text);
    if budget.is_none() {
        tell(format!(
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
        tell(format!("{variable}={text} is no number: it is not used"));
    }
    value
}

/// What kernels read as time: the host's clock, at the rates that the device's attributes say, or instructions: `GFX906_CLOCK=instructions`.
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
        other => {
            tell(format!(
                "GFX906_CLOCK={other} is neither host nor instructions: it is not used"
            ));
            host
        }
    }
}

/// Who waits for a kernel for ten seconds hears that it still runs.
pub const PATIENCE: Patience = Patience {
    seconds: 10.0,
    tell: |kernel, instructions| {
        tell(format!(
            "kernel `{kernel}` still runs after 10 seconds, {instructions} wave instructions so far; GFX906_BUDGET=Ns stops it after \
             N seconds of CPU time"
        ));
    },
};

/// Host threads that a launch takes.
pub fn threads() -> usize {
    match SETTINGS.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_budget;

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
