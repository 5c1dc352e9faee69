//! The outputs of a run of tests: the progress bar, standard output, and the files of reports.

use std::io;

use crate::args::{RunArgs, RunFormat, look};
use crate::exit::Stop;
use crate::report::{
    Event, JsonLines, Progress, Reporter, Reporters, Stream, Table, TableOptions, annotations,
};
use crate::text::{print, stdout_result};

/// The outputs of a run, which receive its events.
pub(super) struct RunOutput {
    bar: Progress,
    stdout: Box<dyn Reporter>,
    files: Reporters,
    /// True if GitHub reads standard output.
    annotates: bool,
}

impl RunOutput {
    pub(super) fn new(args: &RunArgs) -> Result<RunOutput, Stop> {
        let flags = &args.trials.output;
        let out = io::stdout();
        let stdout: Box<dyn Reporter> = match (flags.format, flags.format.whole_report()) {
            (_, Some(format)) => Box::new(Stream(out, format)),
            (RunFormat::Jsonl, None) => Box::new(JsonLines(out)),
            (_, None) => Box::new(Table::new(
                out,
                TableOptions {
                    look: look(args.color),
                    verbose: args.verbose,
                    brief: args.runs_all_tests(),
                    live: true,
                    ..TableOptions::default()
                },
            )),
        };
        let files = flags.files()?.into_iter();
        let files = files.map(|file| Box::new(file) as Box<dyn Reporter>);
        let actions = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
        Ok(RunOutput {
            bar: Progress::on_stderr(),
            stdout,
            files: Reporters(files.collect()),
            annotates: actions && flags.format == RunFormat::Table,
        })
    }

    /// Sends an event to all outputs.
    ///
    /// # Errors
    /// Standard output or a file cannot be written.
    pub(super) fn send(&mut self, event: Event<'_>) -> Result<(), Stop> {
        let filed = self.files.event(event);
        // A progress bar that cannot be drawn is no loss.
        let _ = self.bar.event(event);
        let stdout = &mut self.stdout;
        let shown = stdout_result(self.bar.aside(|| stdout.event(event)));
        let annotated = match event {
            Event::RunFinished(report) if self.annotates => print(&annotations(report)),
            _ => Ok(()),
        };
        filed.map_err(Stop::setup)?;
        Ok(shown.and(annotated)?)
    }

    /// Returns true if it is time to write the report so far to a file.
    pub(super) fn wants_state(&self) -> bool {
        self.files.wants_state()
    }
}
