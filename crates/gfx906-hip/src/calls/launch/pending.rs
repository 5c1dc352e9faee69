//! Launches in several calls: first shape and stream, then arguments if there are any, then the kernel.

use std::cell::RefCell;

use gfx906::code_object::LaunchShape;

use super::entries::host_kernel;
use super::{LaunchRequest, launch};
use crate::boundary::{Address, In, Out, host_bytes};
use crate::error::{HipError, HipResult};
use crate::objects::shape::Dim3;

/// Launch whose kernel is not known yet: shape, stream, arguments so far.
type PendingLaunch = (LaunchShape, Address, Vec<u8>);

thread_local! {
    static PENDING: RefCell<Vec<PendingLaunch>> = const { RefCell::new(Vec::new()) };
}

/// Stores the configuration of `<<<>>>` until the generated host function takes it.
pub fn configure(grid: Dim3, block: Dim3, lds: usize, stream: Address) -> HipResult {
    let shape = LaunchShape {
        grid: grid.into(),
        block: block.into(),
        dynamic_lds: lds as u64,
    };
    PENDING.with_borrow_mut(|pending| pending.push((shape, stream, Vec::new())));
    Ok(())
}

pub fn pop(grid: Out<Dim3>, block: Out<Dim3>, lds: Out<usize>, stream: Out<Address>) -> HipResult {
    let pending = PENDING.with_borrow_mut(Vec::pop);
    let (shape, on, _) = pending.ok_or(HipError::MissingConfiguration)?;
    let dim = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
    grid.put(dim(shape.grid))?;
    block.put(dim(shape.block))?;
    lds.put(shape.dynamic_lds as usize)?;
    stream.put(on)
}

pub fn set_up_argument(value: Address, bytes: usize, offset: usize) -> HipResult {
    /// Bound above the argument bytes of any kernel.
    const MOST: usize = 1 << 16;
    let end = offset.checked_add(bytes).filter(|&end| end <= MOST);
    let end = end.ok_or(HipError::InvalidValue)?;
    let value = host_bytes(value, bytes)?;
    PENDING.with_borrow_mut(|pending| {
        let (_, _, arguments) = pending.last_mut().ok_or(HipError::MissingConfiguration)?;
        arguments.resize(arguments.len().max(end), 0);
        arguments[offset..end].copy_from_slice(value);
        Ok(())
    })
}

pub fn launch_by_pointer(host: Address) -> HipResult {
    let pending = PENDING.with_borrow_mut(Vec::pop);
    let (shape, stream, arguments) = pending.ok_or(HipError::MissingConfiguration)?;
    let function = host_kernel(host)?;
    let size = arguments.len();
    let buffer = arguments.as_ptr().expose_provenance() as Address;
    let extra = [
        1,
        buffer,
        2,
        (&raw const size).expose_provenance() as Address,
        3,
    ];
    let request = LaunchRequest {
        // The array and the arguments outlive the launch.
        extra: In::from_slice(&extra),
        ..LaunchRequest::new(shape.grid, shape.block, shape.dynamic_lds, stream)
    };
    launch(&function, host, &request)
}
