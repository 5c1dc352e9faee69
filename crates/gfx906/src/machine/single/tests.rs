//! Tests that accesses of every size leave neighbouring bytes alone, and that mixed sizes lose nothing.

use super::{AtomicU32, Pair, Relaxed, host, locked};

#[repr(align(8))]
struct AlignedPair(Pair);

fn pair() -> AlignedPair {
    AlignedPair([0x0302_0100, 0x0706_0504].map(AtomicU32::new))
}

#[test]
fn sizes_write_their_bytes_and_no_others() {
    macro_rules! test {
        ($by:ident) => {{
            let words = pair();
            let pair = &words.0;
            assert_eq!($by::load64(pair), 0x0706_0504_0302_0100);
            $by::store8(&pair[0], 1, 0xa1);
            $by::store8(&pair[1], 3, 0xa7);
            $by::store16(&pair[0], 2, 0xb3b2);
            $by::store16(&pair[1], 0, 0xb5b4);
            let old = 0xa706_b5b4_b3b2_a100;
            assert_eq!($by::compare_exchange64(pair, 5, 6), old);
            assert_eq!($by::compare_exchange64(pair, old, 1 << 32), old);
            assert_eq!($by::update32(&pair[0], |x| x + 9), 0);
            $by::store32(&pair[1], 7);
            assert_eq!(pair.each_ref().map(|word| word.load(Relaxed)), [9, 7]);
            $by::store64(pair, old);
            assert_eq!($by::load64(pair), old);
        }};
    }
    test!(host);
    test!(locked);
}

/// Two threads add to the same eight bytes, one by 64 bits and one by 32. Nothing is lost, and no half-written value is seen.
#[test]
fn sizes_mix() {
    const ROUNDS: u32 = 20_000;
    macro_rules! run {
        ($by:ident) => {{
            use $by::*;
            let words = AlignedPair([AtomicU32::new(0), AtomicU32::new(0)]);
            let pair = &words.0;
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        update32(&pair[1], |x| x + 1);
                    }
                });
                for _ in 0..ROUNDS {
                    let mut old = load64(pair);
                    loop {
                        match compare_exchange64(pair, old, old + 1) {
                            found if found == old => break,
                            found => old = found,
                        }
                    }
                }
            });
            load64(pair)
        }};
    }
    let want = u64::from(ROUNDS) | u64::from(ROUNDS) << 32;
    assert_eq!(run!(host), want);
    assert_eq!(run!(locked), want);
}
