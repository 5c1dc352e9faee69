//! From the selected cases to those that this run has to do with.

use crate::args::RunArgs;
use crate::exit::Stop;
use crate::select::Selected;
use crate::verdict::PartitionReport;

/// Returns those of one part, if only a part is wanted.
pub(super) fn narrow<'a>(
    args: &RunArgs,
    selected: Vec<Selected<'a>>,
) -> Result<(Vec<Selected<'a>>, Option<PartitionReport>), Stop> {
    let Some(part) = args.fleet.partition else {
        return Ok((selected, None));
    };
    if args.trials.seed.as_deref() == Some("random") {
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
