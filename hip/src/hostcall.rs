//! Requests of kernels to the host: `printf`, failed assertions, memory for `malloc`, calls of functions of the host's.
//!
//! Source of the layout: the device library that compilers link into kernels (ROCm 5 and 6), as its code has it. A buffer holds packets of a
//! header and a payload each; free packets and sent ones are lists that both sides change by atomics on their heads. A wave takes a free
//! packet, fills eight words a lane, sends it, and waits until the host clears the packet's flag.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use gfx906::machine::{Gpu, GpuError, LANES};

use crate::diagnostics::log;
use crate::error::{HipError, Outcome};
use crate::heap::{self, Heap};
use crate::printf::Messages;
use crate::settings;

/// Waves that a host thread runs at a time: more than these never wait.
const WAVES_PER_THREAD: u64 = 16;
/// How long the host waits before it looks again.
const PAUSE: Duration = Duration::from_micros(20);

/// The buffer: addresses of headers, payloads and doorbell, the two lists, the mask of a packet's number in their heads.
const HEADERS: u64 = 0;
const PAYLOADS: u64 = 8;
const DOORBELL: u64 = 16;
const FREE: u64 = 24;
const SENT: u64 = 32;
const MASK: u64 = 40;
/// The doorbell, a signal of which only the count is used, stands behind.
const SIGNAL: u64 = 64;
const FIRST_HEADER: u64 = 128;

/// A header: next packet, lanes that ask, service, flag.
const HEADER: u64 = 24;
const LANES_AT: u64 = 8;
const SERVICE_AT: u64 = 16;
const FLAG_AT: u64 = 20;

/// A payload: eight words a lane.
const WORDS: usize = 8;
const PAYLOAD: u64 = (LANES * WORDS * 8) as u64;

/// A call of a function of the host's: its address, and seven words.
const CALL: u32 = 1;
/// A part of a message to be printed.
const PRINT: u32 = 2;
/// Memory: an address to be freed, or 0 and how many bytes.
const MEMORY: u32 = 3;

/// A function that kernels call: two words of result, seven of arguments.
type Called = unsafe extern "C" fn(*mut u64, *const u64);

/// A buffer in device memory.
pub struct Hostcall {
    gpu: Arc<Gpu>,
    /// Its address.
    base: u64,
    /// A power of two.
    packets: u64,
    /// Who answers, while kernels run.
    desk: Mutex<Desk>,
    /// What kernels allocate from, if the host has room for it.
    heap: Mutex<Option<Heap>>,
}

/// The kernels that may ask, and the thread that answers them.
#[derive(Default)]
struct Desk {
    kernels: usize,
    answers: Option<Answers>,
}

/// A thread that answers until it is told that nobody asks any more.
struct Answers {
    done: Arc<AtomicBool>,
    thread: JoinHandle<Result<(), GpuError>>,
}

/// The one buffer of a process, which is made when code is loaded that may need it.
#[derive(Default)]
pub struct Requests(Option<Arc<Hostcall>>);

impl Requests {
    /// The buffer's address.
    pub fn buffer(&mut self, gpu: &Arc<Gpu>) -> Outcome<u64> {
        if self.0.is_none() {
            let made = Hostcall::new(gpu, settings::threads());
            self.0 = Some(Arc::new(made.map_err(|_| HipError::OutOfMemory)?));
        }
        Ok(self.0.as_ref().map_or(0, |hostcall| hostcall.base))
    }

    /// The address of what the device library keeps of its heap; 0: there is none.
    pub fn heap(&self) -> u64 {
        let heap = self.0.as_ref().map(|hostcall| hostcall.heap());
        heap.and_then(|heap| heap.as_ref().map(Heap::address))
            .unwrap_or(0)
    }

    /// The buffer, if there is one.
    pub fn get(&self) -> Option<Arc<Hostcall>> {
        self.0.clone()
    }
}

/// A kernel that may ask; it has ended where this is dropped, also by a panic.
struct Asking<'a>(&'a Hostcall);

impl Asking<'_> {
    /// The kernel has ended; whether its requests could be answered.
    fn end(self) -> Result<(), GpuError> {
        let outcome = self.0.leave();
        std::mem::forget(self);
        outcome
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        // It is a panic that is told.
        let _ = self.0.leave();
    }
}

