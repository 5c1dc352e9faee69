//! The host as the other thread: its copies, and its own atomics on memory that it shares.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use gfx906::machine::{Region, Words};

use super::Device;

/// A page of the host's memory with atomics of both widths. The shared memory of a HIP program belongs to C++, which mixes the widths.
#[repr(align(4096))]
struct Page([AtomicU64; 2048]);

/// Attaches a page of the host's at its own address.
fn share(device: &Device, page: &Arc<Page>) -> u64 {
    let start = NonNull::from(&page.0[0]).cast::<AtomicU32>();
    // SAFETY: the page lives as long as the clone of its owner does, and is made of atomics.
    let words = unsafe { Words::of_host(start, 4096, Box::new(page.clone())) };
    let base = start.as_ptr().expose_provenance() as u64;
    let region = Region::with_words("shared", base, 16384, words).expect("as many words as bytes");
    device.gpu.attach(region).expect("free");
    base
}

/// Repeats `host` until the kernel has ended, and returns the number of repetitions.
fn meanwhile(kernel: impl FnOnce(), mut host: impl FnMut() + Send) -> u64 {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut times = 0;
            while !done.load(Relaxed) {
                host();
                times += 1;
            }
            times
        });
        kernel();
        done.store(true, Relaxed);
        other.join().expect("no panic")
    })
}

fn page() -> Arc<Page> {
    Arc::new(Page(std::array::from_fn(|_| AtomicU64::new(0))))
}

#[test]
fn additions_of_the_host_and_of_kernels_are_all_there() {
    const TIMES: u32 = 2000;
    let (device, page) = (Device::ready(), page());
    let base = share(&device, &page);
    let times = meanwhile(
        || device.run_at("mixed", base, 2, TIMES),
        || {
            page.0[128].fetch_add(1, Relaxed);
        },
    );
    let sum = 2 * 64 * u64::from(TIMES) + times;
    assert_eq!(page.0[128].load(Relaxed), sum, "{times} of the host's");
}

/// The emulator's own way for the host to change 64 bits took a lock that kernels' stores did not take.
#[test]
fn updates_by_the_host_are_all_there() {
    const TIMES: u32 = 2000;
    let device = Device::ready();
    let times = meanwhile(
        || device.run_at("mixed", device.base, 2, TIMES),
        || {
            let updated = device.gpu.update64(device.base + 1024, |value| value + 1);
            updated.expect("within the memory");
        },
    );
    let sum = 2 * 64 * u64::from(TIMES) + times;
    assert_eq!(device.value(1024), sum, "{times} of the host's");
}

#[test]
fn copies_of_the_host_tear_no_pair() {
    let device = Device::ready();
    let mut number = 0u32;
    meanwhile(
        || device.run_at("pairs", device.base, 1, 30_000),
        || {
            number += 1;
            let bytes = number.to_le_bytes().repeat(256);
            let written = device.gpu.write(device.base + 1024, &bytes);
            written.expect("within the memory");
        },
    );
    let torn: u32 = device.row(0, 3).into_iter().sum();
    assert_eq!(torn, 0, "pairs that the kernel found torn");

    let mut torn = 0;
    let mut bytes = [0; 1024];
    meanwhile(
        || device.run_at("equals", device.base, 1, 100_000),
        || {
            let read = device.gpu.read(device.base + 1024, &mut bytes);
            read.expect("within the memory");
            torn += bytes
                .as_chunks::<8>()
                .0
                .iter()
                .filter(|pair| pair[..4] != pair[4..])
                .count();
        },
    );
    assert_eq!(torn, 0, "pairs that the host found torn");
}

#[test]
fn pairs_that_the_host_stores_are_not_torn() {
    let (device, page) = (Device::ready(), page());
    let base = share(&device, &page);
    let mut number = 0u64;
    meanwhile(
        || device.run_at("pairs", base, 1, 30_000),
        || {
            number += 0x1_0000_0001;
            page.0[128..256]
                .iter()
                .for_each(|pair| pair.store(number, Relaxed));
        },
    );
    let row = &page.0[(4096 + 768) / 8..][..32];
    assert!(row.iter().all(|torn| torn.load(Relaxed) == 0));
}
