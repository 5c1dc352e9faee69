//! Giving memory back.

use crate::boundary::Address;
use crate::calls::stream;
use crate::error::{HipError, Outcome};
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::{queue, state};

/// Frees an allocation of any kind but registered memory, once the device has done with it.
pub fn free(address: Address) -> Outcome {
    if address == 0 {
        return Ok(());
    }
    let _device = queue();
    let mut state = state();
    match state.memory.starting_at(address) {
        Some(Allocation {
            kind: Kind::Registered,
            ..
        })
        | None => Err(HipError::InvalidValue),
        Some(allocation) => {
            state.memory.remove(address);
            let freed = match allocation.kind {
                Kind::Device => state.gpu.free(address),
                _ => state.gpu.detach(address),
            };
            freed.map_err(|_| HipError::Unknown)
        }
    }
}

pub fn free_async(address: Address, stream: Address) -> Outcome {
    if address == 0 {
        return Err(HipError::InvalidValue);
    }
    stream::check(stream)?;
    free(address)
}

/// Frees everything: `hipDeviceReset`.
pub fn free_all() {
    let mut state = state();
    let all: Vec<Allocation> = state.memory.all().copied().collect();
    for allocation in all {
        if state.belongs_to_program(allocation.base) {
            continue;
        }
        state.memory.remove(allocation.base);
        let freed = match allocation.kind {
            Kind::Device => state.gpu.free(allocation.base),
            _ => state.gpu.detach(allocation.base),
        };
        // Whatever the table lists is there.
        debug_assert_eq!(freed, Ok(()));
    }
}
