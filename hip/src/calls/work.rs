//! Work, done: what a stream's turn or a graph's node comes to.

mod bytes;
mod copy;
mod fill;
mod host;
mod kernel;
mod pools;
mod word;

use std::sync::{PoisonError, RwLock};

pub use copy::{Place, place, stage};

use crate::error::Outcome;
use crate::objects::work::Work;
use crate::recording;
use crate::runtime::{fail, state};

/// Held alone by a launch that is recorded: nothing else may change its buffers meanwhile. Of no use to others.
static BUFFERS: RwLock<()> = RwLock::new(());

/// Does work; what is wrong with it has been told.
pub fn run(work: &Work) -> Outcome {
    if let Work::Host(call) = work {
        host::call(call);
        return Ok(());
    }
    // After a failed kernel the device does nothing more.
    if let Some(failure) = state().dead() {
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

fn device(work: &Work) -> Outcome {
    match work {
        Work::Kernel(kernel) => kernel::run(kernel),
        Work::Copy(copy) => copy::run(copy),
        Work::Fill(fill) => fill::run(fill),
        Work::Host(_) | Work::Word(_) => Ok(()),
    }
}

/// Does work that nobody waits for: an error is for the next call that does.
pub fn run_unheard(work: &Work) {
    if let Err(error) = run(work) {
        fail(error);
    }
}

#[cfg(test)]
mod tests;
