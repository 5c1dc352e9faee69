//! A trial in a process of its own. If a kernel breaks the card, or a driver's library ends the process, only that trial's verdict
//! changes, and the other trials go on.
//!
//! The process is this program again, under a hidden command. It finds the trial on its standard input and answers on its
//! standard output. It ends when it has answered, when its time is over, or when its parent ends.

mod child;
mod process;
mod reply;
mod request;
mod work;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use super::plan::{FinishedTrial, Plan};
use crate::device::{DeviceError, DeviceErrorKind, Isolation};
use crate::report::model::{LaunchReport, Verdict};

pub use child::{CHILD, ChildError, serve};
use process::{End, EndedProcess, signal_name};
use reply::ChildMessages;

/// Most lines of a process's standard error that a report takes.
const MAX_LINES: usize = 40;

/// Runs the trial in a process of its own.
pub(super) fn run(plan: &Plan<'_>, isolation: &Isolation) -> FinishedTrial {
    // Kernel output goes to standard error, because standard output is for the report.
    run_beside(plan, isolation, &mut io::stderr())
}

/// Runs a trial in a process of its own. Output of the process other than its messages goes to `beside`.
fn run_beside(plan: &Plan<'_>, isolation: &Isolation, beside: &mut impl Write) -> FinishedTrial {
    let started = Instant::now();
    let limit = isolation
        .limit
        .saturating_mul(u32::from(plan.repeat.max(1)));
    let ended = match request::write(plan, isolation.place) {
        Ok(request) => {
            let mut command = Command::new(&isolation.program);
            command.args(&isolation.args);
            process::run(command, request, limit)
        }
        Err(error) => {
            let message = format!("cannot describe the test to a process of its own: {error}");
            return plan.failed(&DeviceError::of(DeviceErrorKind::Process, message));
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    judge(plan, ended, limit, seconds, beside)
}

/// Combines the report of the trial's process with the way the process ended.
fn judge(
    plan: &Plan<'_>,
    ended: EndedProcess,
    limit: Duration,
    seconds: f64,
    beside: &mut impl Write,
) -> FinishedTrial {
    let ChildMessages {
        launches,
        finished,
        other,
    } = reply::read(&ended.output);
    let _ = beside.write_all(&other);
    let own = |finished: &FinishedTrial| {
        finished.report.id == plan.case.id && finished.report.seed == plan.seed
    };
    let finished = finished.filter(own);
    let error = trouble(&ended.end, finished.is_some(), limit);
    let (mut finished, error) = match (finished, error) {
        (Some(mut finished), None) => {
            // A driver's library may report a fault on standard error.
            if finished.failure.is_some() {
                finished.report.error = finished.report.error.map(|why| with_errors(why, &ended));
            }
            return finished;
        }
        (Some(finished), Some(error)) => (finished, error),
        (None, error) => {
            let error = error.unwrap_or_else(|| {
                DeviceError::of(
                    DeviceErrorKind::Process,
                    "the process of the test ended without a report",
                )
            });
            let mut finished = plan.failed(&error);
            finished.plant_used = plant_used(plan, &launches);
            finished.report.launches = launches;
            finished.report.seconds = seconds;
            (finished, error)
        }
    };
    finished.report.verdict = Verdict::Error;
    finished.report.error = Some(with_errors(error.message, &ended));
    finished.report.error_kind = Some(error.kind);
    finished.failure = Some(error.kind);
    finished.timed_out = matches!(ended.end, End::TimedOut | End::Stuck);
    finished
}

/// Returns the error in how a process ended, if there is one.
fn trouble(end: &End, reported: bool, limit: Duration) -> Option<DeviceError> {
    let after = if reported {
        " after it had reported"
    } else {
        " before it had reported"
    };
    let seconds = limit.as_secs_f64();
    let hung = format!(
        "the test did not end within {seconds} s and was stopped: `--timeout` sets the limit"
    );
    let (kind, message) = match end {
        End::Code(0) => return None,
        End::Code(code) => (
            DeviceErrorKind::Process,
            format!("the process of the test ended with exit code {code}{after}"),
        ),
        End::Signal(signal) => (
            DeviceErrorKind::Fault,
            format!(
                "the process of the test was ended by {}{after}",
                signal_name(*signal)
            ),
        ),
        End::TimedOut => (DeviceErrorKind::Hang, hung),
        End::Stuck => (
            DeviceErrorKind::Hang,
            format!(
                "{hung}; its process does not end even so: the driver holds it, and the card may need a reset"
            ),
        ),
        End::Lost(message) => (DeviceErrorKind::Process, message.clone()),
    };
    Some(DeviceError::of(kind, message))
}

/// Returns the message with the end of the process's standard error.
fn with_errors(mut message: String, ended: &EndedProcess) -> String {
    let text = String::from_utf8_lossy(&ended.errors);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(MAX_LINES)..];
    for line in last {
        message.push('\n');
        message.push_str(line);
    }
    message
}

/// Returns true if a reported launch used the planted bug.
fn plant_used(plan: &Plan<'_>, launches: &[LaunchReport]) -> bool {
    plan.bound.planted.is_some_and(|planted| {
        let kernels = launches.iter().map(|launch| launch.kernel.as_str());
        plan.bound.binding.plants_in(planted.bug, kernels)
    })
}
