//! Last words of a process that a signal ends: the line of its summary.
//!
//! A handler may run while any lock is held, that of `malloc` included. So the line is made before, and the handler only opens the file and
//! writes. Signals that the program handles itself are left alone.
//!
//! A host that reads or writes device memory ends by a signal, too. Device addresses are no addresses of a process, so that the processor does
//! not tell the address: it is one in a register.

use std::ffi::{CString, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::AcqRel};

/// Signals that end a process unless it handles them.
const SIGNALS: [c_int; 10] = [
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGHUP,
    libc::SIGILL,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGSEGV,
    libc::SIGTERM,
    libc::SIGXCPU,
];

/// Code of a signal whose address the processor does not tell.
const SI_KERNEL: c_int = 0x80;

/// File that the line is appended to.
static FILE: OnceLock<CString> = OnceLock::new();

/// Line of a process.
struct LastWords {
    line: String,
    /// A forked child inherits the line of its parent, and does not write it.
    process: u32,
}

/// Newest line. Whoever takes the pointer owns it.
static LAST: AtomicPtr<LastWords> = AtomicPtr::new(null_mut());

/// Handles the signals for which the program has no handler.
pub fn watch(file: &OsStr) {
    let Ok(file) = CString::new(file.as_bytes()) else {
        return;
    };
    if FILE.set(file).is_err() {
        return;
    }
    for signal in SIGNALS {
        // SAFETY: a zeroed structure is a valid one with the default action and an empty mask.
        let (mut own, mut known): (libc::sigaction, libc::sigaction) =
            unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        own.sa_sigaction =
            handle as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        own.sa_flags = libc::SA_RESETHAND | libc::SA_ONSTACK | libc::SA_SIGINFO;
        // SAFETY: both structures are valid, and the handler calls only functions that POSIX allows in one.
        unsafe {
            if libc::sigaction(signal, std::ptr::null(), &raw mut known) == 0
                && known.sa_sigaction == libc::SIG_DFL
            {
                libc::sigaction(signal, &raw const own, null_mut());
            }
        }
    }
}

/// Sets the line that a signal writes.
pub fn set_last_words(line: String, process: u32) {
    replace(Box::into_raw(Box::new(LastWords { line, process })));
}

/// Removes the line, because it has been written.
pub fn forget_last_words() {
    replace(null_mut());
}

fn replace(words: *mut LastWords) {
    let old = LAST.swap(words, AcqRel);
    if !old.is_null() {
        // SAFETY: the pointer came from `Box::into_raw`, and nobody else has taken it.
        drop(unsafe { Box::from_raw(old) });
    }
}

/// Writes a text to stderr.
fn tell(text: &str) {
    // SAFETY: the bytes of the text are valid. No one is left to receive an error.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

/// Function that calls another with the name of device memory that one of some addresses is in. It allocates nothing and waits for nothing.
pub type DeviceMemorySearch = fn(addresses: &[u64], found: fn(&str));

/// Search of the runtime, after the runtime exists.
static SEARCH: OnceLock<DeviceMemorySearch> = OnceLock::new();

/// Sets the function that finds device memory.
pub fn find_device_memory_by(search: DeviceMemorySearch) {
    // The runtime exists once, so that there is no second function.
    _ = SEARCH.set(search);
}

/// Writes a line about device memory that the host has used.
fn tell_device_memory(name: &str) {
    tell("gfx906-hip: the host has used an address of `");
    tell(name);
    tell(
        "`, which only kernels reach: copy it with hipMemcpy, or allocate it with hipMallocManaged or hipHostMalloc\n",
    );
}

/// Returns the contents of the registers when a signal came.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn registers(context: *const c_void) -> [u64; 16] {
    let context: *const libc::ucontext_t = context.cast();
    // SAFETY: the kernel passes a valid context.
    let registers = unsafe { (*context).uc_mcontext.gregs };
    // The first sixteen are the general registers.
    std::array::from_fn(|n| registers[n].cast_unsigned())
}

/// Returns nothing: the registers of this processor are not looked at.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn registers(_: *const c_void) -> [u64; 0] {
    []
}

/// Writes the line. The signal's action is the default one again when the handler begins, so the signal then ends the process.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid information.
    let is_unknown_address = unsafe { (*info).si_code == SI_KERNEL };
    if matches!(signal, libc::SIGSEGV | libc::SIGBUS)
        && is_unknown_address
        && let Some(search) = SEARCH.get()
    {
        search(&registers(context), tell_device_memory);
    }
    let words = LAST.swap(null_mut(), AcqRel);
    // SAFETY: the pointer is null, or that of a box that nobody else has taken. It is not freed, as that may wait for a lock.
    let words = unsafe { words.as_ref() };
    if let (Some(words), Some(file)) = (words, FILE.get()) {
        // SAFETY: the file's name ends with a zero byte, and the bytes of the line are valid.
        unsafe {
            if libc::getpid().cast_unsigned() == words.process {
                let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC;
                let file = libc::open(file.as_ptr(), flags, 0o644);
                libc::write(file, words.line.as_ptr().cast(), words.line.len());
            }
        }
    }
    // SAFETY: `raise` may be called in a handler. The signal arrives when the handler returns.
    unsafe { libc::raise(signal) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::read_to_string;

    /// Ends a child by a signal and returns what it has written. The child is a fork, which runs nothing but the functions under test.
    fn words_of_child(file: &std::path::Path, own: bool, signal: c_int) -> String {
        let process = std::process::id();
        watch(file.as_os_str());
        // SAFETY: the child allocates little, sets the line and ends by the signal.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                let process = if own {
                    libc::getpid().cast_unsigned()
                } else {
                    process
                };
                set_last_words("words\n".to_owned(), process);
                libc::raise(signal);
                libc::_exit(0);
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == signal);
        }
        let text = read_to_string(file).unwrap_or_default();
        _ = std::fs::remove_file(file);
        text
    }

    #[test]
    fn signals_write_the_line_of_the_process_and_still_end_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("summary");
        // Rust's own program handles overflows of the stack, and a shell may have told it to ignore the signals of a terminal.
        for signal in [
            libc::SIGABRT,
            libc::SIGFPE,
            libc::SIGILL,
            libc::SIGTERM,
            libc::SIGXCPU,
        ] {
            assert_eq!(words_of_child(&file, true, signal), "words\n", "{signal}");
        }
        assert_eq!(
            words_of_child(&file, false, libc::SIGTERM),
            "",
            "a fork's parent"
        );
    }
}
