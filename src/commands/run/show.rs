//! Who is told what happens in a run of tests.

use std::io;

use crate::args::{RunArgs, RunFormat, look};
use crate::exit::Stop;
use crate::report::{
    Event, JsonLines, Progress, Reporter, Reporters, Stream, Table, TableOptions, annotations,
};
use crate::text::{print, stdout_result};

/// Everyone who is told what happens.
pub(super) struct Show {
    bar: Progress,
    stdout: Box<dyn Reporter>,
    files: Reporters,
    /// Whether GitHub reads standard output.
    annotates: bool,
}

impl Show {
    pub(super) fn new(args: &RunArgs) -> Result<Show, Stop> {
        let told = &args.trials.told;
        let out = io::stdout();
        let stdout: Box<dyn Reporter> = match (told.format, told.format.whole()) {
            (_, Some(format)) => Box::new(Stream(out, format)),
            (RunFormat::Jsonl, None) => Box::new(JsonLines(out)),
            (_, None) => Box::new(Table::new(
                out,
                TableOptions {
                    look: look(args.color),
                    verbose: args.verbose,
                    brief: args.everything(),
                    live: true,
                    ..TableOptions::default()
                },
            )),
        };
        let files = told.files()?.into_iter();
        let files = files.map(|file| Box::new(file) as Box<dyn Reporter>);
        let actions = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
        Ok(Show {
            bar: Progress::on_stderr(),
            stdout,
            files: Reporters(files.collect()),
            annotates: actions && told.format == RunFormat::Table,
        })
    }

    /// Tells everyone.
    ///
    /// # Errors
    /// Standard output or a file cannot be written.
    pub(super) fn event(&mut self, event: Event<'_>) -> Result<(), Stop> {
        let filed = self.files.event(event);
        // A progress bar that cannot be drawn is no loss.
        let _ = self.bar.event(event);
        let stdout = &mut self.stdout;
        let shown = stdout_result(self.bar.aside(|| stdout.event(event)));
        let marked = match event {
            Event::RunFinished(report) if self.annotates => print(&annotations(report)),
            _ => Ok(()),
        };
        filed
            .map_err(|error| Stop::setup(error.to_string()))
            .and(shown)
            .and(marked)
    }

    /// Whether somebody would like to be told now what there is so far.
    pub(super) fn wants_state(&self) -> bool {
        self.files.wants_state()
    }
}
