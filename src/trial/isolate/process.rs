//! A process with a time limit, its output, and its end.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The number of bytes of standard output that are kept, from the beginning.
const MAX_OUTPUT: usize = 64 << 20;
/// The number of bytes of standard error that are kept, from the end.
const MAX_ERRORS: usize = 16 << 10;
/// The time that a killed process may take to be gone. The driver may hold the process longer.
const DYING: Duration = Duration::from_secs(5);
/// The time that the last output of an ended process may take to arrive.
const DRAINING: Duration = Duration::from_secs(1);
/// The longest pause between two looks at a process.
const PAUSE: Duration = Duration::from_millis(10);

/// The remains of an ended process.
pub struct EndedProcess {
    /// The way the process ended.
    pub end: End,
    /// The process's standard output.
    pub output: Vec<u8>,
    /// The end of its standard error.
    pub errors: Vec<u8>,
}

/// The way a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// An exit with a code.
    Code(i32),
    /// Death by a signal.
    Signal(i32),
    /// A kill after the time limit.
    TimedOut,
    /// A process that survived its kill.
    Stuck,
    /// A process that did not start, or that was lost.
    Lost(String),
}

/// Runs a process with `input` on its standard input, which stays open as long as this process waits.
pub fn run(mut command: Command, input: Vec<u8>, limit: Duration) -> EndedProcess {
    let started = Instant::now();
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = match piped.spawn() {
        Ok(child) => child,
        Err(error) => {
            return EndedProcess {
                end: End::Lost(format!("cannot start a process for the test: {error}")),
                output: Vec::new(),
                errors: Vec::new(),
            };
        }
    };
    let (hold, held) = mpsc::channel::<()>();
    if let Some(mut stdin) = child.stdin.take() {
        // The thread is not joined, because a process that cannot be killed may never read to the end.
        // If no thread can be started, the process finds its input cut off and reports that.
        let _ = thread::Builder::new().spawn(move || {
            // A process that ended early reads no more. Its end gives the reason.
            let _ = stdin.write_all(&input).and_then(|()| stdin.flush());
            let _ = held.recv();
        });
    }
    let output = StreamReader::of(child.stdout.take(), |kept, new| {
        let room = MAX_OUTPUT.saturating_sub(kept.len());
        kept.extend(&new[..new.len().min(room)]);
    });
    let errors = StreamReader::of(child.stderr.take(), |kept, new| {
        kept.extend(new);
        let over = kept.len().saturating_sub(MAX_ERRORS);
        kept.drain(..over);
    });
    let end = wait(&mut child, started + limit);
    drop(hold);
    EndedProcess {
        end,
        output: output.take(),
        errors: errors.take(),
    }
}

fn wait(child: &mut Child, deadline: Instant) -> End {
    match wait_until(child, deadline) {
        Ok(Some(status)) => return end(status),
        Ok(None) => {}
        Err(end) => return end,
    }
    // The process may have ended at this very moment, so a failed kill is harmless.
    let _ = child.kill();
    match wait_until(child, Instant::now() + DYING) {
        Ok(Some(_)) => End::TimedOut,
        Ok(None) => End::Stuck,
        Err(end) => end,
    }
}

/// Waits for a process until the deadline. Returns its status, or none if it still runs.
fn wait_until(child: &mut Child, deadline: Instant) -> Result<Option<ExitStatus>, End> {
    let mut pause = Duration::from_millis(1);
    loop {
        let status = child
            .try_wait()
            .map_err(|error| End::Lost(format!("the process of the test is lost: {error}")))?;
        let left = deadline.saturating_duration_since(Instant::now());
        if status.is_some() || left.is_zero() {
            return Ok(status);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(PAUSE);
    }
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Lost(format!("the process of the test ended oddly: {status}")),
    }
}

/// The bytes of a stream, which a thread reads.
struct StreamReader {
    bytes: Arc<Mutex<Vec<u8>>>,
    done: Receiver<()>,
}

impl StreamReader {
    fn of(
        stream: Option<impl Read + Send + 'static>,
        keep: impl Fn(&mut Vec<u8>, &[u8]) + Send + 'static,
    ) -> StreamReader {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (finish, done) = mpsc::channel();
        let kept = Arc::clone(&bytes);
        // If no thread can be started, the stream is closed, and the process ends without an answer.
        let _ = thread::Builder::new().spawn(move || {
            let mut piece = [0; 8192];
            let mut stream = stream;
            while let Some(Ok(count @ 1..)) = stream.as_mut().map(|stream| stream.read(&mut piece))
            {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                keep(&mut kept, &piece[..count]);
            }
            // The send fails if the parent gave up on a process that did not end.
            let _ = finish.send(());
        });
        StreamReader { bytes, done }
    }

    /// Waits for the end of the stream, with a limit, because another process may hold it open.
    fn take(&self) -> Vec<u8> {
        let _ = self.done.recv_timeout(DRAINING);
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the name of a signal of Linux.
pub fn signal_name(signal: i32) -> String {
    const NAMES: [(i32, &str); 15] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (31, "SIGSYS"),
    ];
    let known = NAMES.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).into())
}
