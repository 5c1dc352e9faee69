//! The report of profiles, as text and as JSON.

use std::fmt::Write as _;
use std::io;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::constants::{CUS, SIMDS, TABLE};
use super::counts::ModelComparison;
use super::launch::LaunchProfile;
use super::model::{Card, Interval};
use super::trial::CaseProfile;
use crate::text::kernel_label;

/// Name and version of the JSON format.
pub const SCHEMA: &str = "deltanet-check/profile/1";
/// The format of the comparison of the model with measurements.
pub const HELD: &str = "deltanet-check/held/1";

/// The report of profiles, as JSON has it.
#[derive(Clone, Debug, Serialize)]
pub struct ProfileReport {
    /// Name and version of this format.
    pub schema: &'static str,
    /// True if the report contains all cases.
    pub complete: bool,
    /// Cases that were selected; a launch file is one.
    pub selected: usize,
    /// Clock of the card in MHz.
    pub clock_mhz: f64,
    /// The cases.
    pub profiles: Vec<CaseProfile>,
    /// Cases that are not profiled because they failed.
    pub failed: Vec<UnprofiledCase>,
}

/// A case that is not profiled.
#[derive(Clone, Debug, Serialize)]
pub struct UnprofiledCase {
    /// The id that `--test` takes, or the launch file.
    pub id: String,
    /// The reason.
    pub message: String,
}

