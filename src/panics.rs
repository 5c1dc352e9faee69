//! Panics on the way become a message: one bad trial does not end the run.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Set while this thread catches: where the message of a panic goes.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was caught: its message and place.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CaughtPanic(String);

/// Runs `body`; a panic in it is an error with its message and place.
pub fn caught<T>(body: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let taken = CAUGHT.with_borrow_mut(|slot| {
                slot.as_mut()
                    .map(|message| *message = info.to_string().replace('\n', " "))
                    .is_some()
            });
            if !taken {
                before(info);
            }
        }));
    });
    let outer = CAUGHT.replace(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    let message = CAUGHT.replace(outer).unwrap_or_default();
    result.map_err(|_| CaughtPanic(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_message_and_the_next_call_is_clean() {
        let panic = caught(|| -> u32 { panic!("the shape is wrong") }).expect_err("it panics");
        let message = panic.to_string();
        assert!(
            message.contains("the shape is wrong") && message.contains("panics.rs"),
            "{message}"
        );
        assert_eq!(caught(|| 7), Ok(7));
    }
}
