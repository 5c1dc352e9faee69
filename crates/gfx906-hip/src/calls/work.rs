//! Execution of work: of a stream's task or a graph's node.

mod bytes;
mod copy;
mod fill;
mod host;
mod kernel;
mod pools;
mod word;

use std::sync::{PoisonError, RwLock};

pub use copy::{MemoryPlace, place, stage};

use crate::error::HipResult;
use crate::objects::work::Work;
use crate::recording;
use crate::runtime::{fail, state};

/// Lock of the buffers. A recorded launch holds it exclusively, so that no other work changes its buffers meanwhile.
static BUFFERS: RwLock<()> = RwLock::new(());

/// Does work. Problems are logged.
pub fn run(work: &Work) -> HipResult {
    if let Work::Host(call) = work {
        host::call(call);
        return Ok(());
    }
    // After a kernel has failed, the device does no more work.
    if let Some(failure) = state().device_failure() {
        return Err(failure);
    }
    if let Work::Word(word) = work {
        return word::run(word);
    }
    if !recording::is_on() {
        return device(work);
    }
    if let Work::Kernel(_) = work {
        let _alone = BUFFERS.write().unwrap_or_else(PoisonError::into_inner);
        return device(work);
    }
    let _with_others = BUFFERS.read().unwrap_or_else(PoisonError::into_inner);
    device(work)
}

fn device(work: &Work) -> HipResult {
    match work {
        Work::Kernel(kernel) => kernel::run(kernel),
        Work::Copy(copy) => copy::run(copy),
        Work::Fill(fill) => fill::run(fill),
        Work::Host(_) | Work::Word(_) => Ok(()),
    }
}

/// Does work that no call waits for. Its error goes to the next call that does.
pub fn run_unheard(work: &Work) {
    if let Err(error) = run(work) {
        fail(error);
    }
}

#[cfg(test)]
mod tests;
