//! Tests of memory that a GPU shares with its user, and of addresses at the end of the address space.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use gfx906::machine::{Gpu, GpuError, Region, Words};

/// A region at the host's address of its own words.
fn shared(words: &Arc<[AtomicU32]>) -> Region {
    let start = NonNull::from(&words[0]);
    // SAFETY: the words live as long as the clone of their owner does.
    let memory = unsafe { Words::of_host(start, words.len(), Box::new(words.clone())) };
    let (base, size) = (start.as_ptr() as u64, words.len() as u64 * 4);
    Region::with_words("shared", base, size, memory).expect("as many words as bytes")
}

#[test]
fn both_sides_see_the_same_words() {
    let gpu = Gpu::at(1 << 47);
    let words: Arc<[AtomicU32]> = (0..16).map(AtomicU32::new).collect();
    let base = words.as_ptr() as u64;
    gpu.attach(shared(&words)).expect("free");
    assert!(matches!(
        gpu.attach(shared(&words)),
        Err(GpuError::Occupied { .. })
    ));
    gpu.write(base + 4, &7u32.to_le_bytes()).expect("covered");
    assert_eq!(words[1].load(Relaxed), 7);
    words[2].store(9, Relaxed);
    let mut read = [0; 4];
    gpu.read(base + 8, &mut read).expect("covered");
    assert_eq!(u32::from_le_bytes(read), 9);
    assert!(gpu.read(base + 62, &mut read).is_err());
    gpu.detach(base).expect("attached");
    assert!(gpu.detach(base).is_err());
    assert!(!gpu.covers(base, 1));
    assert_eq!(Arc::strong_count(&words), 1, "the owner was kept");
}

/// Addresses went past 2^48, where LDS and scratch are, after many allocations.
#[test]
fn addresses_are_used_again_at_the_end() {
    let first = (1 << 48) - (8 << 20);
    let gpu = Gpu::at(first);
    let kept = gpu.alloc("kept", 100).expect("room");
    for _ in 0..100 {
        let address = gpu.alloc("again", 3 << 20).expect("room for one more");
        assert!(address > kept && address + (3 << 20) <= 1 << 48);
        gpu.free(address).expect("allocated");
    }
    let half = gpu.alloc("half", 3 << 20).expect("room");
    assert!(matches!(
        gpu.alloc("none left", 3 << 20),
        Err(GpuError::OutOfMemory { .. })
    ));
    gpu.free(half).expect("allocated");
}
