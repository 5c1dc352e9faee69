//! Measured times of launches beside the modelled ones, and rows for docs/data/mi50-measured.tsv.

use std::fmt::Write as _;

use serde::Serialize;

use super::card::ConstantName;
use super::launch::LaunchProfile;
use super::model::Assumptions;
use super::report::{between, table, time};
use crate::text::kernel_label;

/// A launch that was measured and modelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The case.
    pub id: String,
    /// The least measured time, in seconds.
    pub least: f64,
    /// The median of the measured times, in seconds.
    pub median: f64,
    /// The modelled seconds divided by the median.
    pub ratio: f64,
    /// The profile of the launch, with the model's time.
    pub launch: LaunchProfile,
}

impl Measurement {
    /// Compares a launch with its measured times, of which there is at least one.
    pub fn new(id: String, mut seconds: Vec<f64>, launch: LaunchProfile) -> Measurement {
        seconds.sort_by(f64::total_cmp);
        let median = seconds[seconds.len() / 2];
        Measurement {
            id,
            least: seconds[0],
            median,
            ratio: launch.model.seconds / median,
            launch,
        }
    }

    /// Returns true if the median is within the model's spread.
    fn is_held(&self) -> bool {
        let [from, to] = self.launch.model.between;
        (from..=to).contains(&self.median)
    }
}

/// Renders the comparison as a table.
pub fn measured_text(measured: &[Measurement]) -> String {
    let rows = measured.iter().map(|one| {
        let model = &one.launch.model;
        let held = if one.is_held() { "within" } else { "outside" };
        vec![
            format!("{} {}", one.id, kernel_label(&one.launch.kernel)),
            time(model.seconds),
            between(model.between),
            model.largest.to_owned(),
            time(one.least),
            time(one.median),
            format!("{:.2}", one.ratio),
            held.to_owned(),
        ]
    });
    let header = [
        "kernel",
        "model",
        "spread",
        "mostly",
        "least",
        "median",
        "model/median",
        "median is",
    ];
    table(&header, &[1, 4, 5, 6], rows)
}

/// Renders the launches as rows of docs/data/mi50-measured.tsv.
pub fn rows_text(assumptions: &Assumptions, measured: &[Measurement]) -> String {
    let mut out = String::new();
    for (number, one) in measured.iter().enumerate() {
        let cells = cells(assumptions, number + 1, one);
        if number == 0 {
            let names = cells.iter().map(|(name, _)| *name);
            let _ = writeln!(out, "{}", names.collect::<Vec<_>>().join("\t"));
        }
        let values = cells.iter().map(|(_, value)| value.as_str());
        let _ = writeln!(out, "{}", values.collect::<Vec<_>>().join("\t"));
    }
    out
}

/// Returns the columns of a row. Each launch was measured by events of its own, so it has an id of its own.
fn cells(
    assumptions: &Assumptions,
    number: usize,
    one: &Measurement,
) -> Vec<(&'static str, String)> {
    let launch = &one.launch;
    let [x, y, z] = launch.grid;
    let items: u32 = launch.block.iter().product();
    let (chain, pipes) = (&launch.chain, launch.dealing.pipes);
    let microseconds = |seconds: f64| format!("{:.2}", seconds * 1e6);
    let fine = |value: f64| format!("{value:.6}");
    let note = format!(
        "median; least {} us, modelled {} us",
        microseconds(one.least),
        microseconds(launch.model.seconds)
    );
    let clock = assumptions.card.value(ConstantName::Clock);
    let waves_of_group = launch.waves / launch.work_groups.max(1);
    vec![
        ("id", format!("{}#{number}", one.id)),
        ("source", "YOU".into()),
        ("kernel", kernel_label(&launch.kernel)),
        ("geometry", format!("{x}x{y}x{z} wg x {items}")),
        ("nominal_MHz", clock.to_string()),
        ("measured_us", microseconds(one.median)),
        ("timing", assumptions.timing.to_string()),
        ("subtract_us", "0".into()),
        ("confidence", "2".into()),
        ("hot_in_L2", u8::from(assumptions.hot).to_string()),
        ("kind", "kernel".into()),
        ("launch", "1".into()),
        ("work_groups", launch.work_groups.to_string()),
        ("waves_a_group", waves_of_group.to_string()),
        ("chain_rounds", fine(chain.rounds)),
        ("chain_issue_vector", chain.issue.vector.to_string()),
        ("chain_issue_scalar", chain.issue.scalar.to_string()),
        ("chain_issue_memory", chain.issue.memory.to_string()),
        ("chain_waits_vector", fine(chain.waits.vector)),
        ("chain_waits_scalar", fine(chain.waits.scalar)),
        ("chain_waits_lds", fine(chain.waits.lds)),
        ("cu_valu_cycles", pipes.valu.to_string()),
        ("cu_lds_cycles", pipes.lds.to_string()),
        ("cu_vmem_lines", pipes.vmem.to_string()),
        ("cu_scalar_cycles", pipes.scalar.to_string()),
        ("bytes_read", launch.unique_bytes.read.to_string()),
        ("bytes_written", launch.unique_bytes.written.to_string()),
        ("waves", launch.waves.to_string()),
        ("vgprs", launch.resources.vgprs.to_string()),
        ("note", note),
    ]
}
