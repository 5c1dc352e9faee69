//! The intermediate result of a self-test, and its reports.

use std::path::Path;

use super::{SelfTest, TestResult, show};
use crate::args::{Color, look};
use crate::exit::Stop;
use crate::files::check_place;
use crate::interrupt::RunResults;
use crate::report::Growing;
use crate::text::print;

/// The result so far, and the places that it is written to.
pub(super) struct SelfTestState {
    result: SelfTest,
    verbose: bool,
    json: bool,
    file: Option<Growing>,
}

impl SelfTestState {
    /// Checks the report's path, and writes the report of a self-test that has not begun.
    ///
    /// # Errors
    /// The report cannot be written.
    pub(super) fn open(
        result: SelfTest,
        (verbose, json): (bool, bool),
        path: Option<&Path>,
    ) -> Result<SelfTestState, Stop> {
        path.map_or(Ok(()), check_place).map_err(Stop::setup)?;
        let mut state = SelfTestState {
            result,
            verbose,
            json,
            file: path.map(|path| Growing::new(path.to_owned())),
        };
        if state.file.as_ref().is_some_and(Growing::grows) {
            state.write()?;
        }
        Ok(state)
    }

    /// Adds the results of some tests.
    ///
    /// # Errors
    /// The report cannot be written.
    pub(super) fn add_tests(&mut self, tests: Vec<TestResult>) -> Result<(), Stop> {
        self.result.tests.extend(tests);
        match &self.file {
            Some(file) if file.is_due() => self.write(),
            _ => Ok(()),
        }
    }

    /// Returns the result so far.
    pub(super) fn result(&self) -> &SelfTest {
        &self.result
    }

    fn write(&mut self) -> Result<(), Stop> {
        let result = &self.result;
        match &mut self.file {
            Some(file) => file.write(|| Ok(show::json(result))).map_err(Stop::setup),
            None => Ok(()),
        }
    }
}

impl RunResults for SelfTestState {
    fn end(&mut self, complete: bool) -> Result<(), Stop> {
        self.result.complete = complete;
        let written = self.write();
        let width = look(Color::Never).width;
        let shown = print(&show::text(self.verbose, self.json, width, &self.result));
        written?;
        Ok(shown?)
    }
}
