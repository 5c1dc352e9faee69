//! Requests of kernels to the host: `printf`, failed assertions, memory for `malloc`, calls of host functions.
//!
//! Source of the layout: the code of the device library that compilers link into kernels (ROCm 5 and 6). A buffer holds packets of a header
//! and a payload each. Free packets and sent packets are lists that both sides change by atomics on the lists' heads. A wave takes a free
//! packet, fills eight words per lane, sends the packet, and waits until the host clears the packet's flag.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use gfx906::machine::{Gpu, GpuError, LANES};

use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::heap::{self, Heap};
use crate::printf::Messages;
use crate::settings::{self, HOST_CALLS, UNTRUSTED};

/// Waves that a host thread runs at a time. As many packets per thread let every wave make a request.
const WAVES_PER_THREAD: u64 = 16;
/// Time between two looks of the host at the list of requests.
const PAUSE: Duration = Duration::from_micros(20);

/// Offsets in the buffer: addresses of headers, payloads and doorbell, heads of the two lists, mask of a packet's number in the heads.
const HEADERS: u64 = 0;
const PAYLOADS: u64 = 8;
const DOORBELL: u64 = 16;
const FREE: u64 = 24;
const SENT: u64 = 32;
const MASK: u64 = 40;
/// Offset of the doorbell, a signal of which only the count is used.
const SIGNAL: u64 = 64;
const FIRST_HEADER: u64 = 128;

/// Fields of a header: next packet, requesting lanes, service, flag.
const HEADER: u64 = 24;
const LANES_AT: u64 = 8;
const SERVICE_AT: u64 = 16;
const FLAG_AT: u64 = 20;

/// Size of a payload: eight words per lane.
const WORDS: usize = 8;
const PAYLOAD: u64 = (LANES * WORDS * 8) as u64;

/// Service that calls a host function: its address, and seven words.
const CALL: u32 = 1;
/// Service that takes a part of a message to print.
const PRINT: u32 = 2;
/// Service for memory: an address to free, or 0 and the bytes to allocate.
const MEMORY: u32 = 3;

/// Host function that kernels call: two words of result, seven words of arguments.
type HostcallFunction = unsafe extern "C" fn(*mut u64, *const u64);

/// Buffer for requests in device memory.
pub struct Hostcall {
    gpu: Arc<Gpu>,
    /// Address of the buffer.
    base: u64,
    /// Number of packets, a power of two.
    packets: u64,
    /// Kernels that may make requests, and the thread that serves them.
    desk: Mutex<RequestService>,
    /// Heap of kernels, if the host has room for it.
    heap: Mutex<Option<Heap>>,
    /// True after a call of a host function that was refused.
    refused: AtomicBool,
}

/// Kernels that may make requests, and the thread that serves them.
#[derive(Default)]
struct RequestService {
    kernels: usize,
    answers: Option<ServiceThread>,
}

/// Thread that serves requests until it is told to stop.
struct ServiceThread {
    done: Arc<AtomicBool>,
    thread: JoinHandle<Result<(), GpuError>>,
}

/// Buffer of the process, which is created when code that needs it is loaded.
#[derive(Default)]
pub struct HostRequests(Option<Arc<Hostcall>>);

impl HostRequests {
    /// Returns the buffer's address. Creates the buffer at the first call.
    pub fn buffer(&mut self, gpu: &Arc<Gpu>) -> HipResult<u64> {
        if self.0.is_none() {
            let created = Hostcall::new(gpu, settings::threads());
            self.0 = Some(Arc::new(created.map_err(|_| HipError::OutOfMemory)?));
        }
        Ok(self.0.as_ref().map_or(0, |hostcall| hostcall.base))
    }

    /// Returns the address of the device library's heap state, or 0 without a heap.
    pub fn heap(&self) -> u64 {
        let heap = self.0.as_ref().map(|hostcall| hostcall.heap());
        heap.and_then(|heap| heap.as_ref().map(Heap::address))
            .unwrap_or(0)
    }

    /// Returns the buffer, if it exists.
    pub fn get(&self) -> Option<Arc<Hostcall>> {
        self.0.clone()
    }
}

/// Guard for a kernel that may make requests. Its end, even by a panic, stops the service.
struct RequestGuard<'a>(&'a Hostcall);

impl RequestGuard<'_> {
    /// Ends the service for a kernel. Fails if a request could not be served.
    fn end(self) -> Result<(), GpuError> {
        let outcome = self.0.leave();
        std::mem::forget(self);
        outcome
    }
}

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        // The panic is reported, so this error is dropped.
        let _ = self.0.leave();
    }
}

