//! `debug`: the Debug Adapter Protocol on standard input and output.

mod arguments;
mod breakpoints;
mod disassembly;
mod requests;
mod server;
mod sources;
mod subject;
mod values;
mod wire;

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use self::server::Server;
use crate::args::DebugArgs;
use crate::device::debug::{DebugDevice, Driver};
use crate::exit::{Exit, Stop};

/// Runs the command.
///
/// # Errors
/// The input is not the protocol.
pub fn run(args: &DebugArgs) -> Result<Exit, Stop> {
    if io::stdin().is_terminal() {
        // A hint that cannot be written is no reason to stop.
        let _ = writeln!(
            io::stderr(),
            "debug: this command waits for an editor, which speaks the Debug Adapter Protocol; docs/debug.md says how"
        );
    }
    let server = Arc::new(Mutex::new(Server::new(args)));
    let lock = || server.lock().unwrap_or_else(PoisonError::into_inner);
    let subject = lock().configure();
    if let Some(subject) = subject? {
        let device = DebugDevice::new(Arc::clone(&server) as Arc<Mutex<dyn Driver>>);
        let outcome = subject.run(args, &device);
        lock().finish(outcome)?;
    }
    Ok(Exit::Passed)
}
