//! Memory pools, and memory that is allocated and freed in the order of a stream.

use super::device;
use super::free::{give_back_of_graph, lane_of};
use crate::boundary::{Address, In, Out};
use crate::calls::{capture, submit};
use crate::card;
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;
use crate::queue::LaneId;
use crate::runtime::{RuntimeState, may_wait, state, streams};
use crate::sanitize;
use crate::settings;

/// `hipMemLocation`: its kind and number.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Kind of location; 1 is a device.
    pub kind: u32,
    /// Number of the device.
    pub id: i32,
}

/// `hipMemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Location that gets access.
    pub location: Location,
    /// Access: 0 for none, 1 to read, 3 to read and write.
    pub flags: u32,
}

/// First fields of `hipMemPoolProps`, the only ones that have an effect here. HIP 5 has reserved zeros where the limit is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolProperties {
    /// Kind of memory; 1 is pinned.
    kind: u32,
    /// Kind of handle for other processes; 0 is none.
    handles: u32,
    location: Location,
    /// Security attributes of another system.
    security: Address,
    /// Most bytes of the pool, or 0 for no limit.
    most: u64,
}

/// No access.
pub const NO_ACCESS: u32 = 0;
/// Read access.
pub const READ: u32 = 1;
/// Read and write access.
pub const READ_WRITE: u32 = 3;

/// Numbers of attributes. The highest sizes can only be set to 0, which resets them to the present sizes.
mod attribute {
    pub const THRESHOLD: u32 = 4;
    pub const RESERVED: u32 = 5;
    pub const RESERVED_HIGH: u32 = 6;
    pub const USED: u32 = 7;
    pub const USED_HIGH: u32 = 8;
}

impl PoolProperties {
    /// Fails unless the properties ask for the device's own memory. Handles for other processes may be asked for: the functions that make them
    /// refuse.
    pub fn check(&self) -> HipResult {
        const PINNED: u32 = 1;
        const FILE_DESCRIPTOR: u32 = 1;
        if self.kind != PINNED || self.handles > FILE_DESCRIPTOR {
            return Err(HipError::InvalidValue);
        }
        self.location.check()
    }

    /// Properties of the device's own memory.
    pub fn of_device() -> PoolProperties {
        PoolProperties {
            kind: 1,
            location: Location { kind: 1, id: 0 },
            ..PoolProperties::default()
        }
    }
}

impl Location {
    /// Fails unless the location is the only device.
    pub fn check(self) -> HipResult {
        const DEVICE: u32 = 1;
        if self.kind != DEVICE {
            return Err(HipError::InvalidValue);
        }
        card::check(self.id).map_err(|_| HipError::InvalidValue)
    }
}

fn with_pool<T>(
    pool: Address,
    f: impl FnOnce(&mut crate::objects::pool::Pool) -> HipResult<T>,
) -> HipResult<T> {
    let mut state = state();
    let pool = state.memory.pools.get(pool);
    f(pool.ok_or(HipError::InvalidValue)?)
}

pub fn default_of(out: Out<Address>, device: i32) -> HipResult {
    out.required()?;
    card::check(device)?;
    out.put(state().memory.pools.default)
}

pub fn current_of(out: Out<Address>, device: i32) -> HipResult {
    out.required()?;
    card::check(device).map_err(|_| HipError::InvalidValue)?;
    out.put(state().memory.pools.current)
}

pub fn set_current(device: i32, pool: Address) -> HipResult {
    card::check(device).map_err(|_| HipError::InvalidValue)?;
    with_pool(pool, |_| Ok(()))?;
    state().memory.pools.current = pool;
    Ok(())
}

pub fn create(out: Out<Address>, properties: In<PoolProperties>) -> HipResult {
    out.required()?;
    let wanted = properties.get()?;
    wanted.check()?;
    out.put(state().memory.pools.create(wanted.most))
}

