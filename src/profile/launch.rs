//! The profile of a launch: its counts, and the model's estimate from them.

use std::collections::BTreeMap;

use gfx906::code_object::{Kernel, Lines};
use gfx906::observe::Bytes;
use gfx906::observe::costs::{Class, GroupCost, Site};
use serde::Serialize;

use super::card::ConstantName;
use super::dealing::Dealing;
use super::hints::{self, OtherOccupancy};
use super::model::{Assumptions, Estimate, estimate};
use super::occupancy::{Needs, Occupancy, occupancy};
use super::pattern::{Pattern, pattern};
use crate::device::LaunchCosts;
use crate::report::model::BytesReport;

/// Lanes of a wave.
const LANES: u32 = 64;

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaunchProfile {
    /// The kernel.
    pub kernel: String,
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Work-groups.
    pub work_groups: u64,
    /// Waves.
    pub waves: u64,
    /// Wave instructions by issue class.
    pub instructions: BTreeMap<&'static str, u64>,
    /// Instructions of the vector ALU, of all rates.
    pub valu_instructions: u64,
    /// Cycles for which these instructions keep a SIMD busy, summed over all waves.
    pub valu_cycles: u64,
    /// Cycles of LDS, with bank conflicts.
    pub lds_cycles: u64,
    /// Cycles that the same accesses take without conflicts.
    pub lds_cycles_ideal: u64,
    /// 64-byte lines that vector memory instructions ask for.
    pub lines: u64,
    /// Lines that the different bytes of each instruction fill.
    pub lines_ideal: u64,
    /// Scalar, branch and message instructions.
    pub scalar_instructions: u64,
    /// s_barrier instructions that waves executed.
    pub barriers: u64,
    /// Different bytes of device memory, without the kernel's arguments.
    pub unique_bytes: BytesReport,
    /// Bytes of the cache lines that hold these bytes.
    pub unique_bytes_of_lines: BytesReport,
    /// The kernel's resources.
    pub resources: Resources,
    /// The occupancy of a compute unit.
    pub occupancy: Occupancy,
    /// The distribution over the card.
    pub dealing: Dealing,
    /// The work-group that would take longest alone.
    pub chain: ChainProfile,
    /// The model's estimate.
    pub model: Estimate,
    /// Instructions on memory and LDS, by address.
    pub memory_instructions: Vec<SiteProfile>,
    /// Hints for improvements.
    pub hints: Vec<String>,
}

/// The resources of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resources {
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// SGPRs of a wave.
    pub sgprs: u32,
    /// Bytes of LDS of a work-group, including dynamic LDS.
    pub lds: u32,
    /// Bytes of scratch of a work-item.
    pub scratch: u32,
    /// True if callees take an amount of scratch that the code object does not state.
    pub dynamic_stack: bool,
    /// VGPRs that were spilled.
    pub vgpr_spills: u32,
    /// SGPRs that were spilled.
    pub sgpr_spills: u32,
}

/// The work-group that would take longest alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ChainProfile {
    /// Cycles until its last wave ends, by near and by fitted latencies.
    pub cycles: [u64; 2],
    /// Cycles of these that the wave waits, by near and by fitted latencies.
    pub waited: [u64; 2],
    /// Times that such a work-group follows another one until all have ended.
    pub rounds: f64,
    /// Cycles of issue, on the path to the end of the last wave.
    pub issue: ChainIssue,
    /// Waits on that path: cycles of waiting divided by the fitted latency.
    pub waits: ChainWaits,
}

/// Cycles of issue of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ChainIssue {
    /// Cycles of vector instructions.
    pub vector: u64,
    /// Cycles of scalar instructions.
    pub scalar: u64,
    /// Cycles of instructions on memory and LDS.
    pub memory: u64,
}

/// Waits of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ChainWaits {
    /// Waits for vector memory.
    pub vector: f64,
    /// Waits for scalar memory.
    pub scalar: f64,
    /// Waits for LDS.
    pub lds: f64,
}

