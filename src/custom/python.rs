//! The Python process that computes references: one for the whole run.

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::results::Results;

/// The program of the process.
const PROGRAM: &str = include_str!("python.py");
/// The variable that names another interpreter.
const INTERPRETER: &str = "DELTANET_CHECK_PYTHON";

/// The Python process. It starts with the first request.
#[derive(Default)]
pub(super) struct Python {
    running: Mutex<Option<Process>>,
    /// Results of calls that come again.
    pub results: Results,
}

/// A request to compute a reference.
#[derive(Serialize)]
pub(super) struct Request {
    /// The absolute path of the Python file.
    pub file: PathBuf,
    /// The function in it.
    pub function: String,
    /// Name, kind (`float` or `integer`) and shape of each array.
    pub arrays: Vec<(String, &'static str, Vec<usize>)>,
    /// Scalars, choices and sizes.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The names of the outputs.
    pub outputs: Vec<String>,
    /// The arrays, one after the other.
    #[serde(skip)]
    pub values: Vec<f64>,
}

/// An array that a reference returned.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// Its name.
    pub name: String,
    /// The type of its elements, in NumPy's words.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its elements; empty if they are floats of another type than f64.
    pub values: Vec<f64>,
}

/// A reason why a reference has no results.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PythonError {
    /// The process cannot be started, or lacks what references need.
    NoProcess(String),
    /// The process ended.
    Ended(String),
    /// The reference did not return in time.
    Late(u64),
    /// The reference cannot be called, or returned something else than it should.
    Refused(String),
    /// The reference raised an exception.
    Raised {
        /// The exception.
        exception: String,
        /// The line of the reference's file, if the exception passed it.
        line: Option<usize>,
        /// The traceback.
        traceback: String,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Reply {
    Outputs {
        outputs: Vec<(String, String, Vec<usize>)>,
    },
    Refused {
        refused: String,
    },
    Unprepared {
        unprepared: String,
    },
    Raised {
        raised: String,
        line: Option<usize>,
        traceback: String,
    },
}

type Answer = Result<Vec<Array>, PythonError>;

/// A running process.
struct Process {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Answer>,
}

impl Python {
    /// Computes a reference, within some seconds.
    pub fn compute(&self, request: &Request, seconds: u64) -> Answer {
        let head =
            serde_json::to_vec(request).map_err(|error| PythonError::Refused(error.to_string()))?;
        let body: Vec<u8> = request
            .values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let process = match &mut *running {
            Some(process) => process,
            empty => empty.insert(Process::start()?),
        };
        let answer = process.ask(&head, &body, seconds);
        if let Err(PythonError::Late(_) | PythonError::Ended(_)) = answer {
            // The next request starts another process.
            *running = None;
        }
        answer
    }
}

impl Process {
    fn start() -> Result<Process, PythonError> {
        let given = std::env::var_os(INTERPRETER).filter(|given| !given.is_empty());
        let interpreter = given.unwrap_or_else(|| "python3".into());
        let shown = interpreter.to_string_lossy().into_owned();
        let started = Command::new(&interpreter)
            .args(["-u", "-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let failed = |error: io::Error| PythonError::NoProcess(format!("{shown}: {error}"));
        let mut child = started.map_err(failed)?;
        let lost = || PythonError::NoProcess(format!("{shown}: no pipe"));
        let stdin = child.stdin.take().ok_or_else(lost)?;
        let stdout = child.stdout.take().ok_or_else(lost)?;
        let (sender, answers) = channel();
        thread::Builder::new()
            .name("references".into())
            .spawn(move || read_answers(BufReader::new(stdout), &sender))
            .map_err(|error| PythonError::NoProcess(format!("{shown}: {error}")))?;
        Ok(Process {
            child,
            stdin,
            answers,
        })
    }

    fn ask(&mut self, head: &[u8], body: &[u8], seconds: u64) -> Answer {
        let sent = self
            .stdin
            .write_all(head)
            .and_then(|()| self.stdin.write_all(b"\n"))
            .and_then(|()| self.stdin.write_all(body))
            .and_then(|()| self.stdin.flush());
        // If the process ended, the reader says so.
        let _ = sent;
        match self.answers.recv_timeout(Duration::from_secs(seconds)) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(PythonError::Late(seconds)),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait();
                let how =
                    status.map_or_else(|error| error.to_string(), |status| status.to_string());
                Err(PythonError::Ended(how))
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may be in an endless loop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads answers until the process ends.
fn read_answers(mut from: impl BufRead, to: &Sender<Answer>) {
    while let Ok(Some(answer)) = read_answer(&mut from) {
        if to.send(answer).is_err() {
            return;
        }
    }
}

fn read_answer(from: &mut impl BufRead) -> io::Result<Option<Answer>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let outputs = match serde_json::from_slice(&line)? {
        Reply::Outputs { outputs } => outputs,
        Reply::Refused { refused } => return Ok(Some(Err(PythonError::Refused(refused)))),
        Reply::Unprepared { unprepared } => {
            return Ok(Some(Err(PythonError::NoProcess(unprepared))));
        }
        Reply::Raised {
            raised,
            line,
            traceback,
        } => {
            return Ok(Some(Err(PythonError::Raised {
                exception: raised,
                line,
                traceback,
            })));
        }
    };
    let mut arrays = Vec::new();
    for (name, dtype, shape) in outputs {
        let sent = !dtype.starts_with("float") || dtype == "float64";
        let count: usize = if sent && !dtype.starts_with("complex") && dtype != "object" {
            shape.iter().product()
        } else {
            0
        };
        let mut bytes = vec![0; 8 * count];
        from.read_exact(&mut bytes)?;
        let values = crate::tensor::decode::<f64>(&bytes);
        arrays.push(Array {
            name,
            dtype,
            shape,
            values,
        });
    }
    Ok(Some(Ok(arrays)))
}