impl Hostcall {
    /// A buffer for kernels that run on so many host threads.
    fn new(gpu: &Arc<Gpu>, threads: usize) -> Result<Hostcall, GpuError> {
        let packets = (2 * WAVES_PER_THREAD * threads as u64).next_power_of_two();
        let bytes = FIRST_HEADER + packets * (HEADER + PAYLOAD);
        Ok(Hostcall {
            gpu: gpu.clone(),
            base: gpu.alloc("hostcall buffer", bytes)?,
            packets,
            desk: Mutex::default(),
            heap: Mutex::new(Heap::new(gpu)),
        })
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heap(&self) -> MutexGuard<'_, Option<Heap>> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees a block, or hands one out; 0 where there is none.
    fn memory(&self, address: u64, bytes: u64) -> Result<u64, GpuError> {
        let mut heap = self.heap();
        let Some(heap) = heap.as_mut() else {
            return Ok(0);
        };
        if address != 0 {
            if !heap.free(address) {
                log(format!(
                    "a kernel frees {address:#x}, which malloc did not return or which was freed before"
                ));
            }
            return Ok(0);
        }
        let block = heap.allocate(&self.gpu, bytes)?;
        if block == 0 {
            static ONCE: std::sync::Once = std::sync::Once::new();
            ONCE.call_once(|| {
                let all = heap::BYTES >> 20;
                log(format!(
                    "malloc in a kernel: {bytes} bytes are more than is left of the {all} MiB that there are for that; it returns a null pointer"
                ));
            });
        }
        Ok(block)
    }

    fn header(&self, packet: u64) -> u64 {
        self.base + FIRST_HEADER + (packet & (self.packets - 1)) * HEADER
    }

    fn payload(&self, packet: u64) -> u64 {
        let first = self.base + FIRST_HEADER + self.packets * HEADER;
        first + (packet & (self.packets - 1)) * PAYLOAD
    }

    fn put(&self, address: u64, value: u64) -> Result<(), GpuError> {
        self.gpu.write(address, &value.to_le_bytes())
    }

    fn word(&self, address: u64) -> Result<u64, GpuError> {
        let mut bytes = [0; 8];
        self.gpu.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Makes every packet free: a kernel that failed may have kept some.
    fn reset(&self) -> Result<(), GpuError> {
        self.put(self.base + HEADERS, self.header(0))?;
        self.put(self.base + PAYLOADS, self.payload(0))?;
        self.put(self.base + DOORBELL, self.base + SIGNAL)?;
        self.put(self.base + SENT, 0)?;
        self.put(self.base + MASK, self.packets - 1)?;
        // 0 is the end of a list: packets are named by their number and a bit above.
        let name = |packet: u64| self.packets | packet;
        for packet in 0..self.packets {
            let next = if packet == 0 { 0 } else { name(packet - 1) };
            self.put(self.header(packet), next)?;
        }
        self.put(self.base + FREE, name(self.packets - 1))
    }

    /// Runs a kernel, and has somebody answer what it asks meanwhile. Kernels may do so at the same time.
    pub fn during<T>(self: &Arc<Self>, kernel: impl FnOnce() -> T) -> Outcome<T> {
        self.enter()?;
        let asking = Asking(self);
        let result = kernel();
        asking.end().map_err(|_| HipError::Unknown)?;
        Ok(result)
    }

    fn enter(self: &Arc<Self>) -> Outcome {
        let mut desk = self.desk();
        if desk.kernels == 0 {
            self.reset().map_err(|_| HipError::Unknown)?;
            let done = Arc::new(AtomicBool::new(false));
            let (hostcall, flag) = (self.clone(), done.clone());
            let thread = Builder::new().spawn(move || hostcall.serve(&flag));
            let thread = thread.map_err(|_| HipError::OutOfMemory)?;
            desk.answers = Some(Answers { done, thread });
        }
        desk.kernels += 1;
        Ok(())
    }

    /// The last kernel to leave waits until what was sent before its end is answered too.
    fn leave(&self) -> Result<(), GpuError> {
        let mut desk = self.desk();
        desk.kernels -= 1;
        if desk.kernels > 0 {
            return Ok(());
        }
        let Some(answers) = desk.answers.take() else {
            return Ok(());
        };
        answers.done.store(true, Ordering::Release);
        match answers.thread.join() {
            Ok(served) => served,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn serve(&self, done: &AtomicBool) -> Result<(), GpuError> {
        let mut messages = Messages::default();
        loop {
            // What a kernel sent before its end is printed too.
            let last = done.load(Ordering::Acquire);
            let sent = self.gpu.update64(self.base + SENT, |_| 0)?;
            if sent != 0 {
                self.answer(sent, &mut messages)?;
            } else if last {
                messages.finish();
                return Ok(());
            } else {
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// Answers a list of packets, the oldest first.
    fn answer(&self, sent: u64, messages: &mut Messages) -> Result<(), GpuError> {
        let mut packets = Vec::new();
        let mut packet = sent;
        // A kernel that runs wild may have tied the list into a ring.
        while packet != 0 && packets.len() < self.packets as usize {
            packets.push(packet);
            packet = self.word(self.header(packet))?;
        }
        for packet in packets.into_iter().rev() {
            let header = self.header(packet);
            let lanes = self.word(header + LANES_AT)?;
            let service = self.word(header + SERVICE_AT)? as u32;
            for lane in (0..LANES as u64).filter(|lane| lanes >> lane & 1 != 0) {
                let at = self.payload(packet) + lane * 8 * WORDS as u64;
                let mut words = [0; WORDS];
                for (n, word) in (0..).zip(&mut words) {
                    *word = self.word(at + 8 * n)?;
                }
                let answers = match service {
                    CALL => call(&words),
                    PRINT => [messages.take(&words), 0],
                    MEMORY => [self.memory(words[0], words[1])?, 0],
                    _ => [0; 2],
                };
                self.put(at, answers[0])?;
                self.put(at + 8, answers[1])?;
            }
            // The answers come first.
            fence(Ordering::Release);
            self.gpu.write(header + FLAG_AT, &0u32.to_le_bytes())?;
        }
        Ok(())
    }
}

/// Calls the function of the host's that a kernel asks for.
fn call(words: &[u64; WORDS]) -> [u64; 2] {
    let mut results = [0; 2];
    let address: *const () = std::ptr::with_exposed_provenance(words[0] as usize);
    if address.is_null() {
        return results;
    }
    // SAFETY: the program's kernel got the address from the program, and asks for a call of a function of this type; the results have the two
    // words and the arguments the seven that it takes.
    unsafe {
        let function: Called = std::mem::transmute(address);
        function(results.as_mut_ptr(), words[1..].as_ptr());
    }
    results
}
