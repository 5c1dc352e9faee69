//! Footprints of a kernel whose arguments point into one large allocation.

use std::sync::Arc;

use super::{Footprint, FootprintLimit};
use crate::code_object::CodeObject;
use crate::machine::{Gpu, Launch};

const POOL: u64 = 1 << 20;
const X: u64 = 8192 + 256;
const Y: u64 = 65_536 + 512;
const COUNT: u64 = 5000;

/// Runs `y[i] += x[i]` for 5000 elements of a pool that is 1.0 everywhere, under the observer of its footprint.
fn footprint(limit: u64) -> (Footprint, Arc<Gpu>, u64) {
    let object = CodeObject::parse(include_bytes!("../../../tests/data/v5.co")).expect("parses");
    let gpu = Arc::new(Gpu::new());
    let module = gpu.load(&object).expect("room");
    let pool = gpu.alloc("pool", POOL).expect("room");
    gpu.write(pool, &1f32.to_le_bytes().repeat(POOL as usize / 4))
        .expect("writable");
    let mut kernarg = Vec::new();
    kernarg.extend((pool + X).to_le_bytes());
    kernarg.extend((pool + Y).to_le_bytes());
    kernarg.extend(1f32.to_le_bytes());
    kernarg.extend(1f32.to_le_bytes());
    kernarg.extend((COUNT as u32).to_le_bytes());
    kernarg.extend([0; 4]);
    kernarg.extend(0f64.to_le_bytes());
    kernarg.extend([0; 8]);
    let mut launch = Launch::new([79, 1, 1], [64, 1, 1], &kernarg);
    launch.threads = 2;
    let chosen = std::iter::once(pool..pool + POOL).collect();
    let mut footprint = Footprint::new(Arc::clone(&gpu), chosen, limit);
    gpu.launch_observed(&module, "axpy", &launch, &mut footprint)
        .expect("it runs");
    (footprint, gpu, pool)
}

#[test]
fn a_footprint_has_what_a_launch_touched_as_it_was_before() {
    let (footprint, gpu, pool) = footprint(u64::MAX);
    assert_eq!(footprint.check(), Ok(()));
    let all = pool..pool + POOL;
    // The pool begins at a page: the pieces are the pages of both tensors.
    assert_eq!(pool % 4096, 0);
    let bytes = 4 * COUNT;
    let page = |at: u64| at / 4096 * 4096;
    let pieces = [
        page(X)..page(X + bytes) + 4096,
        page(Y)..page(Y + bytes) + 4096,
    ];
    assert_eq!(footprint.pieces(&all), pieces);
    let y = pool + Y..pool + Y + bytes;
    assert_eq!(
        footprint.extents(&(pool + Y..all.end)),
        [Some(y.clone()), Some(y.clone())]
    );
    assert_eq!(
        footprint.extents(&(pool..pool + Y)),
        [Some(pool + X..pool + X + bytes), None]
    );
    let mut word = [0; 4];
    for at in [y.start, y.start + 4 * 1234, y.end - 4] {
        gpu.read(at, &mut word).expect("readable");
        assert_eq!(f32::from_le_bytes(word), 2.0);
        footprint.read_before(at, &mut word).expect("readable");
        assert_eq!(f32::from_le_bytes(word), 1.0);
    }
    let mut before = vec![0; POOL as usize];
    footprint.read_before(pool, &mut before).expect("readable");
    assert!(before == 1f32.to_le_bytes().repeat(POOL as usize / 4));
}

#[test]
fn a_footprint_beyond_the_limit_is_refused() {
    let pages = 2 * (4 * COUNT / 4096 + 2);
    assert_eq!(footprint(pages * 4096).0.check(), Ok(()));
    assert_eq!(footprint(3 * 4096).0.check(), Err(FootprintLimit));
}
