//! Constants of one card, measured on it: microbenchmarks, each a kernel that does one thing so many times that its time is the time of that
//! thing.

mod probe;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::card::{Card, CardConstant, ConstantName, file_text};
use super::report::table;
use crate::device::{DeviceError, DeviceResult, Launch, Repetition, Session};
use crate::program::Program;
use crate::tensor::Stream;
use probe::{Argument, CLOCK, Chase, MEMORY, PROBES, Probe, Quantity};

/// Launches of which the shortest counts.
const TIMES: usize = 5;
/// Launches in a row, in a stream or a graph.
const IN_A_ROW: u32 = 1000;
/// A card that has been idle needs some time for its clock.
const WAKING: Duration = Duration::from_millis(300);
/// The kernel that does nothing.
const EMPTY: &str = "calibrate_empty";
/// Work-groups of one wave that do nothing, in the shorter and the longer of two launches.
const EMPTY_GROUPS: [u32; 2] = [1 << 13, 1 << 15];
/// Bytes of the cycles of each work-group.
const CYCLE_BYTES: u64 = 1 << 14;

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The name of the measurement.
    pub name: &'static str,
    /// The value; none if the times do not give one.
    pub value: Option<f64>,
    /// The unit of the value.
    pub unit: &'static str,
    /// The constant of the model that the value is.
    pub constant: Option<ConstantName>,
}

/// The figures of a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    figures: Vec<Figure>,
}

/// Measures a card through a session on it. `progress` gets the name of each measurement before it begins.
///
/// # Errors
/// The card cannot load the kernels or hold the memory, or a launch fails.
pub fn calibrate(
    session: &mut dyn Session,
    mut progress: impl FnMut(&str),
) -> DeviceResult<Calibration> {
    let program =
        Program::calibration().map_err(|error| DeviceError::invalid(error.to_string()))?;
    let mut bench = Bench::new(session, &program)?;
    progress(CLOCK.name);
    bench.wake()?;
    let clock = bench.slope(&CLOCK)?;
    let megahertz = clock.cycles / clock.seconds / 1e6;
    let mut calibration = Calibration::default();
    calibration.add(CLOCK.name, megahertz, "MHz", Some(ConstantName::Clock));
    for probe in PROBES {
        progress(probe.name);
        let slope = bench.slope(probe)?;
        let (value, unit) = match probe.quantity {
            Quantity::Cycles(things) => (slope.cycles / things, "cycles"),
            Quantity::UnitCycles(things) => {
                (slope.seconds * megahertz * 1e6 / things, "cycles of a CU")
            }
            Quantity::Rate(bytes) => (bytes / slope.seconds / 1e9, "GB/s"),
        };
        calibration.add(probe.name, value, unit, probe.constant);
    }
    progress("empty launches");
    let [fewer, more] = EMPTY_GROUPS;
    let waves = bench.empty(more)? - bench.empty(fewer)?;
    let of_wave = waves / f64::from(more - fewer) * megahertz * 1e6;
    calibration.add(
        "dispatch of a wave",
        of_wave,
        "cycles of the card",
        Some(ConstantName::Wave),
    );
    let event = bench.empty(1)? * 1e6;
    calibration.add(
        "events around an empty launch",
        event,
        "us",
        Some(ConstantName::Event),
    );
    for (name, how, constant) in [
        (
            "empty launch after launch in a stream",
            Repetition::Stream,
            ConstantName::Stream,
        ),
        (
            "empty launch after launch in a graph",
            Repetition::Graph,
            ConstantName::Graph,
        ),
    ] {
        let seconds = bench.in_a_row(how)?;
        calibration.add(
            name,
            seconds / f64::from(IN_A_ROW) * 1e6,
            "us",
            Some(constant),
        );
    }
    Ok(calibration)
}

impl Calibration {
    /// Adds a figure. A time that is too short to be measured gives none.
    fn add(
        &mut self,
        name: &'static str,
        value: f64,
        unit: &'static str,
        constant: Option<ConstantName>,
    ) {
        self.figures.push(Figure {
            name,
            value: (value.is_finite() && value > 0.0).then_some(value),
            unit,
            constant,
        });
    }

