//! Functions that use the calling thread's own stream in place of the null stream. Programs that are compiled with
//! `-fgpu-default-stream=per-thread` call them.

use super::graph::capture;
use super::memory::copy::{self, Waiting};
use super::memory::{array, pitched, set};
use super::submit::{PER_THREAD, resolve_per_thread};
use super::{event, launch, stream, symbol};
use crate::boundary::{Address, Callback, In, Out};
use crate::error::HipResult;
use crate::objects::shape::Dim3;
use crate::objects::work::{HostFunction, StreamCallback};

pub fn memcpy(to: Address, from: Address, bytes: usize, direction: u32) -> HipResult {
    copy::with_stream(to, from, bytes, direction, PER_THREAD)
}

pub fn memcpy_async(
    to: Address,
    from: Address,
    bytes: usize,
    direction: u32,
    stream: Address,
) -> HipResult {
    copy::memcpy_async(to, from, bytes, direction, resolve_per_thread(stream))
}

pub fn copy_2d(
    to: Address,
    to_pitch: usize,
    from: Address,
    from_pitch: usize,
    width: usize,
    height: usize,
    direction: u32,
) -> HipResult {
    let plane = pitched::plane((to, to_pitch), (from, from_pitch), width, height, direction)?;
    copy::submit(plane, PER_THREAD, Waiting::Always)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn copy_2d_from_array(
    to: Address,
    pitch: usize,
    from: Address,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    direction: u32,
    stream: Address,
) -> HipResult {
    array::copy_2d_from_async(
        to,
        pitch,
        from,
        x,
        y,
        width,
        height,
        direction,
        resolve_per_thread(stream),
    )
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn copy_2d_to_array(
    to: Address,
    x: usize,
    y: usize,
    from: Address,
    pitch: usize,
    width: usize,
    height: usize,
    direction: u32,
    stream: Address,
) -> HipResult {
    array::copy_2d_to_async(
        to,
        x,
        y,
        from,
        pitch,
        width,
        height,
        direction,
        resolve_per_thread(stream),
    )
}

pub fn copy_3d(parameters: In<pitched::Copy3d>) -> HipResult {
    copy::submit(
        pitched::planes(&parameters.get()?)?,
        PER_THREAD,
        Waiting::Always,
    )
}

pub fn copy_to_symbol(
    symbol: Address,
    from: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> HipResult {
    let copy = symbol::build_copy_to(symbol, from, bytes, offset, direction)?;
    copy::submit(copy, PER_THREAD, Waiting::Always)
}

pub fn copy_from_symbol(
    to: Address,
    symbol: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> HipResult {
    let copy = symbol::build_copy_from(to, symbol, bytes, offset, direction)?;
    copy::submit(copy, PER_THREAD, Waiting::Always)
}

pub fn memset(to: Address, value: i32, bytes: usize) -> HipResult {
    set::on_stream(to, value, bytes, PER_THREAD)
}

pub fn set_2d(to: Address, pitch: usize, value: i32, width: usize, height: usize) -> HipResult {
    set::submit(
        set::plane(to, pitch, value, width, height)?,
        PER_THREAD,
        Waiting::Always,
    )
}

pub fn set_3d(to: pitched::PitchedPointer, value: i32, extent: pitched::Extent) -> HipResult {
    set::submit(
        pitched::fill(to, value, extent)?,
        PER_THREAD,
        Waiting::Always,
    )
}

pub fn get_flags(stream: Address, out: Out<u32>) -> HipResult {
    stream::get_flags(resolve_per_thread(stream), out)
}

pub fn get_priority(stream: Address, out: Out<i32>) -> HipResult {
    stream::get_priority(resolve_per_thread(stream), out)
}

pub fn query(stream: Address) -> HipResult {
    stream::query(resolve_per_thread(stream))
}

pub fn synchronize(stream: Address) -> HipResult {
    stream::synchronize(resolve_per_thread(stream))
}

pub fn wait_event(stream: Address, event: Address, flags: u32) -> HipResult {
    stream::wait_event(resolve_per_thread(stream), event, flags)
}

pub fn launch(
    host: Address,
    grid: Dim3,
    block: Dim3,
    parameters: In<Address>,
    lds: usize,
    stream: Address,
) -> HipResult {
    launch::entries::host_launch(
        host,
        grid,
        block,
        parameters,
        lds,
        resolve_per_thread(stream),
    )
}

pub fn record(event: Address, stream: Address) -> HipResult {
    event::record(event, resolve_per_thread(stream))
}

pub fn add_callback(
    stream: Address,
    callback: Callback<StreamCallback>,
    data: Address,
    flags: u32,
) -> HipResult {
    stream::host::add_callback(resolve_per_thread(stream), callback, data, flags)
}

pub fn launch_host_function(
    stream: Address,
    function: Callback<HostFunction>,
    data: Address,
) -> HipResult {
    stream::host::launch(resolve_per_thread(stream), function, data)
}

pub fn memset_async(to: Address, value: i32, bytes: usize, stream: Address) -> HipResult {
    set::memset_async(to, value, bytes, resolve_per_thread(stream))
}

pub fn set_2d_async(
    to: Address,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: Address,
) -> HipResult {
    set::rows_async(to, pitch, value, width, height, resolve_per_thread(stream))
}

pub fn set_3d_async(
    to: pitched::PitchedPointer,
    value: i32,
    extent: pitched::Extent,
    stream: Address,
) -> HipResult {
    pitched::set_3d_async(to, value, extent, resolve_per_thread(stream))
}

pub fn copy_3d_async(parameters: In<pitched::Copy3d>, stream: Address) -> HipResult {
    pitched::copy_3d_async(parameters, resolve_per_thread(stream))
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn copy_2d_async(
    to: Address,
    to_pitch: usize,
    from: Address,
    from_pitch: usize,
    width: usize,
    height: usize,
    direction: u32,
    stream: Address,
) -> HipResult {
    let stream = resolve_per_thread(stream);
    pitched::copy_2d_async(
        to, to_pitch, from, from_pitch, width, height, direction, stream,
    )
}

pub fn copy_to_symbol_async(
    symbol: Address,
    from: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
    stream: Address,
) -> HipResult {
    symbol::copy_to_async(
        symbol,
        from,
        bytes,
        offset,
        direction,
        resolve_per_thread(stream),
    )
}

pub fn copy_from_symbol_async(
    to: Address,
    symbol: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
    stream: Address,
) -> HipResult {
    symbol::copy_from_async(
        to,
        symbol,
        bytes,
        offset,
        direction,
        resolve_per_thread(stream),
    )
}

pub fn begin_capture(stream: Address, mode: u32) -> HipResult {
    capture::begin(resolve_per_thread(stream), mode)
}

pub fn end_capture(stream: Address, out: Out<Address>) -> HipResult {
    capture::end(resolve_per_thread(stream), out)
}

pub fn is_capturing(stream: Address, status: Out<i32>) -> HipResult {
    capture::is_capturing(resolve_per_thread(stream), status)
}

pub fn capture_info(stream: Address, status: Out<i32>, id: Out<u64>) -> HipResult {
    capture::get(resolve_per_thread(stream), status, id)
}

pub fn capture_info_2(
    stream: Address,
    status: Out<i32>,
    id: Out<u64>,
    graph: Out<Address>,
    nodes: Out<Address>,
    count: Out<usize>,
) -> HipResult {
    capture::get_all(resolve_per_thread(stream), status, id, graph, nodes, count)
}
