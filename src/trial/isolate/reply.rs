//! The messages of a trial's process: each launch before it is made, and the report at the end.
//!
//! The messages are lines on standard output, where a driver's library or a kernel may write as well.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::super::FinishedTrial;
use crate::device::Launch;
use crate::report::model::LaunchReport;

/// The mark that begins a message, anywhere on a line.
const MARK: &str = "deltanet-check/trial/1 ";

/// A message of a trial's process.
#[derive(Serialize, Deserialize)]
enum Line {
    Launch {
        kernel: String,
        grid: [u32; 3],
        block: [u32; 3],
    },
    Finished(Box<FinishedTrial>),
}

/// The output of a trial's process, split into messages and other text.
#[derive(Default)]
pub struct ChildMessages {
    /// The launches that the process began.
    pub launches: Vec<LaunchReport>,
    /// The finished trial.
    pub finished: Option<FinishedTrial>,
    /// Other output of the process: text that kernels print.
    pub other: Vec<u8>,
}

/// Reports that a launch begins.
pub fn tell_launch(launch: &Launch<'_>) -> io::Result<()> {
    tell(&Line::Launch {
        kernel: launch.kernel.into(),
        grid: launch.grid,
        block: launch.block,
    })
}

/// Reports the result of the trial.
pub fn tell_finished(finished: FinishedTrial) -> io::Result<()> {
    tell(&Line::Finished(Box::new(finished)))
}

fn tell(line: &Line) -> io::Result<()> {
    let json = serde_json::to_string(line)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{MARK}{json}")?;
    out.flush()
}

/// Reads the messages of a trial's process.
pub fn read(output: &[u8]) -> ChildMessages {
    let mut messages = ChildMessages::default();
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        let at = line
            .windows(MARK.len())
            .position(|bytes| bytes == MARK.as_bytes());
        let read = at.and_then(|at| serde_json::from_slice(&line[at + MARK.len()..]).ok());
        // Unterminated output of others may stand on the line before our message.
        let before = at.filter(|_| read.is_some()).unwrap_or(line.len());
        messages.other.extend(&line[..before]);
        match read {
            Some(Line::Launch {
                kernel,
                grid,
                block,
            }) => messages.launches.push(LaunchReport {
                kernel,
                grid,
                block,
                dynamic_lds: 0,
                wave_instructions: None,
                counters: None,
                kernel_seconds: None,
                seconds: f64::NAN,
            }),
            Some(Line::Finished(finished)) => messages.finished = Some(*finished),
            None => {}
        }
    }
    messages
}
