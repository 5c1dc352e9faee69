//! The cases of one part of a run (`--partition`).

use crate::args::RunArgs;
use crate::exit::Stop;
use crate::report::model::PartitionReport;
use crate::run::SelectedCase;

/// Returns the cases of the part that the flags name, with its report; all selected cases if they name none.
pub(super) fn take_part<'a>(
    args: &RunArgs,
    selected: Vec<SelectedCase<'a>>,
) -> Result<(Vec<SelectedCase<'a>>, Option<PartitionReport>), Stop> {
    let Some(part) = args.fleet.partition else {
        return Ok((selected, None));
    };
    if args.trials.seed.as_deref() == Some("random") {
        return Err(Stop::usage(
            "--partition with --seed random: parts of other seeds are no parts of one run; give all the same number",
        ));
    }
    let positions = part.positions(&selected);
    let report = PartitionReport {
        part: part.number,
        parts: part.parts,
        cases: selected.len(),
        positions,
    };
    let own = report.positions.iter().map(|&position| selected[position]);
    Ok((own.collect(), Some(report)))
}
