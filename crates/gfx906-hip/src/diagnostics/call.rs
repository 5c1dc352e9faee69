//! Name of the function that a thread has called, for messages.

use std::cell::Cell;

thread_local! {
    static CALL: Cell<&'static str> = const { Cell::new("the runtime") };
}

/// Runs an exported function under its name. A function that it calls has a name of its own meanwhile.
pub fn run_as<T>(name: &'static str, f: impl FnOnce() -> T) -> T {
    let outer = CALL.replace(name);
    let value = f();
    CALL.set(outer);
    value
}

/// Returns the name of the function that the thread has called, as programs write it.
pub fn current_call() -> &'static str {
    let name = CALL.get();
    let suffixes = ["_spt", "_cpp", "_cpp_number"];
    let suffix = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix));
    suffix.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{current_call, run_as};

    #[test]
    fn calls_have_the_names_of_the_header() {
        assert_eq!(current_call(), "the runtime");
        let inner = run_as("hipFree", || {
            (
                run_as("hipDestroySurfaceObject_cpp_number", current_call),
                current_call(),
            )
        });
        assert_eq!(inner, ("hipDestroySurfaceObject", "hipFree"));
        assert_eq!(run_as("hipFreeAsync_spt", current_call), "hipFreeAsync");
        assert_eq!(current_call(), "the runtime");
    }
}
