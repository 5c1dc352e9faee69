//! The end of the program: exit codes with names, the error that ends a run, and the table that gives
//! each room's errors an exit code.

use std::fmt;
use std::process::ExitCode;

/// The exit codes, which scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Tests ran and all of them passed, or the command succeeded.
    Passed,
    /// A test failed, ended in an error, or did not run although all are required. For `exec`: a launch
    /// trapped, or a buffer differs from its expected values.
    Failed,
    /// The command line cannot be understood: a bad flag, an unknown phase or test.
    Usage,
    /// The registry, a binding, the code object, the device or the path of an output is not usable.
    Setup,
    /// The selection is valid and empty, or nothing in it can run.
    NothingSelected,
    /// The exit code of the program that `hip` ran.
    Program(u8),
    /// The number of the signal that ended the run.
    Signal(u8),
}

impl Exit {
    /// Returns the number of the exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Setup => 3,
            Exit::NothingSelected => 4,
            Exit::Program(code) => code,
            Exit::Signal(number) => 128 + number,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// An error that ends the whole run, with the run's exit code.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The exit code that the program ends with.
    pub exit: Exit,
    /// The message: what is wrong, where, and what to do. It is printed after `error: ` unless it is
    /// `rendered`.
    pub message: String,
    /// True if the message is laid out with file, line and caret, and is printed as it is.
    pub rendered: bool,
}

impl Stop {
    fn new(exit: Exit, message: impl ToString) -> Stop {
        Stop {
            exit,
            message: message.to_string(),
            rendered: false,
        }
    }

    /// Makes the error for tests that did not pass: exit code 1.
    pub fn failed(message: impl ToString) -> Stop {
        Stop::new(Exit::Failed, message)
    }

    /// Makes the error for a wrong command line: exit code 2.
    pub fn usage(message: impl ToString) -> Stop {
        Stop::new(Exit::Usage, message)
    }

    /// Makes the error for something that the run needs and cannot use: exit code 3.
    pub fn setup(message: impl ToString) -> Stop {
        Stop::new(Exit::Setup, message)
    }

    /// Makes the error for a diagnostic that is already laid out with file, line and caret: exit code 3.
    pub fn diagnostic(rendered: impl ToString) -> Stop {
        Stop {
            rendered: true,
            ..Stop::setup(rendered)
        }
    }

    /// Makes the error for a run that has nothing left to do: exit code 4.
    pub fn nothing(message: impl ToString) -> Stop {
        Stop::new(Exit::NothingSelected, message)
    }

    /// Joins errors into one, which has the exit code of the first. An empty list is `Ok`.
    pub fn join(errors: Vec<Stop>) -> Result<(), Stop> {
        let joined = errors.into_iter().reduce(|first, next| Stop {
            message: format!("{}\nerror: {}", first.message, next.message),
            ..first
        });
        joined.map_or(Ok(()), Err)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Stop {}

/// An error without an exit code of its own says that something cannot be used: exit code 3.
impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Stop::setup(format!("{error:#}"))
    }
}

/// Converts the errors of rooms into [`Stop`]. Each variant of an error has a row.
macro_rules! stops {
    ($(crate::$room:ident::$error:ident { $($variant:pat => $stop:expr,)+ })+) => { $(
        impl From<crate::$room::$error> for Stop {
            fn from(error: crate::$room::$error) -> Stop {
                use crate::$room::$error;
                match error { $($variant => $stop),+ }
            }
        }
    )+ };
}

stops! {
    crate::text::StdoutError {
        error @ StdoutError(_) => Stop::setup(error),
    }
    crate::files::FileError {
        FileError::Unusable(message) => Stop::setup(message),
        FileError::Diagnostic(laid_out) => Stop::diagnostic(laid_out),
    }
    crate::device::SetupError {
        SetupError::Flag(message) => Stop::usage(message),
        SetupError::Unusable(message) => Stop::setup(message),
    }
    crate::trial::ChildError {
        error @ (ChildError::Alien(_) | ChildError::Stdin(_)) => Stop::setup(error),
        ChildError::Stdout(error) => error.into(),
        ChildError::File(error) => error.into(),
        ChildError::Device(error) => error.into(),
    }
    crate::run::RunError {
        RunError::Flag(message) => Stop::usage(message),
        RunError::Nothing(message) => Stop::nothing(message),
        RunError::Unusable(message) => Stop::setup(message),
        RunError::File(error) => error.into(),
    }
    crate::profile::ProfileError {
        error @ ProfileError::NoKernel(..) => Stop::setup(error),
        error @ ProfileError::NotPassed(..) => Stop::failed(error),
    }
}
