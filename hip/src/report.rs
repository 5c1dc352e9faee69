//! What is told of a kernel that failed, beyond the emulator's report: its name as in the source, the line, and the end of the program
//! where the environment asks for it.

use std::sync::{LazyLock, PoisonError};

use gfx906::machine::Trap;

use crate::objects::module::Function;
use crate::summary;
use crate::tell::tell;

/// Whether a kernel's failure ends the program (`GFX906_ABORT=1`).
static ABORTS: LazyLock<bool> =
    LazyLock::new(|| std::env::var("GFX906_ABORT").is_ok_and(|value| value.trim() == "1"));

/// A C++ name as one writes it, any other as it is.
pub fn demangled(name: &str) -> String {
    let symbol = cpp_demangle::Symbol::new(name.as_bytes()).ok();
    let plain = symbol.and_then(|symbol| symbol.demangle().ok());
    plain.unwrap_or_else(|| name.to_owned())
}

/// Tells of a trap.
pub fn failed(function: &Function, trap: &Trap) {
    let named = Trap {
        kernel: demangled(&trap.kernel),
        ..trap.clone()
    };
    let line = function.loaded.lines.as_ref().and_then(|lines| {
        let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.at(trap.pc)
    });
    match line {
        Some(line) => tell(format!("{named}\n  source      {line}")),
        None => tell(named),
    }
}

/// Ends the program after a failure that was told, where that is asked for.
pub fn abort_if_asked() {
    if *ABORTS {
        tell("GFX906_ABORT=1: the program ends here");
        summary::write();
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::demangled;

    #[test]
    fn names_are_as_in_the_source() {
        assert_eq!(
            demangled("_Z5scalePKfPfi"),
            "scale(float const*, float*, int)"
        );
        assert_eq!(demangled("plain"), "plain");
        assert_eq!(demangled("_Zbroken"), "_Zbroken");
    }
}
