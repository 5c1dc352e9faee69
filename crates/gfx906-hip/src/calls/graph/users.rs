//! Objects of the program that graphs keep alive.

use super::give_up;
use crate::boundary::{Address, Callback, Out};
use crate::error::{HipError, HipResult};
use crate::objects::work::HostFunction;
use crate::runtime::state;

/// The only flag: no synchronisation with the destructor.
const NO_SYNC: u32 = 1;
/// Flag by which the graph takes over references of the caller's.
const MOVE: u32 = 1;

pub fn create(
    out: Out<Address>,
    object: Address,
    destroy: Callback<HostFunction>,
    references: u32,
    flags: u32,
) -> HipResult {
    out.required()?;
    let destroy = destroy.ok_or(HipError::InvalidValue)?;
    if references == 0 || references > i32::MAX as u32 || flags != NO_SYNC {
        return Err(HipError::InvalidValue);
    }
    let user = state().graphs.users.create(object, destroy, references);
    out.put(user)
}

fn counted(count: u32) -> HipResult<u32> {
    if count == 0 || count > i32::MAX as u32 {
        return Err(HipError::InvalidValue);
    }
    Ok(count)
}

pub fn retain(user: Address, count: u32) -> HipResult {
    state().graphs.users.retain(user, counted(count)?)
}

pub fn release(user: Address, count: u32) -> HipResult {
    let destructor = state().graphs.users.release(user, counted(count)?)?;
    give_up(destructor.into_iter().collect());
    Ok(())
}

pub fn retain_by_graph(graph: Address, user: Address, count: u32, flags: u32) -> HipResult {
    if flags & !MOVE != 0 {
        return Err(HipError::InvalidValue);
    }
    let count = counted(count)?;
    let mut state = state();
    state.graphs.graph(graph)?;
    // With `MOVE`, the references are taken from the caller.
    state
        .graphs
        .users
        .retain(user, if flags == MOVE { 0 } else { count })?;
    *state
        .graphs
        .graph_mut(graph)?
        .users
        .entry(user)
        .or_default() += count;
    Ok(())
}

pub fn release_by_graph(graph: Address, user: Address, count: u32) -> HipResult {
    let count = counted(count)?;
    let destructors = {
        let mut state = state();
        let held = &mut state.graphs.graph_mut(graph)?.users;
        let left = held.get(&user).and_then(|held| held.checked_sub(count));
        match left.ok_or(HipError::InvalidValue)? {
            0 => drop(held.remove(&user)),
            left => drop(held.insert(user, left)),
        }
        state.graphs.users.release(user, count)?
    };
    give_up(destructors.into_iter().collect());
    Ok(())
}