impl ProfileReport {
    /// Makes the report of a run that has not begun.
    pub fn nothing_yet(card: Card, selected: usize) -> ProfileReport {
        ProfileReport {
            schema: SCHEMA,
            complete: false,
            selected,
            clock_mhz: card.clock,
            profiles: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// Returns the number of cases in the report, profiled or not.
    pub fn done(&self) -> usize {
        self.profiles.len() + self.failed.len()
    }

    /// Describes the progress of an unfinished run.
    pub fn unfinished(&self) -> Option<String> {
        let (done, all) = (self.done(), self.selected);
        (!self.complete).then(|| format!("{done} of {all} cases"))
    }

    /// Renders the report as JSON.
    ///
    /// # Errors
    /// The report cannot be serialised.
    pub fn json(&self) -> io::Result<String> {
        let value = serde_json::to_value(self).map_err(io::Error::from)?;
        Ok(format!("{value:#}\n"))
    }
}

/// Formats a time in a suitable unit.
pub(super) fn time(seconds: f64) -> String {
    let (scaled, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    let digits = match scaled {
        s if s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$} {unit}")
}

pub(super) fn between([lower, upper]: Interval) -> String {
    format!("{} to {}", time(lower), time(upper))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Formats a number of bytes.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// Formats a table without borders. The columns in `right` are aligned to the right.
fn table(header: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(header.to_vec())
        .add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// Renders the profiles as text.
pub fn text(report: &ProfileReport) -> String {
    let mut out = format!(
        "modelled on {CUS} compute units at {} MHz: bounds from what was counted, no measurement (docs/profile.md)\n",
        report.clock_mhz
    );
    for profiled in &report.profiles {
        let shape = profiled.shape.as_ref();
        let shape = shape.map_or_else(String::new, |shape| format!("  {shape}"));
        let count = profiled.launches.len();
        let _ = write!(
            out,
            "\n{}{shape}\n  {count} launch{}, one after another: {}, of which {} is launching\n",
            profiled.id,
            if count == 1 { "" } else { "es" },
            between(profiled.seconds),
            time(profiled.launching)
        );
        for (same, times) in together(&profiled.launches) {
            out += &launch(same, times);
        }
    }
    if let Some(unfinished) = report.unfinished() {
        let _ = writeln!(out, "\ninterrupted: {unfinished}");
    }
    out
}

/// Groups consecutive launches with equal profiles, and counts them.
pub(super) fn together(launches: &[LaunchProfile]) -> Vec<(&LaunchProfile, usize)> {
    let mut told: Vec<(&LaunchProfile, usize)> = Vec::new();
    for launch in launches {
        match told.last_mut().filter(|(known, _)| *known == launch) {
            Some((_, times)) => *times += 1,
            None => told.push((launch, 1)),
        }
    }
    told
}

fn launch(launch: &LaunchProfile, times: usize) -> String {
    let mut out = format!("\n  {}\n", heading(launch, times));
    for (name, what) in lines(launch) {
        let _ = writeln!(out, "    {name:<13}{what}");
    }
    out
}

/// Formats a kernel, its grid and block, and the number of its equal launches.
pub(super) fn heading(launch: &LaunchProfile, times: usize) -> String {
    let [x, y, z] = launch.grid;
    let [width, height, depth] = launch.block;
    let times = match times {
        1 => String::new(),
        times => format!(", {times} times"),
    };
    let kernel = kernel_label(&launch.kernel);
    format!("{kernel}  grid {x}x{y}x{z}, block {width}x{height}x{depth}{times}")
}

/// Returns the facts about a launch, each with its name.
pub(super) fn lines(launch: &LaunchProfile) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let mut say = |name: &'static str, what: String| lines.push((name, what));
    let model = &launch.model;
    say(
        "time",
        format!("{}, limited by {}", between(model.seconds), model.limiter),
    );
    let [least, most] = model.share_of_floor;
    say(
        "floor",
        format!(
            "{} by {}: {} to {} of the time",
            time(model.floor),
            model.floor_of,
            percent(least),
            percent(most)
        ),
    );
    let dealing = &launch.dealing;
    let pipes = dealing.pipes;
    say(
        "busiest CU",
        format!(
            "{} cycles overlapped, {} in turn: valu {}, lds {}, vmem {}, scalar {}",
            dealing.overlapped, dealing.in_turn, pipes.valu, pipes.lds, pipes.vmem, pipes.scalar
        ),
    );
    say(
        "card",
        format!(
            "{} work-groups, {} waves on {} of {CUS} CUs, {} of {} SIMDs ({}); balance {}",
            launch.work_groups,
            launch.waves,
            dealing.compute_units,
            dealing.simds,
            CUS * SIMDS,
            percent(dealing.fill),
            percent(dealing.balance)
        ),
    );
    let (occupancy, resources) = (&launch.occupancy, &launch.resources);
    say(
        "occupancy",
        format!(
            "{} waves a SIMD, {} work-groups a CU, limited by {}; {} VGPRs, {} SGPRs, {} B LDS, {} B scratch, {} spills",
            occupancy.waves_a_simd,
            occupancy.groups,
            occupancy.limiter,
            resources.vgprs,
            resources.sgprs,
            resources.lds,
            resources.scratch,
            resources.vgpr_spills + resources.sgpr_spills
        ),
    );
    let some = launch.instructions.iter().filter(|(_, count)| **count > 0);
    let some: Vec<String> = some
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    say("instructions", some.join(", "));
    say(
        "LDS",
        format!(
            "{} cycles, {} without bank conflicts",
            launch.lds_cycles, launch.lds_cycles_ideal
        ),
    );
    say(
        "lines",
        format!(
            "{} of 64 bytes asked for, {} would do",
            launch.lines, launch.lines_ideal
        ),
    );
    let unique = launch.unique_bytes;
    say(
        "memory",
        format!(
            "{} read, {} written, each byte once: {}",
            bytes(unique.read),
            bytes(unique.written),
            time(model.memory[0])
        ),
    );
    let chain = launch.chain;
    say(
        "chain",
        format!(
            "{} to {} cycles of the longest work-group alone, {} to {} of them waiting",
            chain.cycles[0], chain.cycles[1], chain.waited[0], chain.waited[1]
        ),
    );
    for hint in &launch.hints {
        say("hint", hint.clone());
    }
    lines
}

/// Renders the comparison of the model with measurements.
pub fn held_text(held: &[ModelComparison]) -> String {
    let mut rows = Vec::new();
    for kernel in held {
        for measured in &kernel.measured {
            let verdict = match measured.factor {
                1.0 => "inside".to_owned(),
                factor if factor > 1.0 => format!("{factor:.1} times the upper end"),
                factor => format!("{factor:.2} of the lower end"),
            };
            rows.push(vec![
                format!("{}: {}", kernel.name, measured.what),
                format!("{:.0}", kernel.clock),
                between(kernel.seconds),
                kernel.model.limiter.to_owned(),
                time(measured.seconds),
                verdict,
            ]);
        }
    }
    table(
        &[
            "kernel",
            "MHz",
            "model",
            "limited by",
            "measured",
            "which is",
        ],
        &[1, 2, 4],
        rows,
    )
}

/// Renders the table of constants.
pub fn constants_text() -> String {
    let rows = TABLE.iter().map(|row| {
        let value = format!("{} {}", row.value, row.unit);
        vec![
            row.name.to_owned(),
            value.trim().to_owned(),
            row.source.to_owned(),
        ]
    });
    table(&["constant", "value", "source"], &[1], rows)
}