    /// Returns the constants of the model that were measured, each with its figure: the greatest of several rates.
    pub fn constants(&self) -> Vec<(ConstantName, &Figure)> {
        let mut constants: Vec<(ConstantName, &Figure)> = Vec::new();
        for figure in &self.figures {
            let (Some(constant), Some(_)) = (figure.constant, figure.value) else {
                continue;
            };
            match constants.iter_mut().find(|(known, _)| *known == constant) {
                Some((_, known)) if figure.value > known.value => *known = figure,
                Some(_) => {}
                None => constants.push((constant, figure)),
            }
        }
        constants
    }

    /// Renders the figures as a table, beside the constants of the model.
    pub fn text(&self) -> String {
        let built_in = Card::built_in();
        let used = self.constants();
        let rows = self.figures.iter().map(|figure| {
            let value = figure.value.map_or("not measured".into(), short);
            let model = figure.constant.map(|constant| built_in.value(constant));
            let is_used = used.iter().any(|(_, one)| std::ptr::eq(*one, figure));
            vec![
                figure.name.to_owned(),
                value,
                model.map_or(String::new(), short),
                figure.unit.to_owned(),
                if is_used { "constant" } else { "" }.to_owned(),
            ]
        });
        table(&["measurement", "card", "model", "unit", ""], &[1, 2], rows)
    }

    /// Returns the text of a file for `--card`. `about` is a line that says which card it is, and when it was measured.
    pub fn card_text(&self, about: &str) -> String {
        let built_in = Card::built_in();
        let constants = self.constants();
        let constants = constants.iter().filter_map(|(name, figure)| {
            Some((
                *name,
                CardConstant {
                    value: short(figure.value?).parse().ok()?,
                    unit: built_in.unit(*name).to_owned(),
                    source: format!("calibrate: {}", figure.name),
                    interval: None,
                },
            ))
        });
        file_text(about, constants)
    }
}

/// Renders a number with four digits that count.
fn short(value: f64) -> String {
    let digits = (3.0 - value.abs().log10().floor()).clamp(0.0, 12.0);
    let mut text = String::new();
    let _ = write!(text, "{value:.0$}", digits as usize);
    text
}

/// The time of one step of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slope {
    /// Cycles of the first work-group's clock, if the kernel reads it.
    cycles: f64,
    /// Seconds by events.
    seconds: f64,
}

/// The kernels and their memory on a card.
struct Bench<'s> {
    session: &'s mut dyn Session,
    module: usize,
    zeros: u64,
    table: u64,
    cycles: u64,
    /// The chase whose table is there.
    chase: Option<Chase>,
}

