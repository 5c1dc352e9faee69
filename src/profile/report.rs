//! The report of profiles, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::card::{Card, ConstantName, TERMS};
use super::constants::{CUS, SIMDS, TABLE};
use super::launch::LaunchProfile;
use super::model::{Assumptions, Interval, Timing};
use super::trial::CaseProfile;
use crate::text::kernel_label;

/// Name and version of the JSON format.
pub const SCHEMA: &str = "deltanet-check/profile/2";

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
    /// The way in which the times would be measured.
    pub timing: Timing,
    /// True if the data are in the L2 when a kernel begins.
    pub hot: bool,
    /// The constants of the card.
    pub constants: BTreeMap<&'static str, f64>,
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
    pub fn nothing_yet(assumptions: &Assumptions, selected: usize) -> ProfileReport {
        ProfileReport {
            schema: SCHEMA,
            complete: false,
            selected,
            clock_mhz: assumptions.card.value(ConstantName::Clock),
            timing: assumptions.timing,
            hot: assumptions.hot,
            constants: assumptions
                .card
                .constants()
                .map(|(name, constant)| (name, constant.value))
                .collect(),
            profiles: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// Returns the number of cases in the report, profiled or not.
    pub fn done(&self) -> usize {
        self.profiles.len() + self.failed.len()
    }

    /// Describes what the times assume.
    pub(super) fn assumed(&self) -> String {
        let data = match self.hot {
            true => "data in the L2",
            false => "data in memory",
        };
        let timing = match self.timing {
            Timing::Stream => "from launch to launch in a stream",
            Timing::Graph => "from launch to launch in a graph",
            Timing::Event => "by events around each launch",
            Timing::Trace => "by a profiler's trace",
        };
        let clock = self.clock_mhz;
        format!("modelled on {CUS} compute units at {clock} MHz, {data}, timed {timing}")
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
pub(super) fn table(
    header: &[&str],
    right: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
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

/// Formats a time with its spread and its ends.
pub(super) fn estimated(seconds: f64, between: Interval) -> String {
    let spread = (between[1] / between[0]).sqrt();
    let spread = if spread.is_finite() { spread } else { 1.0 };
    format!(
        "{} x/÷ {spread:.2} ({})",
        time(seconds),
        self::between(between)
    )
}

/// Formats the number of a case's launches, and their time.
pub(super) fn summary(profiled: &CaseProfile) -> String {
    let count = profiled.launches.len();
    format!(
        "{count} launch{}, one after another: {}, of which {} is overhead",
        if count == 1 { "" } else { "es" },
        estimated(profiled.seconds, profiled.between),
        time(profiled.overhead)
    )
}

/// Renders the profiles as text.
pub fn text(report: &ProfileReport) -> String {
    let mut out = format!("{} (docs/profile.md)\n", report.assumed());
    for profiled in &report.profiles {
        let shape = profiled.shape.as_ref();
        let shape = shape.map_or_else(String::new, |shape| format!("  {shape}"));
        let _ = write!(out, "\n{}{shape}\n  {}\n", profiled.id, summary(profiled));
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
        format!(
            "{}, mostly {}",
            estimated(model.seconds, model.between),
            model.largest
        ),
    );
    let parts = TERMS.into_iter().zip(model.terms.all());
    let parts = parts.map(|(name, seconds)| match name {
        "pipes" => format!("{name} {} ({})", time(seconds), model.pipe),
        _ => format!("{name} {}", time(seconds)),
    });
    say("consists of", parts.collect::<Vec<_>>().join(", "));
    say(
        "bound",
        format!(
            "{} by {}: the kernel cannot be faster",
            time(model.bound),
            model.bound_by
        ),
    );
    say(
        "floor",
        format!(
            "{} by {}: {} of the kernel's {}",
            time(model.floor),
            model.floor_of,
            percent(model.share_of_floor),
            time(model.kernel)
        ),
    );
    let dealing = &launch.dealing;
    let pipes = dealing.pipes;
    say(
        "busiest CU",
        format!(
            "valu {} cycles, lds {} cycles, vmem {} lines, scalar {} instructions",
            pipes.valu, pipes.lds, pipes.vmem, pipes.scalar
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
            "{} read, {} written, each byte once",
            bytes(unique.read),
            bytes(unique.written)
        ),
    );
    let chain = launch.chain;
    say(
        "chain",
        format!(
            "{} cycles of the longest work-group alone, {} of them waiting: {:.1} waits for vector memory, {:.1} for scalar memory, {:.1} for LDS",
            chain.cycles[1],
            chain.waited[1],
            chain.waits.vector,
            chain.waits.scalar,
            chain.waits.lds
        ),
    );
    for hint in &launch.hints {
        say("hint", hint.clone());
    }
    lines
}

/// Renders the tables of constants: those of the card's speed, the spreads, and the facts that the model takes as they are.
pub fn constants_text(card: &Card) -> String {
    let constants = card.constants().map(|(name, constant)| {
        let interval = constant
            .interval
            .map_or_else(String::new, |[low, high]| format!("{low} to {high}"));
        let value = format!("{} {}", constant.value, constant.unit);
        let source = constant.source.clone();
        vec![name.to_owned(), value, interval, source]
    });
    let spreads = card
        .spreads()
        .map(|(name, factor)| vec![name.to_owned(), format!("{factor:.2}")]);
    let facts = TABLE.iter().map(|row| {
        let value = format!("{} {}", row.value, row.unit);
        vec![
            row.name.to_owned(),
            value.trim().to_owned(),
            row.source.to_owned(),
        ]
    });
    [
        table(
            &["constant", "value", "90 % of fits", "source"],
            &[1],
            constants,
        ),
        table(&["largest term", "spread"], &[1], spreads),
        table(&["fact", "value", "source"], &[1], facts),
    ]
    .join("\n")
}
