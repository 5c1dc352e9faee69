//! Allocations whose failure the caller handles, told from those that nobody does: a program whose allocator ends it with a clear line
//! where memory is short asks [`is_handled`] first.

use std::cell::Cell;

thread_local! {
    static HANDLED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what allocates and reports its failure. Nothing else may allocate within.
pub fn handled<T>(allocate: impl FnOnce() -> T) -> T {
    let before = HANDLED.replace(true);
    let result = allocate();
    HANDLED.set(before);
    result
}

/// Whether whoever allocates on this thread now handles a failure.
pub fn is_handled() -> bool {
    HANDLED.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_within_is_handled() {
        assert!(!is_handled());
        assert!(handled(is_handled));
        assert!(handled(|| handled(is_handled) && is_handled()));
        assert!(!is_handled());
    }
}
