//! Memory pools, and memory that is allocated and freed in the order of a stream.

use super::device;
use super::free::give_back_of_graph;
use crate::boundary::{Address, In, Out};
use crate::calls::{capture, submit};
use crate::card;
use crate::error::{HipError, Outcome};
use crate::objects::graph::What;
use crate::runtime::state;

/// `hipMemLocation`: its kind, and which.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// 1: a device.
    pub kind: u32,
    /// Which.
    pub id: i32,
}

/// `hipMemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Who.
    pub location: Location,
    /// What it may: 0, 1 to read, 3 to read and write.
    pub flags: u32,
}

/// `hipMemPoolProps`, as far as anything here depends on it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolProperties {
    /// 1: pinned.
    kind: u32,
    /// To whom its memory can be shown; 0: nobody.
    handles: u32,
    location: Location,
}

/// Nothing may be done.
pub const NO_ACCESS: u32 = 0;
/// It may be read.
pub const READ: u32 = 1;
/// It may be read and written.
pub const READ_WRITE: u32 = 3;

/// An attribute's number; those of sizes can only be set to 0, which begins their highest value anew.
mod attribute {
    pub const THRESHOLD: u32 = 4;
    pub const RESERVED: u32 = 5;
    pub const RESERVED_HIGH: u32 = 6;
    pub const USED: u32 = 7;
    pub const USED_HIGH: u32 = 8;
}

impl PoolProperties {
    /// Those of the device's own memory.
    pub fn of_device() -> PoolProperties {
        PoolProperties {
            kind: 1,
            handles: 0,
            location: Location { kind: 1, id: 0 },
        }
    }
}

impl Location {
    /// That it is the one device.
    pub fn check(self) -> Outcome {
        const DEVICE: u32 = 1;
        if self.kind != DEVICE {
            return Err(HipError::InvalidValue);
        }
        card::check(self.id)
    }
}

fn with<T>(
    pool: Address,
    f: impl FnOnce(&mut crate::objects::pool::Pool) -> Outcome<T>,
) -> Outcome<T> {
    let mut state = state();
    let pool = state.memory.pools.get(pool);
    f(pool.ok_or(HipError::InvalidValue)?)
}

pub fn default_of(out: Out<Address>, device: i32) -> Outcome {
    out.required()?;
    card::check(device)?;
    out.put(state().memory.pools.default)
}

pub fn current_of(out: Out<Address>, device: i32) -> Outcome {
    out.required()?;
    card::check(device)?;
    out.put(state().memory.pools.current)
}

pub fn set_current(device: i32, pool: Address) -> Outcome {
    card::check(device)?;
    with(pool, |_| Ok(()))?;
    state().memory.pools.current = pool;
    Ok(())
}

pub fn create(out: Out<Address>, properties: In<PoolProperties>) -> Outcome {
    const PINNED: u32 = 1;
    out.required()?;
    let wanted = properties.get()?;
    if wanted.kind != PINNED || wanted.handles != 0 {
        return Err(HipError::InvalidValue);
    }
    wanted.location.check()?;
    out.put(state().memory.pools.create())
}

pub fn destroy(pool: Address) -> Outcome {
    if !state().memory.pools.destroy(pool) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

pub fn trim(pool: Address, keep: usize) -> Outcome {
    with(pool, |pool| {
        pool.trim(keep as u64);
        Ok(())
    })
}

/// The value is an `int` or a `uint64_t`, as the attribute says.
pub fn set(pool: Address, number: u32, value: In<u32>) -> Outcome {
    let low = value.get()?;
    with(pool, |pool| {
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

pub fn get(pool: Address, number: u32, value: Out<u32>) -> Outcome {
    value.required()?;
    with(pool, |pool| {
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

/// The device reaches its own pools, whatever is asked.
pub fn set_access(pool: Address, descriptions: In<Access>, count: usize) -> Outcome {
    with(pool, |_| Ok(()))?;
    if count > 0 && descriptions.is_null() {
        return Err(HipError::InvalidValue);
    }
    for n in 0..count {
        let wanted = descriptions.nth(n)?;
        wanted.location.check()?;
        if wanted.flags != READ_WRITE {
            return Err(HipError::InvalidDevice);
        }
    }
    Ok(())
}

pub fn get_access(flags: Out<u32>, pool: Address, location: In<Location>) -> Outcome {
    flags.required()?;
    with(pool, |_| Ok(()))?;
    location.get()?.check()?;
    flags.put(READ_WRITE)
}

fn allocate(call: &str, out: Out<Address>, bytes: usize, pool: Address) -> Outcome {
    out.put(0)?;
    with(pool, |_| Ok(()))?;
    if bytes == 0 {
        return Ok(());
    }
    let address = device::allocate(call, bytes)?;
    state().memory.pools.took(pool, address, bytes as u64);
    out.put(address)
}

/// Memory of a graph that is being captured.
fn captured(call: &str, out: Out<Address>, bytes: usize, stream: Address, id: u64) -> Outcome {
    let graph = capture::graph(id)?;
    let address = memory_of_graph(call, graph, bytes)?;
    capture::add(id, submit::lane(stream)?, What::Allocate(address, bytes))?;
    out.put(address)
}

/// Memory that a graph is to hold, until nobody launches it any more.
pub fn memory_of_graph(call: &str, graph: Address, bytes: usize) -> Outcome<Address> {
    if bytes == 0 {
        return Err(HipError::InvalidValue);
    }
    let address = device::allocate_captured(call, bytes)?;
    let mut state = state();
    let graphs = &mut state.graphs;
    let user = graphs.users.create(address, give_back_of_graph, 1);
    graphs.memory.insert(address);
    graphs.graph_mut(graph)?.users.insert(user, 1);
    Ok(address)
}

/// The memory is there when the call returns.
pub fn malloc_async(out: Out<Address>, bytes: usize, stream: Address) -> Outcome {
    out.required()?;
    submit::check(stream)?;
    if let Some(id) = capture::of(submit::lane(stream)?)? {
        return captured("hipMallocAsync", out, bytes, stream, id);
    }
    let pool = state().memory.pools.current;
    allocate("hipMallocAsync", out, bytes, pool)
}

pub fn malloc_from(out: Out<Address>, bytes: usize, pool: Address, stream: Address) -> Outcome {
    out.required()?;
    submit::check(stream)?;
    if let Some(id) = capture::of(submit::lane(stream)?)? {
        return captured("hipMallocFromPoolAsync", out, bytes, stream, id);
    }
    allocate("hipMallocFromPoolAsync", out, bytes, pool)
}