impl ChainProfile {
    /// Describes the longest of some work-groups, which all end after `makespan` cycles of the fitted clock.
    fn of(assumptions: &Assumptions, groups: &[&GroupCost], makespan: u64) -> ChainProfile {
        let longest = groups.iter().max_by_key(|group| group.chain[1].cycles);
        let Some([near, fitted]) = longest.map(|group| &group.chain) else {
            return ChainProfile::default();
        };
        let waits = |cycles: u64, name| cycles as f64 / assumptions.card.value(name);
        ChainProfile {
            cycles: [near.cycles, fitted.cycles],
            waited: [near.all_waited(), fitted.all_waited()],
            rounds: makespan as f64 / fitted.cycles.max(1) as f64,
            issue: ChainIssue {
                vector: fitted.issue[0],
                scalar: fitted.issue[1],
                memory: fitted.issue[2],
            },
            waits: ChainWaits {
                vector: waits(fitted.waited[0], ConstantName::VectorLatency),
                scalar: waits(fitted.waited[1], ConstantName::ScalarLatency),
                lds: waits(fitted.waited[2], ConstantName::LdsLatency),
            },
        }
    }
}

/// VGPRs above a step of the occupancy within which another compiler may build the same kernel below the step.
const NEAR_STEP: u32 = 8;

/// Finds a greater occupancy that a few registers less would have, and the seconds that the launch would take with it.
fn other_occupancy(
    assumptions: &Assumptions,
    groups: &[&GroupCost],
    needs: Needs,
    bytes: Bytes,
) -> Option<OtherOccupancy> {
    let own = occupancy(needs);
    let mut fewer = (needs.vgprs.saturating_sub(NEAR_STEP)..needs.vgprs).rev();
    let (vgprs, more) = fewer.find_map(|vgprs| {
        let other = occupancy(Needs { vgprs, ..needs });
        (other.groups > own.groups).then_some((vgprs, other))
    })?;
    let (_, model) = estimate(assumptions, groups, more.groups, bytes);
    Some(OtherOccupancy {
        vgprs,
        groups: more.groups,
        seconds: model.seconds,
    })
}

/// An instruction on memory or LDS.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteProfile {
    /// Link address.
    pub address: u64,
    /// The instruction.
    pub text: String,
    /// `FILE:LINE`, if the code object has line tables.
    pub source: Option<String>,
    /// Its issue class.
    pub class: &'static str,
    /// Executions of the instruction, one for each wave and time.
    pub executed: u64,
    /// Cycles of LDS.
    pub lds_cycles: u64,
    /// LDS cycles if there were no conflicts.
    pub lds_cycles_ideal: u64,
    /// Cache lines that the executions touch.
    pub lines: u64,
    /// Cache lines that the same bytes would fill.
    pub lines_ideal: u64,
    /// Bytes from a run of neighbouring lanes to the next in the worst execution; none if the runs are not evenly spaced.
    pub stride: Option<u64>,
}