impl Hostcall {
    /// Creates a buffer for kernels that run on a number of host threads.
    fn new(gpu: &Arc<Gpu>, threads: usize) -> Result<Hostcall, GpuError> {
        let packets = (2 * WAVES_PER_THREAD * threads as u64).next_power_of_two();
        let bytes = FIRST_HEADER + packets * (HEADER + PAYLOAD);
        Ok(Hostcall {
            gpu: gpu.clone(),
            base: gpu.alloc("hostcall buffer", bytes)?,
            packets,
            desk: Mutex::default(),
            heap: Mutex::new(Heap::new(gpu)),
            refused: AtomicBool::new(false),
        })
    }

    fn desk(&self) -> MutexGuard<'_, RequestService> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heap(&self) -> MutexGuard<'_, Option<Heap>> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees a block, or allocates one. Returns 0 if there is no room.
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
                let mebibytes = heap::BYTES >> 20;
                log(format!(
                    "malloc in a kernel: {bytes} bytes are more than is left of the {mebibytes} MiB that there are for that; it returns a null pointer"
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

    /// Frees every packet, because a failed kernel may have kept some.
    fn reset(&self) -> Result<(), GpuError> {
        self.put(self.base + HEADERS, self.header(0))?;
        self.put(self.base + PAYLOADS, self.payload(0))?;
        self.put(self.base + DOORBELL, self.base + SIGNAL)?;
        self.put(self.base + SENT, 0)?;
        self.put(self.base + MASK, self.packets - 1)?;
        // A list ends with 0, so a packet's name is its number with a bit above it.
        let name = |packet: u64| self.packets | packet;
        for packet in 0..self.packets {
            let next = if packet == 0 { 0 } else { name(packet - 1) };
            self.put(self.header(packet), next)?;
        }
        self.put(self.base + FREE, name(self.packets - 1))
    }

    /// Runs a kernel while another thread serves its requests. Several kernels may do so at the same time.
    pub fn run_and_serve<T>(self: &Arc<Self>, kernel: impl FnOnce() -> T) -> HipResult<T> {
        self.enter()?;
        let asking = RequestGuard(self);
        let result = kernel();
        asking.end().map_err(|_| HipError::Unknown)?;
        if self.refused.swap(false, Ordering::Relaxed) {
            log(format!(
                "a kernel calls a function of the host; {}=1 allows it in an untrusted program",
                HOST_CALLS.name()
            ));
            return Err(HipError::NotSupported);
        }
        Ok(result)
    }

    fn enter(self: &Arc<Self>) -> HipResult {
        let mut desk = self.desk();
        if desk.kernels == 0 {
            self.reset().map_err(|_| HipError::Unknown)?;
            let done = Arc::new(AtomicBool::new(false));
            let (hostcall, flag) = (self.clone(), done.clone());
            let thread = Builder::new().spawn(move || hostcall.serve(&flag));
            let thread = thread.map_err(|_| HipError::OutOfMemory)?;
            desk.answers = Some(ServiceThread { done, thread });
        }
        desk.kernels += 1;
        Ok(())
    }

    /// Ends the service for a kernel. The last kernel waits until every request from before its end is served.
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
            // The flag is read before the list, so that messages from before the kernel's end are printed too.
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

    /// Serves a list of packets, the oldest first.
    fn answer(&self, sent: u64, messages: &mut Messages) -> Result<(), GpuError> {
        let mut packets = Vec::new();
        let mut packet = sent;
        // A kernel that runs wild may have made a ring of the list.
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
                    CALL if UNTRUSTED.is_on() && !HOST_CALLS.is_on() => {
                        self.refused.store(true, Ordering::Relaxed);
                        [0; 2]
                    }
                    CALL => call(&words),
                    PRINT => [messages.take(&words), 0],
                    MEMORY => [self.memory(words[0], words[1])?, 0],
                    _ => [0; 2],
                };
                self.put(at, answers[0])?;
                self.put(at + 8, answers[1])?;
            }
            // The answers must be visible before the flag is cleared.
            fence(Ordering::Release);
            self.gpu.write(header + FLAG_AT, &0u32.to_le_bytes())?;
        }
        Ok(())
    }
}

/// Calls the host function that a kernel requests.
fn call(words: &[u64; WORDS]) -> [u64; 2] {
    let mut results = [0; 2];
    let address: *const () = std::ptr::with_exposed_provenance(words[0] as usize);
    if address.is_null() {
        return results;
    }
    // SAFETY: the program gave its kernel the address, and the kernel requests a call of a function of this type. The function uses two
    // words of results and seven words of arguments.
    unsafe {
        let function: HostcallFunction = std::mem::transmute(address);
        function(results.as_mut_ptr(), words[1..].as_ptr());
    }
    results
}
