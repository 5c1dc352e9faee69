//! The argument whose pointer a bad address was made from. It is found by a second run of the launch, on a copy of the memory.

use std::sync::{Arc, Mutex, PoisonError};

use super::Provenance;
use crate::code_object::{ArgKind, Kernel};
use crate::machine::{FaultArgument, Gpu, Group, Launch, Module, Trap, TrapKind};
use crate::observe::sanitize::heap::Heap;
use crate::observe::sanitize::{
    CheckedInstruction, CheckedLaunch, Findings, Sanitizer, Space, Watch,
};

/// Most bytes of memory that are copied for the second run.
const MOST_BYTES: u64 = 1 << 30;
/// Most CPU seconds of the second run.
const MOST_SECONDS: f64 = 10.0;

/// Place of a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FaultPlace {
    pc: u64,
    group: [u32; 3],
    wave: u32,
    lane: Option<u32>,
    address: u64,
}

/// Name of the block that the address of a fault came from. The workers of the launch share it.
type FoundBlock = Arc<Mutex<Option<String>>>;

/// Watch for the access that faults.
struct FaultWatch {
    place: FaultPlace,
    provenance: Provenance,
    found: FoundBlock,
}

impl Watch for FaultWatch {
    fn fork(&self) -> Box<dyn Watch> {
        Box::new(FaultWatch {
            place: self.place,
            provenance: Provenance::default(),
            found: Arc::clone(&self.found),
        })
    }

    fn group(&mut self, group: &Group, _: &CheckedLaunch) {
        self.provenance.group(group.waves);
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, _: &mut Findings) {
        let place = self.place;
        if here.pc != place.pc || here.group != place.group || here.wave.index != place.wave {
            return;
        }
        let lane = place.lane.unwrap_or(0) as usize;
        for part in here
            .access
            .parts
            .iter()
            .filter(|part| part.space == Space::Global)
        {
            let is_bad = |(at_lane, at): (usize, u64)| {
                at_lane == lane && (at..at.saturating_add(part.bytes)).contains(&place.address)
            };
            if !part.places().any(is_bad) {
                continue;
            }
            let from = self.provenance.of_address(here, part);
            let from = from.filter(|(_, lanes)| lanes >> lane & 1 != 0);
            let block = from.and_then(|(block, _)| here.launch.memory.block(block));
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            *found = block.map(|block| block.name.clone());
        }
    }

    fn after(&mut self, here: &CheckedInstruction<'_>, _: &mut Findings) {
        self.provenance.after(here, here.wave);
    }
}

/// A pointer among the explicit arguments of a launch.
struct PointerArgument<'a> {
    position: usize,
    name: Option<&'a str>,
    /// Start and size of the allocation that it points into.
    allocation: (u64, u64),
}

fn pointers<'a>(gpu: &Gpu, kernel: &'a Kernel, kernarg: &[u8]) -> Vec<PointerArgument<'a>> {
    let mut pointers = Vec::new();
    for (position, arg) in kernel.explicit_args().enumerate() {
        let bytes = kernarg.get(arg.offset as usize..);
        let word = bytes.and_then(|bytes| bytes.first_chunk::<8>());
        if let (ArgKind::GlobalBuffer, Some(word)) = (&arg.kind, word)
            && let Some(allocation) = gpu.allocation_at(u64::from_le_bytes(*word))
        {
            pointers.push(PointerArgument {
                position,
                name: arg.name.as_deref(),
                allocation,
            });
        }
    }
    pointers
}

/// Completes the report of a memory fault: the argument whose pointer the address was made from, and its allocation in place of the nearest
/// one. The launch runs once more on a copy of the memory. The report stays as it is unless the same access has the same bad address again,
/// its pointer is one into an allocation for certain, and exactly one argument points into that allocation.
pub fn find_argument(
    gpu: &Gpu,
    module: &Module,
    launch: &Launch<'_>,
    cooperative: bool,
    trap: &mut Trap,
) {
    let (TrapKind::MemoryFault { .. }, Some(address)) = (&trap.kind, trap.address) else {
        return;
    };
    let Some(kernel) = module.kernel(&trap.kernel) else {
        return;
    };
    let pointers = pointers(gpu, kernel, launch.kernarg);
    let heap = Heap::default();
    for pointer in &pointers {
        let (base, size) = pointer.allocation;
        heap.declare(
            &base.to_string(),
            base..base + size,
            base..base + size,
            None,
        );
    }
    let found = FoundBlock::default();
    let watch = FaultWatch {
        place: FaultPlace {
            pc: trap.pc,
            group: trap.work_group,
            wave: trap.wave,
            lane: trap.lane,
            address,
        },
        provenance: Provenance::default(),
        found: Arc::clone(&found),
    };
    let mut observer = Sanitizer {
        looks_at_memory: true,
        follows_pointers: true,
        ..Sanitizer::of(vec![Box::new(watch)])
    }
    .with_heap(Arc::new(heap));
    let mut again = *launch;
    again.limits.seconds = again.limits.seconds.min(MOST_SECONDS);
    let ran = gpu.launch_apart(
        module,
        &trap.kernel,
        &again,
        cooperative,
        MOST_BYTES,
        &mut observer,
    );
    if ran.is_none() {
        return;
    }
    let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    let own = |pointer: &&PointerArgument<'_>| Some(pointer.allocation.0.to_string()) == found;
    let mut own = pointers.iter().filter(own);
    if let (Some(pointer), None) = (own.next(), own.next())
        && let Some(allocation) = gpu.allocation_from(pointer.allocation.0, address)
    {
        trap.nearest = Some(allocation);
        trap.argument = Some(FaultArgument {
            position: pointer.position,
            name: pointer.name.map(str::to_owned),
        });
    }
}
