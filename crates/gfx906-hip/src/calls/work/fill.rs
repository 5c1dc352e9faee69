//! Fills.

use super::bytes as parts;
use crate::diagnostics::log;
use crate::error::HipResult;
use crate::objects::work::Fill;
use crate::runtime::state;
use crate::sanitize;

/// Bytes of a single write: a multiple of every element's size.
const CHUNK: usize = 1 << 20;

/// Does a fill.
pub fn run(fill: &Fill) -> HipResult {
    let gpu = state().gpu.clone();
    let width = fill.size.width;
    let element = &fill.value.to_le_bytes()[..fill.element];
    let data = element.repeat(width.min(CHUNK).div_ceil(fill.element));
    for (y, z) in fill.size.rows() {
        let row = fill.to.row(y, z);
        for at in (0..width).step_by(CHUNK) {
            let to = row + at as u64;
            let part = &data[..CHUNK.min(width - at)];
            parts::write(&gpu, to, part).inspect_err(|_| {
                log(format!(
                    "a fill of {width} bytes at {row:#x}: the memory is not there any more"
                ));
            })?;
        }
        if let Some(heap) = sanitize::heap() {
            heap.written(row..row + width as u64);
        }
    }
    Ok(())
}
