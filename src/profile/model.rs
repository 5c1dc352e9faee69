//! The model of a launch's time on the card: one time, the terms that it consists of, and how far off such times are.
//!
//! scripts/fit-model.py has the same formulas, and fits their constants on measurements.

use std::fmt;
use std::str::FromStr;

use gfx906::observe::Bytes;
use gfx906::observe::costs::GroupCost;
use serde::Serialize;

use super::card::{Card, ConstantName, TERMS};
use super::constants::{CUS, MEMORY, SIMDS};
use super::dealing::{Dealing, deal};

/// The way in which a time is measured, which decides the overhead that it contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// Launches that follow each other in a stream.
    #[default]
    Stream,
    /// Launches of a replayed graph.
    Graph,
    /// Events around one launch.
    Event,
    /// Begin to end of a kernel in a profiler's trace.
    Trace,
}

impl Timing {
    const ALL: [Timing; 4] = [Timing::Stream, Timing::Graph, Timing::Event, Timing::Trace];

    /// Returns the name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Timing::Stream => "stream",
            Timing::Graph => "graph",
            Timing::Event => "event",
            Timing::Trace => "trace",
        }
    }

    /// Returns the constant that says what this timing adds to a kernel's time.
    fn constant(self) -> ConstantName {
        match self {
            Timing::Stream => ConstantName::Stream,
            Timing::Graph => ConstantName::Graph,
            Timing::Event => ConstantName::Event,
            Timing::Trace => ConstantName::Trace,
        }
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no timing.
#[derive(Debug, thiserror::Error)]
#[error("it is `stream`, `graph`, `event` or `trace`")]
pub struct UnknownTiming;

impl FromStr for Timing {
    type Err = UnknownTiming;

    fn from_str(word: &str) -> Result<Timing, UnknownTiming> {
        let mut all = Timing::ALL.into_iter();
        all.find(|timing| timing.name() == word)
            .ok_or(UnknownTiming)
    }
}

/// The card, and the circumstances that the model cannot know from a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumptions {
    /// The card.
    pub card: Card,
    /// The way in which the time would be measured.
    pub timing: Timing,
    /// True if the data are in the L2 when the kernel begins, and fit into it.
    pub hot: bool,
}

/// The work that a launch asks of the card.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Cycles until the last work-group has ended, if work-groups do not slow each other down.
    pub chain: f64,
    /// Cycles of the vector ALU of the busiest SIMD.
    pub valu: f64,
    /// Cycles of LDS of the busiest compute unit.
    pub lds: f64,
    /// Lines of vector memory of the busiest compute unit.
    pub lines: f64,
    /// Scalar instructions of the busiest compute unit.
    pub scalar: f64,
    /// Different bytes of memory that are read and written.
    pub bytes: Bytes,
    /// Waves.
    pub waves: f64,
}

/// Seconds of the terms of a launch's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Terms {
    /// The work-groups' chains of instructions that wait for each other.
    pub chain: f64,
    /// The slowest pipe of the busiest compute unit.
    pub pipes: f64,
    /// The bytes.
    pub memory: f64,
    /// The dispatch of waves.
    pub dispatch: f64,
    /// The overhead of launching, by the timing.
    pub overhead: f64,
}

impl Terms {
    /// Returns the terms in the order of `TERMS`.
    pub fn all(self) -> [f64; TERMS.len()] {
        let Terms {
            chain,
            pipes,
            memory,
            dispatch,
            overhead,
        } = self;
        [chain, pipes, memory, dispatch, overhead]
    }

    /// Returns the seconds of the kernel, whose terms overlap in part.
    pub fn kernel(self) -> f64 {
        let [terms @ .., _] = self.all();
        terms.iter().map(|term| term * term).sum::<f64>().sqrt()
    }

    /// Returns the place of the largest term.
    pub fn largest(self) -> usize {
        let all = self.all().into_iter().enumerate();
        let most = all.fold(
            (0, 0.0),
            |most, one| if one.1 > most.1 { one } else { most },
        );
        most.0
    }
}

/// A lower and an upper end.
pub type Interval = [f64; 2];

/// The estimated time of a launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Seconds of the launch, with the overhead.
    pub seconds: f64,
    /// The factor that holds nine of ten measured times whose largest term is the same.
    pub spread: f64,
    /// The seconds divided and multiplied by the spread.
    pub between: Interval,
    /// Seconds of the kernel, without the overhead.
    pub kernel: f64,
    /// The terms.
    pub terms: Terms,
    /// The largest term.
    pub largest: &'static str,
    /// The slowest pipe: `valu`, `lds`, `vmem` or `scalar`.
    pub pipe: &'static str,
    /// Seconds that no kernel with these instructions and this distribution can be faster than.
    pub bound: f64,
    /// The resource that determines the bound: `valu`, `lds`, `vmem`, `scalar`, `memory` or `chain`.
    pub bound_by: &'static str,
    /// The least that these instructions and bytes could take, evenly spread over the card, in seconds.
    pub floor: f64,
    /// The resource that determines the floor: `valu` or `memory`.
    pub floor_of: &'static str,
    /// The floor as a share of the kernel's seconds.
    pub share_of_floor: f64,
}

