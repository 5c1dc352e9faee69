//! `merge`: reports of the parts of a run put together.

use super::run;
use crate::args::MergeArgs;
use crate::exit::{Exit, Stop};
use crate::files::write_atomically;
use crate::fleet::merge::merge;
use crate::fleet::report::{Trial, totals};
use crate::fleet::{Report, known::Known};
use crate::text::{escaped, print};
use crate::verdict::Verdict;

/// Does what the flags of `merge` say.
pub fn run(args: &MergeArgs) -> Result<Exit, Stop> {
    let known = args.known.as_deref().map(Known::read).transpose()?;
    let reports = args
        .reports
        .iter()
        .map(|path| Report::read(path))
        .collect::<Result<Vec<_>, _>>()?;
    let merged = merge(&reports)?;
    if let Some(known) = &known {
        let ids: Vec<&str> = merged.trials().map(|trial| trial.id).collect();
        known.check(&ids)?;
    }
    if let Some(path) = &args.output {
        let text = format!("{:#}\n", merged.value);
        write_atomically(path, text.as_bytes()).map_err(|error| Stop::setup(error.to_string()))?;
    }
    print(&summary(reports.len(), &merged))?;
    match known {
        Some(known) => run::known::exit(&known, &merged, args.require_all, false),
        None => Ok(run::exit(&totals(merged.trials()), args.require_all)),
    }
}

/// What did not pass, and how many did.
fn summary(reports: usize, merged: &Report) -> String {
    let bad = |trial: &Trial<'_>| !matches!(trial.verdict, Verdict::Pass | Verdict::Skip);
    let row = |trial: Trial<'_>| {
        let again = trial.value["rerun"]
            .as_str()
            .map_or_else(String::new, |line| format!("    {}\n", escaped(line)));
        format!(
            "{:<11} {}\n{again}",
            trial.verdict.word(),
            escaped(trial.id)
        )
    };
    let mut text: String = merged.trials().filter(bad).map(row).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    let totals = totals(merged.trials());
    let others = Verdict::ALL
        .into_iter()
        .filter(|&verdict| verdict != Verdict::Pass && totals.of(verdict) > 0);
    let others: Vec<String> = others
        .map(|verdict| format!(", {} {}", totals.of(verdict), verdict.word()))
        .collect();
    text.push_str(&format!("reports          {reports}\n"));
    text.push_str(&format!(
        "all tests        {}/{} passed{}\n",
        totals.pass,
        totals.total(),
        others.concat()
    ));
    text
}