/// Makes the profile of a launch from its costs.
pub fn profile(
    assumptions: &Assumptions,
    charged: &LaunchCosts,
    kernel: &Kernel,
    lines: Option<&Lines>,
) -> LaunchProfile {
    let costs = &charged.costs;
    let groups = costs.groups();
    let items: u32 = charged.block.iter().product();
    let waves = items.div_ceil(LANES);
    let resources = Resources {
        vgprs: kernel.vgpr_count,
        sgprs: kernel.sgpr_count,
        lds: kernel.lds_size + charged.dynamic_lds,
        scratch: kernel.private_segment_size,
        dynamic_stack: kernel.uses_dynamic_stack,
        vgpr_spills: kernel.vgpr_spill_count,
        sgpr_spills: kernel.sgpr_spill_count,
    };
    let needs = Needs {
        waves,
        vgprs: resources.vgprs,
        lds: resources.lds,
    };
    let occupancy = occupancy(needs);
    let (bytes, of_lines) = (costs.bytes(), costs.bytes_of_lines());
    let (dealing, model) = estimate(assumptions, &groups, occupancy.groups, bytes);
    let other = other_occupancy(assumptions, &groups, needs, bytes);
    let chain = ChainProfile::of(assumptions, &groups, dealing.chain[1]);
    let sum = |of: fn(&Site) -> u64| costs.sites().map(|(_, site)| of(site)).sum::<u64>();
    let classes = Class::ALL.map(|class| (class.name(), costs.instructions(class)));
    let counted = |wanted: fn(Class) -> bool| {
        let classes = Class::ALL.into_iter().filter(|&class| wanted(class));
        classes.map(|class| costs.instructions(class)).sum::<u64>()
    };
    let mut profile = LaunchProfile {
        kernel: charged.kernel.clone(),
        grid: charged.grid,
        block: charged.block,
        work_groups: groups.len() as u64,
        waves: groups.len() as u64 * u64::from(waves),
        instructions: classes.into_iter().collect(),
        valu_instructions: counted(Class::is_valu),
        valu_cycles: groups.iter().flat_map(|group| &group.valu).sum(),
        lds_cycles: sum(|site| site.lds.taken),
        lds_cycles_ideal: sum(|site| site.lds.ideal),
        lines: sum(|site| site.memory.lines),
        lines_ideal: sum(|site| site.memory.ideal),
        scalar_instructions: counted(Class::is_scalar),
        barriers: costs.instructions(Class::Barrier),
        unique_bytes: BytesReport {
            read: bytes.read,
            written: bytes.written,
        },
        unique_bytes_of_lines: BytesReport {
            read: of_lines.read,
            written: of_lines.written,
        },
        resources,
        occupancy,
        dealing,
        chain,
        model,
        memory_instructions: Vec::new(),
        hints: Vec::new(),
    };
    let mut of_sites = Vec::new();
    for (address, site) in costs.sites() {
        if site.lds.taken == 0 && site.memory.lines == 0 {
            continue;
        }
        let found = site.worst.as_deref().and_then(pattern);
        let one = described(address, site, found, lines);
        of_sites.extend(hints::of_site(&one, site, found));
        profile.memory_instructions.push(one);
    }
    profile.hints = hints::of_launch(&profile, other, of_sites);
    profile
}

fn described(
    address: u64,
    site: &Site,
    found: Option<Pattern>,
    lines: Option<&Lines>,
) -> SiteProfile {
    SiteProfile {
        address,
        text: site.text(),
        source: lines.and_then(|lines| lines.line_at(address)),
        class: site.class.name(),
        executed: site.count,
        lds_cycles: site.lds.taken,
        lds_cycles_ideal: site.lds.ideal,
        lines: site.memory.lines,
        lines_ideal: site.memory.ideal,
        stride: found.map(|found| found.pitch),
    }
}

#[cfg(test)]
mod tests {
    use gfx906::observe::costs::Path;

    use super::super::card::Card;
    use super::super::model::Timing;
    use super::*;

    /// 133 VGPRs allow a wave on each SIMD, and 128 allow two: a second round of work-groups is gone.
    #[test]
    fn a_few_registers_above_a_step_are_noticed() {
        let assumptions = Assumptions {
            card: Card::built_in(),
            timing: Timing::Stream,
            hot: false,
        };
        let group = GroupCost {
            valu: vec![4; 4],
            chain: [Path {
                cycles: 100_000,
                ..Path::default()
            }; 2],
            ..GroupCost::default()
        };
        let groups = vec![&group; 120];
        let seconds = |vgprs| {
            let needs = Needs {
                waves: 4,
                vgprs,
                lds: 0,
            };
            let at_once = occupancy(needs).groups;
            let own = estimate(&assumptions, &groups, at_once, Bytes::default());
            let other = other_occupancy(&assumptions, &groups, needs, Bytes::default());
            (own.1.seconds, other)
        };
        let (below, none) = seconds(128);
        assert_eq!(none, None);
        let (above, other) = seconds(133);
        let other = other.expect("an occupancy");
        assert_eq!((other.vgprs, other.groups), (128, 2));
        assert_eq!(other.seconds, below);
        assert!(above > 1.9 * below, "{above} {below}");
        assert_eq!(seconds(140).1, None);
    }
}
