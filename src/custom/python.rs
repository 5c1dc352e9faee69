//! The Python process that computes references: one for the whole run.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::results::Results;

/// The program of the process.
const PROGRAM: &str = include_str!("python.py");
/// The most elements of an array that is read. A contract's largest tensor is smaller.
const LARGEST: usize = 1 << 26;
/// The time that a process has to end after its answers ended.
const ENDING: Duration = Duration::from_millis(200);
/// The variable that names another interpreter.
const INTERPRETER: &str = "DELTANET_CHECK_PYTHON";

/// The Python processes, one for each folder of references, so that modules of one name in two folders do not meet. A process starts with the
/// first request.
#[derive(Default)]
pub(super) struct Python {
    running: Mutex<BTreeMap<PathBuf, Process>>,
    /// Results of calls that come again.
    pub results: Results,
    modules: Mutex<BTreeSet<PathBuf>>,
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
        /// Files of modules that were imported since the last reply.
        modules: Vec<PathBuf>,
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

/// The arrays of a call, and the files of modules that it has imported.
type Answer = Result<(Vec<Array>, Vec<PathBuf>), PythonError>;

/// A running process.
struct Process {
    child: Child,
    /// Requests on their way. A thread writes them, so that a process that does not read them is late and blocks nobody.
    requests: Sender<Vec<u8>>,
    answers: Receiver<Answer>,
}

impl Python {
    /// Returns the files of the modules that references have imported so far, without those of Python and of installed packages.
    pub fn modules(&self) -> Vec<PathBuf> {
        let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        modules.iter().cloned().collect()
    }

    /// Computes a reference, within some seconds.
    pub fn compute(&self, request: &Request, seconds: u64) -> Result<Vec<Array>, PythonError> {
        let head =
            serde_json::to_vec(request).map_err(|error| PythonError::Refused(error.to_string()))?;
        let body: Vec<u8> = request
            .values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = request.file.parent().unwrap_or(Path::new("")).to_owned();
        let process = match running.entry(folder.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(empty) => empty.insert(Process::start()?),
        };
        let answer = process.ask(head, &body, seconds);
        if let Err(PythonError::Late(_) | PythonError::Ended(_)) = answer {
            // The next request starts another process.
            running.remove(&folder);
        }
        let (arrays, imported) = answer?;
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        modules.extend(imported);
        Ok(arrays)
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
        let (requests, receiver) = channel();
        let spawned = thread::Builder::new()
            .name("references".into())
            .spawn(move || read_answers(BufReader::new(stdout), &sender))
            .and_then(|_| {
                let requests = thread::Builder::new().name("requests".into());
                requests.spawn(move || write_requests(stdin, &receiver))
            });
        let process = Process {
            child,
            requests,
            answers,
        };
        match spawned {
            Ok(_) => Ok(process),
            Err(error) => Err(PythonError::NoProcess(format!("{shown}: {error}"))),
        }
    }

    fn ask(&mut self, head: Vec<u8>, body: &[u8], seconds: u64) -> Answer {
        let mut request = head;
        request.push(b'\n');
        request.extend(body);
        // If the process has ended, its answers have ended too.
        let _ = self.requests.send(request);
        match self.answers.recv_timeout(Duration::from_secs(seconds)) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(PythonError::Late(seconds)),
            Err(RecvTimeoutError::Disconnected) => {
                // A process that answers something else still runs.
                thread::sleep(ENDING);
                let ended = self.child.try_wait().ok().flatten();
                let how = ended.map_or("it did not answer as asked".into(), |status| {
                    status.to_string()
                });
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

/// Writes requests until the process ends, or is no longer asked.
fn write_requests(mut to: impl Write, requests: &Receiver<Vec<u8>>) {
    for request in requests {
        if to.write_all(&request).and_then(|()| to.flush()).is_err() {
            return;
        }
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
    let (outputs, modules) = match serde_json::from_slice(&line)? {
        Reply::Outputs { outputs, modules } => (outputs, modules),
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
        // The process sends whole numbers and float64, as float64.
        let sent = ["float64", "int", "uint", "bool"];
        let sent = sent.iter().any(|known| dtype.starts_with(known));
        let count = shape
            .iter()
            .try_fold(1usize, |all, length| all.checked_mul(*length));
        let count = count
            .filter(|count| *count <= LARGEST)
            .ok_or(io::ErrorKind::InvalidData)?;
        let mut bytes = vec![0; if sent { 8 * count } else { 0 }];
        from.read_exact(&mut bytes)?;
        let values = crate::tensor::decode::<f64>(&bytes);
        arrays.push(Array {
            name,
            dtype,
            shape,
            values,
        });
    }
    Ok(Some(Ok((arrays, modules))))
}