impl Bench<'_> {
    fn new<'s>(session: &'s mut dyn Session, program: &Program) -> DeviceResult<Bench<'s>> {
        let module = session.load(program)?;
        let zeros = session.alloc("zeros", MEMORY)?;
        if !zeros.zeroed {
            let piece = vec![0; 1 << 20];
            for at in (0..MEMORY).step_by(piece.len()) {
                session.upload(zeros.address + at, &piece)?;
            }
        }
        let table = session.alloc("table", MEMORY)?;
        let cycles = session.alloc("cycles", CYCLE_BYTES)?;
        session.upload(cycles.address, &vec![0; CYCLE_BYTES as usize])?;
        Ok(Bench {
            module,
            zeros: zeros.address,
            table: table.address,
            cycles: cycles.address,
            chase: None,
            session,
        })
    }

    /// Keeps the card busy until its clock is that of a busy card.
    fn wake(&mut self) -> DeviceResult {
        let begin = Instant::now();
        while begin.elapsed() < WAKING {
            self.launch(&CLOCK, CLOCK.steps)?;
        }
        Ok(())
    }

    /// Returns the time of a step: the difference of two launches, of which each is the shortest of some.
    fn slope(&mut self, probe: &Probe) -> DeviceResult<Slope> {
        if let Some(chase) = probe.chase.filter(|chase| self.chase != Some(*chase)) {
            self.session.upload(self.table, &chase.table())?;
            self.chase = Some(chase);
        }
        let mut shortest = |steps: u32| {
            let mut least = Slope {
                cycles: f64::INFINITY,
                seconds: f64::INFINITY,
            };
            // The first launch also brings code and data into the caches.
            for time in 0..=TIMES {
                let slope = self.launch(probe, steps)?;
                if time > 0 {
                    least.cycles = least.cycles.min(slope.cycles);
                    least.seconds = least.seconds.min(slope.seconds);
                }
            }
            DeviceResult::Ok(least)
        };
        let (less, more) = (shortest(probe.steps)?, shortest(3 * probe.steps)?);
        let steps = f64::from(2 * probe.steps);
        Ok(Slope {
            cycles: (more.cycles - less.cycles) / steps,
            seconds: (more.seconds - less.seconds) / steps,
        })
    }

    /// Launches a microbenchmark and returns its time.
    fn launch(&mut self, probe: &Probe, steps: u32) -> DeviceResult<Slope> {
        let kernarg = self.kernarg(probe, steps);
        let launch = Launch {
            kernel: probe.kernel,
            grid: [probe.groups, 1, 1],
            block: [probe.block, 1, 1],
            dynamic_lds: 0,
            kernarg: &kernarg,
            cooperative: false,
        };
        let seconds = self.session.launch(self.module, &launch)?.kernel_seconds;
        let mut cycles = [0; 8];
        if probe.arguments.contains(&Argument::Cycles) {
            self.session.download(self.cycles, &mut cycles)?;
        }
        Ok(Slope {
            cycles: u64::from_le_bytes(cycles) as f64,
            seconds: seconds.unwrap_or(f64::NAN),
        })
    }

    /// Lays out the arguments: addresses come before numbers, so that nothing lies between them.
    fn kernarg(&self, probe: &Probe, steps: u32) -> Vec<u8> {
        let mut kernarg = Vec::new();
        for argument in probe.arguments {
            match argument {
                Argument::Zeros => kernarg.extend(self.zeros.to_le_bytes()),
                Argument::SecondHalf => kernarg.extend((self.zeros + MEMORY / 2).to_le_bytes()),
                Argument::Table => kernarg.extend(self.table.to_le_bytes()),
                Argument::Cycles => kernarg.extend(self.cycles.to_le_bytes()),
                Argument::Steps => kernarg.extend(steps.to_le_bytes()),
                Argument::Number(number) => kernarg.extend(number.to_le_bytes()),
            }
        }
        kernarg
    }

    /// Returns the seconds of a launch of so many work-groups of one wave that do nothing.
    fn empty(&mut self, groups: u32) -> DeviceResult<f64> {
        let launch = empty(groups);
        let mut least = f64::INFINITY;
        for _ in 0..=TIMES {
            let seconds = self.session.launch(self.module, &launch)?.kernel_seconds;
            least = least.min(seconds.unwrap_or(f64::NAN));
        }
        Ok(least)
    }

    /// Returns the seconds of many empty launches in a row.
    fn in_a_row(&mut self, how: Repetition) -> DeviceResult<f64> {
        let launch = empty(1);
        let mut least = f64::INFINITY;
        for _ in 0..TIMES {
            let seconds = self.session.repeat(self.module, &launch, IN_A_ROW, how)?;
            least = least.min(seconds.unwrap_or(f64::NAN));
        }
        Ok(least)
    }
}

fn empty(groups: u32) -> Launch<'static> {
    Launch {
        kernel: EMPTY,
        grid: [groups, 1, 1],
        block: [64, 1, 1],
        dynamic_lds: 0,
        kernarg: &[],
        cooperative: false,
    }
}

impl Chase {
    /// Returns the table: at each address that is visited, the offset of the next. All pieces are visited in random order before one is
    /// visited again.
    fn table(self) -> Vec<u8> {
        let mut pieces: Vec<u64> = (0..self.bytes / self.piece).collect();
        let mut random = Stream::new(0, "calibrate", "chase");
        // One circle: a piece is exchanged with an earlier one, never with itself.
        for at in (1..pieces.len()).rev() {
            let other = random.below(at);
            pieces.swap(at, other);
        }
        let mut table = vec![0; self.bytes as usize];
        for (piece, next) in (0..).zip(&pieces) {
            let at = (piece * self.piece) as usize;
            let offset = (next * self.piece) as u32;
            table[at..at + 4].copy_from_slice(&offset.to_le_bytes());
        }
        table
    }
}
