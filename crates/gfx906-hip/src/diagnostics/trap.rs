//! Report of a kernel that failed: the emulator's, with the kernel's name as in the source and the source line.

use cpp_demangle::Symbol;
use gfx906::code_object::Lines;
use gfx906::machine::Trap;

use super::log;

/// Parses a C++ symbol. The parser alone also accepts encodings of types: it takes `f`, a usual name of a kernel in C, for `float`.
pub fn cpp_symbol(name: &str) -> Option<Symbol<&str>> {
    let is_cpp = name.starts_with("_Z");
    is_cpp.then(|| Symbol::new(name).ok()).flatten()
}

/// Returns a C++ symbol as its declaration reads, and any other name unchanged.
pub fn demangle(name: &str) -> String {
    let plain = cpp_symbol(name).and_then(|symbol| symbol.demangle().ok());
    plain.unwrap_or_else(|| name.to_owned())
}

/// Returns a text whose names in backticks read as in the source.
pub fn demangle_quoted(text: &str) -> String {
    let parts = text.split('`').map(demangle);
    parts.collect::<Vec<_>>().join("`")
}

/// Logs a trap, with the source line of its instruction if the code object has line tables.
pub fn log_trap(trap: &Trap, lines: Option<&Lines>) {
    let mut named = Trap {
        kernel: demangle(&trap.kernel),
        ..trap.clone()
    };
    if let Some(lines) = lines {
        named.look_up(lines);
    }
    log(named);
}

#[cfg(test)]
mod tests {
    use super::{demangle, demangle_quoted};

    #[test]
    fn names_are_as_in_the_source() {
        assert_eq!(
            demangle("_Z5scalePKfPfi"),
            "scale(float const*, float*, int)"
        );
        for name in ["plain", "_Zbroken", "f", "i", "Pf", "3mul", "St4copy"] {
            assert_eq!(demangle(name), name);
        }
        assert_eq!(
            demangle_quoted("kernel `_Z4racyPf` takes `x`, not _Z4racyPf"),
            "kernel `racy(float*)` takes `x`, not _Z4racyPf"
        );
    }
}