/// Returns the terms of a launch's time, and the slowest pipe.
pub fn terms(assumptions: &Assumptions, work: &Work) -> (Terms, &'static str) {
    let card = &assumptions.card;
    let value = |name| card.value(name);
    let (pipe, cycles) = most(&[
        ("valu", work.valu),
        ("lds", work.lds),
        ("vmem", value(ConstantName::Line) * work.lines),
        (
            "scalar",
            value(ConstantName::ScalarInstruction) * work.scalar,
        ),
    ]);
    let [read, written] = [work.bytes.read as f64, work.bytes.written as f64];
    let memory = match assumptions.hot {
        true => (read + written) / value(ConstantName::L2),
        false => read / value(ConstantName::Read) + written / value(ConstantName::Write),
    };
    let terms = Terms {
        chain: card.seconds(work.chain),
        pipes: card.seconds(cycles),
        memory: memory / 1e9,
        dispatch: card.seconds(value(ConstantName::Wave) * work.waves),
        overhead: value(assumptions.timing.constant()) * 1e-6,
    };
    (terms, pipe)
}

/// Estimates the time of work-groups of which a compute unit holds `at_once`.
pub fn estimate(
    assumptions: &Assumptions,
    groups: &[&GroupCost],
    at_once: u32,
    bytes: Bytes,
) -> (Dealing, Estimate) {
    let card = &assumptions.card;
    let dealing = deal(groups, at_once);
    let [near, fitted] = dealing.chain.map(|cycles| cycles as f64);
    let pipes = dealing.pipes;
    let work = Work {
        chain: fitted,
        valu: pipes.valu as f64,
        lds: pipes.lds as f64,
        lines: pipes.vmem as f64,
        scalar: pipes.scalar as f64,
        bytes,
        waves: groups.iter().map(|group| group.valu.len() as f64).sum(),
    };
    let (terms, pipe) = terms(assumptions, &work);
    // Measurements are below a cycle for a line or a scalar instruction, so a bound cannot have more.
    let least = |name| card.value(name).min(1.0);
    // Data in the L2 have no bound here but the compute units' own lines.
    let memory = match assumptions.hot {
        true => 0.0,
        false => (bytes.read + bytes.written) as f64 / MEMORY,
    };
    let (bound_by, bound) = most(&[
        ("valu", card.seconds(work.valu)),
        ("lds", card.seconds(work.lds)),
        ("vmem", card.seconds(least(ConstantName::Line) * work.lines)),
        (
            "scalar",
            card.seconds(least(ConstantName::ScalarInstruction) * work.scalar),
        ),
        ("memory", memory),
        ("chain", card.seconds(near)),
    ]);
    let valu: u64 = groups.iter().flat_map(|group| &group.valu).sum();
    let spread_evenly = card.seconds(valu as f64 / (CUS * SIMDS) as f64);
    let (floor_of, floor) = most(&[("valu", spread_evenly), ("memory", memory)]);
    let (kernel, largest) = (terms.kernel(), terms.largest());
    let (seconds, spread) = (kernel + terms.overhead, card.spread(largest));
    let estimate = Estimate {
        seconds,
        spread,
        between: [seconds / spread, seconds * spread],
        kernel,
        terms,
        largest: TERMS[largest],
        pipe,
        bound,
        bound_by,
        floor,
        floor_of,
        share_of_floor: if kernel > 0.0 { floor / kernel } else { 1.0 },
    };
    (dealing, estimate)
}