pub fn destroy(pool: Address) -> HipResult {
    if !state().memory.pools.destroy(pool) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

pub fn trim(pool: Address, keep: usize) -> HipResult {
    with_pool(pool, |pool| {
        pool.trim(keep as u64);
        Ok(())
    })
}

/// Sets an attribute. The value is an `int` or a `uint64_t`, depending on the attribute.
pub fn set(pool: Address, number: u32, value: In<u32>) -> HipResult {
    let low = value.get()?;
    with_pool(pool, |pool| {
        let wide = || Ok(u64::from(low) | u64::from(value.nth(1)?) << 32);
        match number {
            1..=3 => pool.reuse[number as usize - 1] = low as i32,
            attribute::THRESHOLD => pool.threshold = wide()?,
            attribute::RESERVED_HIGH if wide()? == 0 => pool.reserved.high = pool.reserved.now,
            attribute::USED_HIGH if wide()? == 0 => pool.used.high = pool.used.now,
            _ => return Err(HipError::InvalidValue),
        }
        Ok(())
    })
}

pub fn get(pool: Address, number: u32, value: Out<u32>) -> HipResult {
    value.required()?;
    with_pool(pool, |pool| {
        let wide = match number {
            1..=3 => return value.put(pool.reuse[number as usize - 1] as u32),
            attribute::THRESHOLD => pool.threshold,
            attribute::RESERVED => pool.reserved.now,
            attribute::RESERVED_HIGH => pool.reserved.high,
            attribute::USED => pool.used.now,
            attribute::USED_HIGH => pool.used.high,
            _ => return Err(HipError::InvalidValue),
        };
        value.put(wide as u32)?;
        value.put_at(1, (wide >> 32) as u32)
    })
}

/// Accepts access rights, which change nothing because the device always reaches its own pools.
pub fn set_access(pool: Address, descriptions: In<Access>, count: usize) -> HipResult {
    const DEVICES: usize = 1;
    const DEVICE: u32 = 1;
    with_pool(pool, |_| Ok(()))?;
    if descriptions.is_null() {
        return Err(HipError::InvalidValue);
    }
    if count > DEVICES {
        return Err(HipError::InvalidDevice);
    }
    for n in 0..count {
        let wanted = descriptions.nth(n)?;
        if wanted.location.kind != DEVICE {
            return Err(HipError::InvalidValue);
        }
        card::check(wanted.location.id)?;
        match wanted.flags {
            // A device always reaches its own memory.
            NO_ACCESS => return Err(HipError::InvalidDevice),
            READ | READ_WRITE => {}
            _ => return Err(HipError::InvalidValue),
        }
    }
    Ok(())
}

pub fn get_access(flags: Out<u32>, pool: Address, location: In<Location>) -> HipResult {
    flags.required()?;
    with_pool(pool, |_| Ok(()))?;
    location.get()?.check()?;
    flags.put(READ_WRITE)
}

/// Fails if a pool would give out more than its limit after the earlier work of a stream, which may free memory.
fn check_room(pool: Address, bytes: u64, lane: LaneId) -> HipResult {
    if with_pool(pool, |pool| Ok(pool.has_room(bytes)))? {
        return Ok(());
    }
    may_wait()?;
    streams().wait(&streams().pending(lane));
    match with_pool(pool, |pool| Ok(pool.has_room(bytes)))? {
        true => Ok(()),
        false => Err(HipError::OutOfMemory),
    }
}

/// Returns memory of a pool that a stream will free, for a later use on the same stream: HIP reuses such memory at once. Checks of memory
/// tell the two uses apart, and get other memory.
fn take_over(pool: Address, bytes: u64, lane: LaneId) -> Option<Address> {
    if sanitize::heap().is_some() || settings::POISON.is_on() {
        return None;
    }
    let mut state = state();
    let RuntimeState {
        freeing, memory, ..
    } = &mut *state;
    let taken = freeing.take_over(lane, |address| {
        let size = memory.starting_at(address).map(|found| found.size);
        size == Some(bytes) && memory.pools.owner(address) == Some(pool)
    })?;
    memory.pools.set_used(taken, true);
    Some(taken)
}

fn allocate(call: &str, out: Out<Address>, bytes: usize, pool: Address, lane: LaneId) -> HipResult {
    out.put(0)?;
    with_pool(pool, |_| Ok(()))?;
    if bytes == 0 {
        return Ok(());
    }
    if let Some(address) = take_over(pool, bytes as u64, lane) {
        return out.put(address);
    }
    check_room(pool, bytes as u64, lane)?;
    let address = device::allocate(call, bytes)?;
    state()
        .memory
        .pools
        .note_allocation(pool, address, bytes as u64);
    out.put(address)
}

/// Allocates memory in a graph that is being captured.
fn allocate_in_capture(
    call: &str,
    out: Out<Address>,
    bytes: usize,
    stream: Address,
    id: u64,
) -> HipResult {
    let graph = capture::graph(id)?;
    let address = memory_of_graph(call, graph, bytes)?;
    capture::add(
        id,
        submit::lane(stream)?,
        NodeAction::Allocate(address, bytes),
    )?;
    out.put(address)
}

/// Allocates memory that a graph owns until the graph and its executable graphs are destroyed.
pub fn memory_of_graph(call: &str, graph: Address, bytes: usize) -> HipResult<Address> {
    if bytes == 0 {
        return Err(HipError::InvalidValue);
    }
    let address = device::allocate_captured(call, bytes)?;
    let mut state = state();
    let graphs = &mut state.graphs;
    let user = graphs.users.create(address, give_back_of_graph, 1);
    graphs.memory.insert(address, bytes as u64);
    graphs.graph_mut(graph)?.users.insert(user, 1);
    Ok(address)
}

/// Allocates memory, which exists when the call returns.
pub fn malloc_async(out: Out<Address>, bytes: usize, stream: Address) -> HipResult {
    out.required()?;
    let pool = state().memory.pools.current;
    allocate_on("hipMallocAsync", out, bytes, pool, stream)
}

pub fn malloc_from(out: Out<Address>, bytes: usize, pool: Address, stream: Address) -> HipResult {
    out.required()?;
    if pool == 0 {
        return Err(HipError::InvalidValue);
    }
    allocate_on("hipMallocFromPoolAsync", out, bytes, pool, stream)
}

fn allocate_on(
    call: &str,
    out: Out<Address>,
    bytes: usize,
    pool: Address,
    stream: Address,
) -> HipResult {
    let lane = lane_of(stream)?;
    if bytes == 0 {
        return out.put(0);
    }
    if let Some(id) = capture::find_by_lane(lane)? {
        return allocate_in_capture(call, out, bytes, stream, id);
    }
    allocate(call, out, bytes, pool, lane)
}
