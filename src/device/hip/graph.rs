//! Launches that were recorded, and start together.

use std::ptr;

use super::error::{HipError, check};
use super::sys::{self, hipGraph_t, hipGraphExec_t, hipStream_t};

/// A graph of launches, one after another.
pub struct Graph {
    graph: hipGraph_t,
    executable: hipGraphExec_t,
}

impl Graph {
    /// Records what a function starts in a stream.
    ///
    /// # Errors
    /// The runtime refuses the recording, or the function fails.
    pub fn capture(
        starts: impl FnOnce(hipStream_t) -> Result<(), HipError>,
    ) -> Result<Graph, HipError> {
        let mut captured = Graph {
            graph: ptr::null_mut(),
            executable: ptr::null_mut(),
        };
        let mut stream = ptr::null_mut();
        // SAFETY: the runtime writes a handle there.
        check("hipStreamCreate", unsafe {
            sys::hipStreamCreate(&raw mut stream)
        })?;
        // SAFETY: the stream was made here.
        let begun = check("hipStreamBeginCapture", unsafe {
            sys::hipStreamBeginCapture(stream, sys::STREAM_CAPTURE_MODE_THREAD_LOCAL)
        });
        let started = begun.and_then(|()| starts(stream));
        // SAFETY: the runtime writes a handle there, and refuses a stream that records nothing.
        let ended = check("hipStreamEndCapture", unsafe {
            sys::hipStreamEndCapture(stream, &raw mut captured.graph)
        });
        // SAFETY: the stream was made here, and nothing runs in it.
        let destroyed = check("hipStreamDestroy", unsafe { sys::hipStreamDestroy(stream) });
        started.and(ended).and(destroyed)?;
        // SAFETY: the graph was recorded here. The runtime writes a handle there, and no message.
        check("hipGraphInstantiate", unsafe {
            sys::hipGraphInstantiate(
                &raw mut captured.executable,
                captured.graph,
                ptr::null_mut(),
                ptr::null_mut(),
                0,
            )
        })?;
        Ok(captured)
    }

    /// Starts the launches in a stream.
    ///
    /// # Errors
    /// The runtime refuses the launch.
    pub fn launch(&self, stream: hipStream_t) -> Result<(), HipError> {
        // SAFETY: the graph lives as long as this.
        check("hipGraphLaunch", unsafe {
            sys::hipGraphLaunch(self.executable, stream)
        })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if !self.executable.is_null() {
            // SAFETY: it was made here, and whoever launched it has waited for it.
            unsafe { sys::hipGraphExecDestroy(self.executable) };
        }
        if !self.graph.is_null() {
            // SAFETY: it was made here.
            unsafe { sys::hipGraphDestroy(self.graph) };
        }
    }
}
