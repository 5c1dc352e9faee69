//! Hints for possible improvements of a launch and of its instructions.

use gfx906::observe::costs::{Class, Example, Site, banks};

use super::constants::{CUS, SIMDS};
use super::launch::{LaunchProfile, SiteProfile};
use super::pattern::{Pattern, padding};
use super::report::time;

/// The maximum number of instructions in the hints; the most expensive come first.
const MOST: usize = 8;

/// Share of the card, or balance of its units, below which there is a hint.
const FILLED: f64 = 0.9;

/// A hint, and the cycles or lines that it may save.
pub struct Hint {
    cost: u64,
    text: String,
}

/// The occupancy that a launch would have with a few registers less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OtherOccupancy {
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// Work-groups of a compute unit at once.
    pub groups: u32,
    /// Seconds of the launch.
    pub seconds: f64,
}

/// Returns a hint on how to improve an instruction.
pub fn of_site(one: &SiteProfile, site: &Site, found: Option<Pattern>) -> Option<Hint> {
    let worst = site.worst.as_deref()?;
    let conflicts = one.lds_cycles - one.lds_cycles_ideal;
    let extra = one.lines - one.lines_ideal;
    // Accesses that are not aligned to lines need a line more, which is not worth a hint.
    let (cost, what) = if conflicts > 0 {
        (conflicts, in_lds(one, worst, found))
    } else if site.class == Class::Vmem && 2 * one.lines > 3 * one.lines_ideal {
        (extra, in_memory(one, worst, found))
    } else {
        return None;
    };
    let source = one.source.as_ref();
    let source = source.map_or_else(String::new, |source| format!(" ({source})"));
    let text = format!("{:#x} {}{source}: {what}", one.address, one.text);
    Some(Hint { cost, text })
}

/// Formats the average over an instruction's executions, with a digit after the point if it is no whole number.
fn each(sum: u64, executed: u64) -> String {
    let average = sum as f64 / executed.max(1) as f64;
    if average.fract() == 0.0 {
        format!("{average}")
    } else {
        format!("{average:.1}")
    }
}

fn in_lds(one: &SiteProfile, worst: &Example, found: Option<Pattern>) -> String {
    let ideal = banks::cycles(worst.lanes, &worst.at, worst.bytes, false)
        .ideal
        .max(1);
    let ways = (worst.excess + ideal).div_ceil(ideal);
    let cycles = format!(
        "{} cycles where {} would do, {} times",
        each(one.lds_cycles, one.executed),
        each(one.lds_cycles_ideal, one.executed),
        one.executed
    );
    let pitch = found.and_then(|found| Some((found.pitch, padding(worst, found)?)));
    let cure = pitch.map_or_else(String::new, |(pitch, more)| {
        let unit = if (pitch % worst.bytes, more % worst.bytes) == (0, 0) {
            worst.bytes
        } else {
            1
        };
        let elements = match unit {
            1 => "bytes".to_owned(),
            unit => format!("elements of {unit} bytes"),
        };
        format!(
            ": pitch {} instead of {} {elements}",
            (pitch + more) / unit,
            pitch / unit
        )
    });
    format!("{ways}-way bank conflict{cure} ({cycles})")
}

fn in_memory(one: &SiteProfile, worst: &Example, found: Option<Pattern>) -> String {
    let how = match found {
        Some(Pattern { run: 1, pitch }) => format!("stride {pitch} bytes"),
        Some(Pattern { run, pitch }) => format!("runs of {run} lanes, {pitch} bytes apart"),
        None => format!("elements of {} bytes here and there", worst.bytes),
    };
    format!(
        "{how}: {} lines where {} would do, {} times",
        each(one.lines, one.executed),
        each(one.lines_ideal, one.executed),
        one.executed
    )
}

