//! Functions that free memory.

use crate::boundary::Address;
use crate::calls::{capture, stream, submit};
use crate::diagnostics::call::current_call;
use crate::error::{HipError, HipResult};
use crate::leaks;
use crate::objects::graph::NodeAction;
use crate::objects::memory::{Allocation, Kind};
use crate::queue::{LaneId, Submission};
use crate::runtime::{RuntimeState, state};
use crate::sanitize;
use crate::settings;

/// Returns the allocation that starts at an address, if it can be freed.
fn freeable(state: &RuntimeState, address: Address) -> HipResult<Allocation> {
    match state.memory.starting_at(address) {
        Some(Allocation {
            kind: Kind::Registered | Kind::Mapped,
            ..
        })
        | None => Err(HipError::InvalidValue),
        Some(allocation) => Ok(allocation),
    }
}

/// Frees an allocation, except registered and mapped memory, after the device's work is done.
pub fn free(address: Address) -> HipResult {
    if address == 0 {
        return Ok(());
    }
    stream::wait_to_free()?;
    let mut state = state();
    if state.graphs.memory.contains(address) {
        return Ok(());
    }
    give_back(&mut state, address, current_call())
}

/// Frees memory of a graph.
pub extern "C" fn give_back_of_graph(address: Address) {
    let mut state = state();
    if state.graphs.memory.remove(address) {
        // A reset may have freed the allocation already.
        let _ = give_back(&mut state, address, "hipGraphDestroy");
    }
}

fn give_back(state: &mut RuntimeState, address: Address, call: &str) -> HipResult {
    let allocation = freeable(state, address).inspect_err(|_| leaks::freed_twice(call, address))?;
    state.memory.remove(address, call);
    let freed = match allocation.kind {
        Kind::Device => {
            if let Some(heap) = sanitize::heap() {
                heap.free(address, call);
            }
            state.gpu.free(address)
        }
        _ => state.gpu.detach(address),
    };
    freed.map_err(|_| HipError::Unknown)
}

/// Frees an allocation after the stream's earlier work.
pub fn free_async(address: Address, stream: Address) -> HipResult {
    if address == 0 {
        return Err(HipError::InvalidValue);
    }
    let lane = lane_of(stream)?;
    let of_graph = state().graphs.memory.contains(address);
    if let Some(id) = capture::find_by_lane(lane)? {
        // A captured graph does not free memory that was allocated outside of it.
        if !of_graph {
            capture::spoil(lane);
            return Err(HipError::StreamCaptureUnsupported);
        }
        return capture::add(id, lane, NodeAction::Free(address));
    }
    if of_graph {
        return Ok(());
    }
    if settings::SYNC.is_on() {
        return free(address);
    }
    let number = {
        let mut state = state();
        freeable(&state, address)?;
        let added = state.freeing.add(address, lane);
        let added = added.ok_or(HipError::InvalidValue)?;
        state.memory.pools.set_used(address, false);
        added
    };
    let call = current_call();
    let job = Submission::from_job(move || {
        let mut state = state();
        if !state.freeing.end(address, number) {
            return;
        }
        // The allocation existed at the call. If the program has freed it since, that earlier call was valid.
        let _ = give_back(&mut state, address, call);
    });
    submit::submit_all(lane, vec![job]).map(drop)
}

/// Frees all memory: `hipDeviceReset`.
pub fn free_all() {
    let mut state = state();
    state.memory.pools.reset();
    state.graphs.memory.clear();
    let allocations: Vec<Allocation> = state.memory.allocations().copied().collect();
    for allocation in allocations {
        if state.belongs_to_program(allocation.base) {
            continue;
        }
        state.memory.remove(allocation.base, "hipDeviceReset");
        let freed = match allocation.kind {
            Kind::Device => {
                if let Some(heap) = sanitize::heap() {
                    heap.free(allocation.base, "hipDeviceReset");
                }
                state.gpu.free(allocation.base)
            }
            _ => state.gpu.detach(allocation.base),
        };
        // Every allocation of the table exists, so freeing succeeds.
        debug_assert_eq!(freed, Ok(()));
    }
    state.memory.virtual_memory.reset();
    state.memory.arrays.clear().for_each(drop);
    state.memory.textures.clear();
}

/// Returns the lane of a stream. The functions of pools report an unknown stream as an invalid handle, other than those of streams.
pub fn lane_of(stream: Address) -> HipResult<LaneId> {
    submit::lane(stream).map_err(|_| HipError::InvalidHandle)
}
