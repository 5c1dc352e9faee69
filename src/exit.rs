//! How the program ends: the named exit codes, and the errors that carry one.

use std::fmt;
use std::process::ExitCode;

/// The exit codes, which scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Something ran and all that ran passed, or the command did what it was asked.
    Passed,
    /// At least one test failed or ended in an error, or was not run where all are required; for `exec`, the program trapped or a buffer is
    /// not what it should be.
    Failed,
    /// The command line cannot be understood: a bad flag, an unknown phase or test.
    Usage,
    /// The registry, a binding, the code object, the device or an output place is not usable.
    Setup,
    /// The selection is valid and empty, or nothing in it can run.
    NothingSelected,
    /// The code of a program that was run.
    Program(u8),
    /// A signal ended the run: its number.
    Signal(u8),
}

impl Exit {
    /// The number.
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

/// An error that ends the whole run, with the exit code it ends with.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The code to leave with.
    pub exit: Exit,
    /// What is wrong, where, and what to do. Printed after `error: ` unless it is a rendered diagnostic.
    pub message: String,
    /// The message is already laid out (file, line, caret) and is printed as it is.
    pub rendered: bool,
}

impl Stop {
    /// The command line is wrong: exit code 2.
    pub fn usage(message: impl Into<String>) -> Stop {
        Stop {
            exit: Exit::Usage,
            message: message.into(),
            rendered: false,
        }
    }

    /// Something the run needs is not usable: exit code 3.
    pub fn setup(message: impl Into<String>) -> Stop {
        Stop {
            exit: Exit::Setup,
            message: message.into(),
            rendered: false,
        }
    }

    /// A diagnostic that is already laid out with file, line and caret: exit code 3.
    pub fn diagnostic(rendered: impl Into<String>) -> Stop {
        Stop {
            exit: Exit::Setup,
            message: rendered.into(),
            rendered: true,
        }
    }

    /// Nothing is left to run: exit code 4.
    pub fn nothing(message: impl Into<String>) -> Stop {
        Stop {
            exit: Exit::NothingSelected,
            message: message.into(),
            rendered: false,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Stop {}

/// An error nobody gave a code means that something could not be used: exit code 3.
impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Stop::setup(format!("{error:#}"))
    }
}