/// Returns the greatest entry, and of equal entries the first.
fn most(found: &[(&'static str, f64)]) -> (&'static str, f64) {
    let start = ("valu", 0.0);
    found.iter().fold(start, |most, one| match one.1 > most.1 {
        true => *one,
        false => most,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use gfx906::observe::costs::Path;

    use super::*;

    fn assumptions(clock: f64, timing: Timing, hot: bool) -> Assumptions {
        Assumptions {
            card: Card::built_in().with_clock(clock),
            timing,
            hot,
        }
    }

    fn close(found: f64, wanted: f64) {
        assert!(
            (found - wanted).abs() <= 1e-5 * wanted.abs(),
            "{found:e} {wanted:e}"
        );
    }

    /// Reads a table whose first line has the names of the columns.
    fn rows(text: &'static str) -> Vec<HashMap<&'static str, &'static str>> {
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().expect("names").split('\t').collect();
        lines
            .map(|line| names.iter().copied().zip(line.split('\t')).collect())
            .collect()
    }

    /// The program and scripts/fit-model.py compute the same times from the same counts.
    #[test]
    fn the_script_that_fits_the_model_agrees() {
        let measured = rows(include_str!("../../docs/data/mi50-measured.tsv"));
        let modelled = rows(include_str!("../../docs/data/mi50-modelled.tsv"));
        assert_eq!(measured.len(), modelled.len());
        assert!(measured.len() > 50, "{}", measured.len());
        for (counted, wanted) in measured.iter().zip(&modelled) {
            assert_eq!(counted["id"], wanted["id"]);
            let of = |name: &str| counted[name].parse::<f64>().expect(name);
            let wanted = |name: &str| wanted[name].parse::<f64>().expect(name);
            // Of several launches that one event spans, those after the first follow it in the stream.
            let timing = match counted["timing"].parse().expect("a timing") {
                Timing::Event if wanted("launch") > 1.0 => Timing::Stream,
                timing => timing,
            };
            let assumptions = assumptions(wanted("clock_MHz"), timing, of("hot_in_L2") > 0.0);
            let latency = |name| assumptions.card.value(name);
            let issued =
                ["vector", "scalar", "memory"].map(|kind| of(&format!("chain_issue_{kind}")));
            let waited = of("chain_waits_vector") * latency(ConstantName::VectorLatency)
                + of("chain_waits_scalar") * latency(ConstantName::ScalarLatency)
                + of("chain_waits_lds") * latency(ConstantName::LdsLatency);
            let work = Work {
                chain: of("chain_rounds") * (issued.iter().sum::<f64>() + waited),
                valu: of("cu_valu_cycles"),
                lds: of("cu_lds_cycles"),
                lines: of("cu_vmem_lines"),
                scalar: of("cu_scalar_cycles"),
                bytes: Bytes {
                    read: of("bytes_read") as u64,
                    written: of("bytes_written") as u64,
                },
                waves: of("waves"),
            };
            let (terms, _) = terms(&assumptions, &work);
            for (name, seconds) in TERMS.into_iter().zip(terms.all()) {
                close(seconds * 1e6, wanted(&format!("{name}_us")));
            }
            close((terms.kernel() + terms.overhead) * 1e6, wanted("time_us"));
        }
    }

    fn groups(count: usize, group: &GroupCost) -> Vec<GroupCost> {
        vec![group.clone(); count]
    }

    fn chain(near: u64, fitted: u64) -> [Path; 2] {
        [near, fitted].map(|cycles| Path {
            cycles,
            ..Path::default()
        })
    }

    #[test]
    fn a_time_has_terms_a_spread_and_a_bound() {
        let group = GroupCost {
            valu: vec![1000; 4],
            lds: 500,
            lines: 300,
            scalar: 200,
            chain: chain(900, 1100),
            ..GroupCost::default()
        };
        let groups = groups(60, &group);
        let groups: Vec<&GroupCost> = groups.iter().collect();
        let bytes = Bytes {
            read: 88_000,
            written: 0,
        };
        let assumptions = assumptions(1000.0, Timing::Graph, false);
        let (_, found) = estimate(&assumptions, &groups, 4, bytes);
        let terms = found.terms;
        close(terms.chain, 1.1e-6);
        close(terms.pipes, 1e-6);
        close(terms.memory, 0.1e-6);
        close(terms.overhead, 1.47e-6);
        assert_eq!((found.largest, found.pipe), ("overhead", "valu"));
        let squares = 1.1e-6_f64.powi(2) + 1e-6_f64.powi(2) + 0.1e-6_f64.powi(2);
        close(found.kernel, (squares + terms.dispatch.powi(2)).sqrt());
        close(found.seconds, found.kernel + 1.47e-6);
        close(found.between[1] / found.between[0], found.spread.powi(2));
        assert_eq!(found.bound_by, "valu");
        close(found.bound, 1e-6);
        close(found.floor, 1e-6);
    }

    #[test]
    fn data_in_the_l2_take_less_time() {
        let bytes = Bytes {
            read: 2_000_000,
            written: 1_000_000,
        };
        let of = |hot| {
            let assumptions = assumptions(1000.0, Timing::Stream, hot);
            estimate(&assumptions, &[], 1, bytes).1
        };
        let (cold, hot) = (of(false), of(true));
        assert_eq!((cold.largest, cold.bound_by), ("memory", "memory"));
        assert!(hot.terms.memory < 0.7 * cold.terms.memory);
        assert!(cold.bound < cold.kernel);
    }

    #[test]
    fn timings_have_names() {
        for timing in Timing::ALL {
            assert_eq!(timing.to_string().parse::<Timing>().ok(), Some(timing));
        }
        assert!("wall".parse::<Timing>().is_err());
    }
}
