//! The profile of a launch: its counts, and the model's estimate from them.

use std::collections::BTreeMap;

use gfx906::code_object::{Kernel, Lines};
use gfx906::observe::costs::{Class, Site};
use serde::Serialize;

use super::dealing::Dealing;
use super::hints;
use super::model::{Card, Estimate, Traffic, estimate};
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChainProfile {
    /// Cycles until its last wave ends, near and far.
    pub cycles: [u64; 2],
    /// Cycles of these that the wave waits, near and far.
    pub waited: [u64; 2],
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
    card: Card,
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
    let occupancy = occupancy(Needs {
        waves,
        vgprs: resources.vgprs,
        lds: resources.lds,
    });
    let (bytes, of_lines) = (costs.bytes(), costs.bytes_of_lines());
    let traffic = Traffic {
        bytes: bytes.read + bytes.written,
        of_lines: of_lines.read + of_lines.written,
    };
    let (dealing, model) = estimate(card, &groups, occupancy.groups, traffic);
    let longest = groups.iter().max_by_key(|group| group.chain[0]);
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
        chain: longest.map_or_else(ChainProfile::default, |group| ChainProfile {
            cycles: group.chain,
            waited: group.waited,
        }),
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
    profile.hints = hints::of_launch(&profile, of_sites);
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
