//! Warnings, which do not stop the run.

use std::io::Write as _;

use gfx906::code_object::CodeObject;

use super::check;
use super::launch::LaunchFile;
use super::variables::Variable;

/// Says a line on stderr; one that cannot be written is no reason to stop.
pub(super) fn warn(name: &str, what: &str) {
    let _ = writeln!(std::io::stderr(), "warning: {name}: {what}");
}

/// Tells of blocks that are smaller than their kernels were compiled for: they run, and often compute nonsense.
pub(super) fn small_blocks(name: &str, file: &LaunchFile, object: &CodeObject) {
    for (index, spec) in file.launches.iter().enumerate() {
        let kernel = object.kernel(&spec.kernel);
        if let Some(warning) = kernel.and_then(|kernel| check::small_block(spec, kernel)) {
            warn(name, &format!("launches[{index}]: {warning}"));
        }
    }
}

/// Tells of buffers that no launch and no variable is given.
pub(super) fn unused(name: &str, file: &LaunchFile) {
    let args = file.launches.iter().flat_map(|spec| &spec.args);
    let args = args.chain(file.variables.iter().filter_map(Variable::said));
    let used: Vec<usize> = args
        .flat_map(|arg| arg.pointers())
        .map(|pointer| pointer.buffer)
        .collect();
    for (index, buffer) in file.buffers.iter().enumerate() {
        if !used.contains(&index) {
            warn(name, &format!("no launch uses buffer `{}`", buffer.name));
        }
    }
}