/// Returns the hints for a launch. Hints for instructions are ordered by their cost.
pub fn of_launch(
    profile: &LaunchProfile,
    other: Option<OtherOccupancy>,
    mut of_sites: Vec<Hint>,
) -> Vec<String> {
    let mut hints = Vec::new();
    let (dealing, resources) = (&profile.dealing, &profile.resources);
    let simds = CUS * SIMDS;
    if dealing.fill < FILLED {
        hints.push(format!(
            "{} waves for {simds} SIMDs: {:.0} % of the card has anything to do",
            profile.waves,
            100.0 * dealing.fill
        ));
    } else if dealing.balance < FILLED {
        hints.push(format!(
            "{} work-groups on {CUS} compute units: the average one has {:.0} % of what the busiest has to do",
            profile.work_groups,
            100.0 * dealing.balance
        ));
    }
    if profile.model.largest == "chain" {
        let [cycles, waited] = [profile.chain.cycles[1], profile.chain.waited[1]];
        hints.push(format!(
            "the longest work-group alone takes {cycles} cycles, {waited} of them waiting: more waves do not help, fewer waits do"
        ));
    }
    let own = profile.model.seconds;
    // Too small a difference to be seen is no hint.
    if let Some(other) = other.filter(|other| other.seconds < 0.99 * own) {
        hints.push(format!(
            "{} VGPRs allow {} work-groups a CU; {} would allow {}, {} instead of {}: another compiler may build either",
            resources.vgprs,
            profile.occupancy.groups,
            other.vgprs,
            other.groups,
            time(other.seconds),
            time(own)
        ));
    }
    if resources.scratch > 0 || resources.dynamic_stack {
        let more = if resources.dynamic_stack {
            " and more for callees"
        } else {
            ""
        };
        hints.push(format!(
            "{} bytes of scratch a work-item{more}",
            resources.scratch
        ));
    }
    if resources.vgpr_spills + resources.sgpr_spills > 0 {
        hints.push(format!(
            "{} VGPRs and {} SGPRs are spilled",
            resources.vgpr_spills, resources.sgpr_spills
        ));
    }
    of_sites.sort_by_key(|hint| std::cmp::Reverse(hint.cost));
    let left = of_sites.len().saturating_sub(MOST);
    hints.extend(of_sites.into_iter().take(MOST).map(|hint| hint.text));
    if left > 0 {
        hints.push(format!(
            "and {left} more instructions: --format json has all"
        ));
    }
    hints
}

#[cfg(test)]
mod tests {
    use gfx906::isa;
    use gfx906::observe::costs::{Cycles, LineCounts};

    use super::super::pattern::pattern;
    use super::*;

    /// The hint on an instruction that ran ten times, each as the example says.
    fn hint(words: [u32; 2], at: impl Fn(u64) -> u64, bytes: u64) -> Option<String> {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut site = Site::new(&isa::decode(&code).expect("an instruction"));
        let at = std::array::from_fn(|lane| at(lane as u64));
        site.count = 10;
        let mut excess = 60;
        if site.class == Class::Lds {
            let Cycles { taken, ideal } = banks::cycles(!0, &at, bytes, false);
            (site.lds.taken, site.lds.ideal) = (10 * taken, 10 * ideal);
            excess = taken - ideal;
        } else {
            site.memory = LineCounts {
                lines: 640,
                ideal: 40,
            };
        }
        site.remember(excess, 0, || Example {
            excess,
            group: 0,
            lanes: !0,
            at,
            bytes,
        });
        let found = site.worst.as_deref().and_then(pattern);
        let one = SiteProfile {
            address: 0x1a40,
            text: site.text(),
            source: Some("k.hip:7".into()),
            class: site.class.name(),
            executed: site.count,
            lds_cycles: site.lds.taken,
            lds_cycles_ideal: site.lds.ideal,
            lines: site.memory.lines,
            lines_ideal: site.memory.ideal,
            stride: found.map(|found| found.pitch),
        };
        of_site(&one, &site, found).map(|hint| hint.text)
    }

    const DS_READ_B32: [u32; 2] = [0xd86c_0000, 0x0200_0001];
    const GLOBAL_LOAD: [u32; 2] = [0xdc50_8000, 0x0200_0001];

    #[test]
    fn a_conflict_names_the_pitch_that_has_none() {
        let told = hint(DS_READ_B32, |lane| 128 * lane, 4);
        assert_eq!(
            told.as_deref(),
            Some(
                "0x1a40 ds_read_b32 v2, v1 (k.hip:7): 32-way bank conflict: pitch 33 instead of 32 elements of 4 bytes \
                 (64 cycles where 2 would do, 10 times)"
            )
        );
        let told = hint(DS_READ_B32, |lane| 16 * lane, 4).expect("a hint");
        assert!(
            told.contains("4-way bank conflict: pitch 5 instead of 4"),
            "{told}"
        );
        assert_eq!(hint(DS_READ_B32, |lane| 132 * lane, 4), None);
    }

    #[test]
    fn a_stride_names_the_lines_that_would_do() {
        let told = hint(GLOBAL_LOAD, |lane| 512 * lane, 4);
        assert_eq!(
            told.as_deref(),
            Some(
                "0x1a40 global_load_dword v2, v1, s[0:1] (k.hip:7): stride 512 bytes: 64 lines where 4 would do, 10 times"
            )
        );
    }
}
