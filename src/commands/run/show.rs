//! Who is told what happens in a run of tests.

use std::io::{self, Stdout};

use crate::args::{Format, RunArgs};
use crate::exit::Stop;
use crate::report::{Event, Json, JsonFile, Progress, Reporter, Table, TableOptions};
use crate::text::stdout_result;

/// Everyone who is told what happens.
pub(super) struct Show {
    bar: Progress,
    stdout: Box<dyn Reporter>,
    file: Option<JsonFile>,
}

impl Show {
    pub(super) fn new(args: &RunArgs) -> Show {
        let out: Stdout = io::stdout();
        let options = TableOptions {
            color: args.color.wanted(),
            verbose: args.verbose,
            ..TableOptions::default()
        };
        let stdout: Box<dyn Reporter> = match args.trials.format {
            Format::Table => Box::new(Table::new(out, options)),
            Format::Json => Box::new(Json(out)),
        };
        Show {
            bar: Progress::on_stderr(),
            stdout,
            file: args.trials.report.clone().map(JsonFile),
        }
    }

    /// Tells everyone.
    ///
    /// # Errors
    /// Standard output or the file cannot be written.
    pub(super) fn event(&mut self, event: Event<'_>) -> Result<(), Stop> {
        // A progress bar that cannot be drawn is no loss.
        let _ = self.bar.event(event);
        let filed = self.file.as_mut().map_or(Ok(()), |file| file.event(event));
        let shown = stdout_result(self.stdout.event(event));
        filed
            .map_err(|error| Stop::setup(error.to_string()))
            .and(shown)
    }
}
