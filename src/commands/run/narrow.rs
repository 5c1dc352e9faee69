//! From the selected cases to those that this run has to do with.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use crate::args::RunArgs;
use crate::exit::Stop;
use crate::fleet::Report;
use crate::select::Selected;
use crate::text::escaped;
use crate::verdict::{PartitionReport, Verdict};

/// Those of them that failed, if only those are wanted, and of these those of one part.
pub(super) fn narrow<'a>(
    args: &RunArgs,
    seed: u64,
    mut selected: Vec<Selected<'a>>,
) -> Result<(Vec<Selected<'a>>, Option<PartitionReport>), Stop> {
    if let Some(path) = &args.fleet.failed {
        selected = failed(args, path, seed, selected)?;
    }
    let Some(part) = args.fleet.partition else {
        return Ok((selected, None));
    };
    if args.trials.seed == "random" {
        return Err(Stop::usage(
            "--partition with --seed random: parts of other seeds are no parts of one run; give all the same number",
        ));
    }
    let positions = part.of(&selected);
    let report = PartitionReport {
        part: part.number,
        parts: part.parts,
        cases: selected.len(),
        positions,
    };
    let own = report.positions.iter().map(|&position| selected[position]);
    Ok((own.collect(), Some(report)))
}

fn failed<'a>(
    args: &RunArgs,
    path: &Path,
    seed: u64,
    mut selected: Vec<Selected<'a>>,
) -> Result<Vec<Selected<'a>>, Stop> {
    let report = Report::read(path)?;
    let name = &report.name;
    let before = report.at("/seed").as_u64();
    if before != Some(seed) {
        let before = before.unwrap_or_default();
        return Err(Stop::usage(format!(
            "{name} is of seed {before}, this run of {seed}: add --seed {before}"
        )));
    }
    let bad: BTreeSet<&str> = report
        .trials()
        .filter(|trial| trial.verdict != Verdict::Pass)
        .map(|trial| trial.id)
        .collect();
    if bad.is_empty() {
        return Err(Stop::nothing(format!(
            "every test of {name} passed: there is none to run again"
        )));
    }
    selected.retain(|one| bad.contains(one.case.id.as_str()));
    if selected.is_empty() {
        return Err(Stop::nothing(format!(
            "no test that did not pass in {name} is selected: loosen --phase, --test or --kernel"
        )));
    }
    let flags = &args.trials.selection;
    let narrowed = !(flags.phase.is_empty() && flags.test.is_empty() && flags.kernel.is_empty());
    let there: HashSet<&str> = selected.iter().map(|one| one.case.id.as_str()).collect();
    match bad.iter().find(|id| !there.contains(*id)) {
        // What else a flag leaves out is the user's choice.
        Some(id) if !narrowed => Err(Stop::setup(format!(
            "`{}` of {name} is no test here: name the --registry and --bind of that run",
            escaped(id)
        ))),
        _ => Ok(selected),
    }
}
