//! The allocator of the program: where the host has no memory left, and nobody handles that, one line says so and the exit code is 3.
//!
//! The standard library would abort. The line is written, and the process left, without a single allocation. For tests,
//! [`VARIABLE`] makes allocations fail.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gfx906::allocation::is_handled;

use crate::exit::Exit;

/// Name of the environment variable that makes allocations fail, for tests: `handled:N` the N-th allocation whose
/// failure is handled, `any:N` the N-th of all, `any:N+` all from the N-th on.
pub const VARIABLE: &str = "DELTANET_CHECK_FAIL_ALLOCATION";

/// The number of the allocation that fails; 0 for none.
static FAILS: AtomicU64 = AtomicU64::new(0);
/// True if only allocations whose failure is handled are counted.
static HANDLED_ONLY: AtomicBool = AtomicBool::new(false);
/// True if all allocations after the chosen one fail too.
static FOR_GOOD: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, with a message and an exit code for the case that there is no memory.
pub struct Allocator;

/// Reserves address space for the end of the process, configures the heap, and reads [`VARIABLE`].
pub fn configure() {
    #[cfg(unix)]
    reserve::hold();
    take_stack();
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    heap();
    let Ok(text) = std::env::var(VARIABLE) else {
        return;
    };
    let (handled, number) = match text.split_once(':') {
        Some(("handled", number)) => (true, number),
        Some(("any", number)) => (false, number),
        _ => return,
    };
    let (number, on) = match number.strip_suffix('+') {
        Some(number) => (number, true),
        None => (number, false),
    };
    HANDLED_ONLY.store(handled, Relaxed);
    FOR_GOOD.store(on, Relaxed);
    FAILS.store(number.parse().unwrap_or(0), Relaxed);
}

/// Uses part of the main thread's stack once. The system gives that stack its pages at their first use, and ends the process
/// if the address space is used up by then.
#[inline(never)]
fn take_stack() {
    let pages = std::hint::black_box([0_u8; 512 << 10]);
    std::hint::black_box(&pages);
}

/// Configures glibc's heap. If address space is bounded, all threads share one heap: glibc would reserve 64 MiB for
/// each thread and leave no room for the stacks of later threads, a failure that the standard library does not survive.
/// Without a bound, freed memory is kept for the next trial, because returned pages would have to be zeroed again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn heap() {
    let limits = rustix::process::getrlimit(rustix::process::Resource::As);
    let settings: &[_] = match limits.current {
        Some(_) => &[(libc::M_ARENA_MAX, 1)],
        None => &[
            (libc::M_MMAP_THRESHOLD, 32 << 20),
            (libc::M_TRIM_THRESHOLD, 256 << 20),
        ],
    };
    for &(name, value) in settings {
        // SAFETY: it sets a number of the allocator, before there are threads.
        unsafe { libc::mallopt(name, value) };
    }
}

fn fails() -> bool {
    let wanted = FAILS.load(Relaxed);
    if wanted == 0 || HANDLED_ONLY.load(Relaxed) && !is_handled() {
        return false;
    }
    let count = 1 + COUNT.fetch_add(1, Relaxed);
    count == wanted || count > wanted && FOR_GOOD.load(Relaxed)
}

fn checked(size: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    let address = if fails() {
        std::ptr::null_mut()
    } else {
        allocate()
    };
    if address.is_null() && !is_handled() {
        leave(size);
    }
    address
}

// SAFETY: all of it is the system's allocator, which may fail at any time.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(size, || unsafe { System.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(address, layout) }
    }
}

/// Writes the final message and ends the process. Any other thread that gets here waits for the end.
#[cold]
fn leave(size: usize) -> ! {
    static LEAVING: AtomicBool = AtomicBool::new(false);
    #[cfg(unix)]
    reserve::give_back();
    while LEAVING.swap(true, Relaxed) {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    let mut line = Line::default();
    line.push(b"error: out of memory: the host has no ");
    line.push_number(size);
    line.push(b" bytes left; run fewer tests at a time (--jobs), or smaller ones\n");
    end(line.bytes(), Exit::Setup.code().into())
}

/// A reserve of address space, which is returned when memory runs out. Other threads may need memory until the process has
/// ended; without the reserve the C library would end the process in its own way.
#[cfg(unix)]
mod reserve {
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

    /// The size of the reserve. glibc's heap, when it cannot grow, requests pieces of 1 MiB, however little a starting
    /// thread needs.
    const BYTES: usize = 4 << 20;
    static HELD: AtomicPtr<std::ffi::c_void> = AtomicPtr::new(null_mut());

    pub fn hold() {
        // SAFETY: new memory somewhere, which nobody uses.
        let held =
            unsafe { mmap_anonymous(null_mut(), BYTES, ProtFlags::empty(), MapFlags::PRIVATE) };
        HELD.store(held.unwrap_or(null_mut()), Relaxed);
    }

    pub fn give_back() {
        let held = HELD.swap(null_mut(), Relaxed);
        if !held.is_null() {
            // SAFETY: it was mapped with this size, nobody uses it, and only one comes here with it.
            let _ = unsafe { munmap(held, BYTES) };
        }
    }
}

#[cfg(unix)]
fn end(line: &[u8], code: i32) -> ! {
    // The process ends, so a failed write cannot be reported.
    let _ = rustix::io::write(rustix::stdio::stderr(), line);
    // SAFETY: it takes no memory and never returns. `exit` would run handlers, which may allocate.
    unsafe { libc::_exit(code) }
}

#[cfg(not(unix))]
fn end(line: &[u8], code: i32) -> ! {
    use std::io::Write;
    let _ = std::io::stderr().write_all(line);
    std::process::exit(code)
}

/// A line of text that takes no memory.
struct Line {
    text: [u8; 160],
    length: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            text: [0; 160],
            length: 0,
        }
    }
}

impl Line {
    fn push(&mut self, text: &[u8]) {
        let room = &mut self.text[self.length..];
        let count = text.len().min(room.len());
        room[..count].copy_from_slice(&text[..count]);
        self.length += count;
    }

    fn push_number(&mut self, mut number: usize) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.push(&digits[first..]);
    }

    fn bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_text_and_numbers_and_no_more_than_it_can() {
        let mut line = Line::default();
        line.push(b"no ");
        line.push_number(0);
        line.push(b" ");
        line.push_number(usize::MAX);
        assert_eq!(line.bytes(), format!("no 0 {}", usize::MAX).as_bytes());
        line.push(&[b'x'; 1000]);
        assert_eq!(line.bytes().len(), 160);
    }
}
