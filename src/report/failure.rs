//! One failed trial in full: what, where, why, and the line that runs it again.

use crate::verdict::{LaunchReport, OutputReport, TrialReport, Verdict};

use super::{plain, problem};

/// The lines about one trial, each with the label that stands before it.
pub(super) fn describe(trial: &TrialReport) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = trial
        .launches
        .iter()
        .map(|l| ("launch", launch(l)))
        .collect();
    if let Some(text) = &trial.error {
        let not_run = matches!(trial.verdict, Verdict::Skip | Verdict::Unsupported);
        let label = if not_run { "reason" } else { "error" };
        lines.extend(plain::lines(text).into_iter().map(|line| (label, line)));
    }
    if let Some(found) = &trial.problem {
        lines.extend(problem::explain(found, None));
    }
    for output in trial
        .outputs
        .iter()
        .filter(|output| output.problem.is_some())
    {
        lines.push(("output", heading(output)));
        if let Some(found) = &output.problem {
            lines.extend(problem::explain(found, Some(output)));
        }
        lines.push(("metrics", metrics(output)));
    }
    lines.push(("rerun", plain::line(&trial.rerun)));
    lines
}

fn launch(launch: &LaunchReport) -> String {
    let lds = if launch.dynamic_lds == 0 {
        String::new()
    } else {
        format!(", {} bytes of dynamic LDS", launch.dynamic_lds)
    };
    let (grid, block) = (plain::triple(launch.grid), plain::triple(launch.block));
    format!(
        "{}, {grid} work-groups of {block} work-items{lds}",
        plain::line(&launch.kernel)
    )
}

/// `state: f32 [row 128, column 128], tolerance 1e-5 (ceiling 1e-2)`.
fn heading(output: &OutputReport) -> String {
    let axes: Vec<String> = output
        .axes
        .iter()
        .map(|axis| format!("{} {}", plain::line(&axis.name), axis.length))
        .collect();
    let tolerance = &output.tolerance;
    let mut limits = vec![format!("ceiling {}", plain::limit(tolerance.ceiling))];
    if tolerance.relative > 0.0 {
        limits.insert(
            0,
            format!("plus {} of the value", plain::limit(tolerance.relative)),
        );
    }
    if let Some(rms) = tolerance.relative_rms {
        limits.push(format!("relative RMS {}", plain::limit(rms)));
    }
    let name = plain::line(&output.name);
    let (axes, limits) = (axes.join(", "), limits.join(", "));
    format!(
        "{name}: {} [{axes}], tolerance {} ({limits})",
        output.element,
        plain::limit(tolerance.absolute)
    )
}

fn metrics(output: &OutputReport) -> String {
    let golden = &output.golden;
    let ulp = golden.max_ulp.map_or("-".into(), |ulp| ulp.to_string());
    format!(
        "max diff {}, relative RMS {}, max ULP {ulp}; against f64: max diff {}, relative RMS {}",
        plain::error(golden.max_abs),
        plain::error(golden.relative_rms),
        plain::error(output.oracle.max_abs),
        plain::error(output.oracle.relative_rms),
    )
}
