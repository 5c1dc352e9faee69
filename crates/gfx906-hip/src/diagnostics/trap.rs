//! Report of a kernel that failed: the emulator's, with the kernel's name as in the source and the source line.

use gfx906::code_object::Lines;
use gfx906::machine::Trap;

use super::log;

/// Returns a C++ symbol as its declaration reads, and any other name unchanged.
pub fn demangle(name: &str) -> String {
    let symbol = cpp_demangle::Symbol::new(name.as_bytes()).ok();
    let plain = symbol.and_then(|symbol| symbol.demangle().ok());
    plain.unwrap_or_else(|| name.to_owned())
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
    use super::demangle;

    #[test]
    fn names_are_as_in_the_source() {
        assert_eq!(
            demangle("_Z5scalePKfPfi"),
            "scale(float const*, float*, int)"
        );
        assert_eq!(demangle("plain"), "plain");
        assert_eq!(demangle("_Zbroken"), "_Zbroken");
    }
}
