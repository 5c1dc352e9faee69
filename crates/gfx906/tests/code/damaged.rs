//! The reader against damaged files: each named damage has its message, and no damage at all breaks it.

use gfx906::code_object::{CodeObject, KernelDescriptor};
use proptest::prelude::*;

use crate::fuzz_code_object;

const V5: &[u8] = include_bytes!("../data/v5.co");
const V4: &[u8] = include_bytes!("../data/v4.co");
const HIPCC: &[u8] = include_bytes!("../data/hipcc.co");

/// Fields of an ELF program header: offset in the header, in bytes.
const P_OFFSET: usize = 8;
const P_VADDR: usize = 16;
const P_FILESZ: usize = 32;
const P_MEMSZ: usize = 40;

fn error(bytes: &[u8]) -> String {
    CodeObject::parse(bytes).expect_err("damaged").to_string()
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Returns the offset of the n-th PT_LOAD header of `V5`.
fn load(n: usize) -> usize {
    let headers = (64..)
        .step_by(56)
        .take(usize::from(u16::from_le_bytes([V5[56], V5[57]])));
    headers
        .filter(|&at| V5[at..at + 4] == [1, 0, 0, 0])
        .nth(n)
        .expect("load segment")
}

fn with_load(n: usize, field: usize, value: u64) -> String {
    let mut bytes = V5.to_vec();
    put(&mut bytes, load(n) + field, &value.to_le_bytes());
    error(&bytes)
}

/// `V5` with the bytes of `from`, which occur once, replaced.
fn replaced(from: &[u8], to: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = (0..V5.len() - from.len())
        .filter(|&at| V5[at..].starts_with(from))
        .collect();
    let [at] = places.as_slice() else {
        panic!("{from:?} occurs {} times", places.len())
    };
    let mut bytes = V5.to_vec();
    put(&mut bytes, *at, to);
    bytes
}

#[test]
fn headers_that_claim_too_much() {
    let claim = 4 << 30;
    assert!(with_load(0, P_MEMSZ, claim).contains("is over the limit of 268435456 bytes"));
    assert!(with_load(2, P_MEMSZ, u64::MAX).contains("is over the limit of 268435456 bytes"));
    assert!(with_load(3, P_VADDR, claim).contains("is over the limit of 268435456 bytes"));
    assert!(with_load(1, P_FILESZ, claim).contains("4294967296 bytes in the file, but only"));
    assert!(with_load(1, P_OFFSET, claim).contains("the load segment at 0x1"));
    assert!(with_load(1, P_OFFSET, claim).contains("lies outside the file (offset 4294967296"));
    assert!(with_load(2, P_VADDR, 0x1000).contains("overlaps the segment before it"));
    let mut bytes = V5.to_vec();
    put(&mut bytes, 40, &u64::MAX.to_le_bytes());
    assert!(
        error(&bytes).starts_with("ELF section headers: "),
        "{}",
        error(&bytes)
    );
    let mut bytes = V5.to_vec();
    put(&mut bytes, 32, &u64::MAX.to_le_bytes());
    assert!(
        error(&bytes).starts_with("ELF program headers: "),
        "{}",
        error(&bytes)
    );
}

#[test]
fn identity() {
    let with = |at: usize, value: &[u8]| {
        let mut bytes = V5.to_vec();
        put(&mut bytes, at, value);
        error(&bytes)
    };
    assert!(with(8, &[1]).starts_with(
        "code object version 3 is not supported: rebuild with -mcode-object-version=5"
    ));
    assert!(with(7, &[0]).starts_with("an AMD GPU program for OS ABI 0 is not supported"));
    assert!(
        with(16, &[1])
            .starts_with("an ELF file of type 1 is not supported: give the linked code object")
    );
    assert!(with(48, &[0x2c]).starts_with("built for gfx900, not gfx906"));
    assert!(
        with(48, &[0xff]).starts_with("built for an unknown processor (machine 0xff), not gfx906")
    );
    assert!(with(18, &62u16.to_le_bytes()).starts_with("is an x86-64 program"));
}

#[test]
fn metadata() {
    assert_eq!(
        error(&replaced(b"AMDGPU\0", b"amdgpu\0")),
        error(&replaced(b"AMDGPU\0", b"AMDGPX\0"))
    );
    assert!(
        error(&replaced(b"AMDGPU\0", b"amdgpu\0"))
            .starts_with("the code object has no AMDGPU metadata note")
    );
    assert!(
        error(&replaced(b"amdhsa.kernels", b"amdhsa.kernelz"))
            .contains("metadata note: has no `amdhsa.kernels`")
    );
    // the size of reduce's LDS, 1024, is a msgpack u16 after its key
    let lds = |value: &[u8]| {
        let key = b"\xb9.group_segment_fixed_size\xcd\x04\x00";
        let mut to = key[..26].to_vec();
        to.extend_from_slice(value);
        error(&replaced(key, &to))
    };
    assert!(lds(&[0xa2, b'4', b'2']).starts_with("metadata amdhsa.kernels[1].group_segment_fixed_size: should be an integer of 32 bits, not negative, is a string"));
    assert!(lds(&[0xd1, 0xff, 0xff]).contains("is another integer"));
    assert!(
        lds(&[0xcd, 0x08, 0x00])
            .starts_with("kernel `reduce`: 2048 LDS bytes in the metadata, 1024 in its descriptor")
    );
}

#[test]
fn kernels() {
    let object = CodeObject::parse(V5).expect("v5");
    let reduce = object.kernel("reduce").expect("reduce");
    // .rodata is in the first segment, where address and file offset are the same
    let at = usize::try_from(reduce.descriptor_address).expect("small");
    let with = |field: usize, value: &[u8]| {
        let mut bytes = V5.to_vec();
        assert!(at + KernelDescriptor::SIZE < bytes.len());
        put(&mut bytes, at + field, value);
        error(&bytes)
    };
    assert!(with(16, &i64::MAX.to_le_bytes()).contains("lies outside every executable segment"));
    assert!(with(16, &0i64.to_le_bytes()).contains("lies outside every executable segment"));
    assert!(
        with(16, &(reduce.descriptor.entry_offset + 4).to_le_bytes())
            .contains("is not 256-byte aligned")
    );
    assert!(with(57, &[1 << 2]).contains("asks for waves of 32 lanes"));
    assert!(
        with(0, &2048u32.to_le_bytes())
            .contains("1024 LDS bytes in the metadata, 2048 in its descriptor")
    );
}

/// The two bytes that a larger number needs are taken from another number, so that the note keeps its length.
#[test]
fn more_lds_than_there_is() {
    let lds = b".group_segment_fixed_size\xcd\x04\x00";
    let group = b".max_flat_workgroup_size\xcd\x01\x00";
    let find = |from: &[u8]| {
        (0..V5.len())
            .find(|&at| V5[at..].starts_with(from))
            .expect("in the metadata")
    };
    let (lds, group) = (find(lds) + 25, find(group) + 24);
    let mut bytes = V5[..lds].to_vec();
    bytes.extend([0xce, 0, 1, 0, 1]);
    bytes.extend(&V5[lds + 3..group]);
    bytes.push(64);
    bytes.extend(&V5[group + 3..]);
    assert_eq!(bytes.len(), V5.len());
    assert_eq!(
        error(&bytes),
        "kernel `reduce`: asks for 65537 bytes of LDS, a work-group has at most 65536: use less __shared__ memory"
    );
}

/// 4 GiB of arguments were taken for true, and every launch allocated them.
#[test]
fn more_arguments_than_scalar_loads_reach() {
    let large = include_bytes!("../data/large-kernarg.co");
    assert_eq!(
        error(large),
        "kernel `unwritten`: takes 4294967288 bytes of arguments, scalar loads reach 1048576: pass large ones in memory"
    );
}

#[test]
fn every_truncation_is_an_error() {
    for whole in [V5, V4, HIPCC] {
        for length in 0..whole.len() {
            let cut = &whole[..length];
            fuzz_code_object::run(cut);
            assert!(
                CodeObject::parse(cut).is_err(),
                "{length} of {} bytes",
                whole.len()
            );
        }
    }
}

#[test]
fn every_bit_of_the_headers_may_flip() {
    for at in (0..64 + 9 * 56).chain(V5.len() - 16 * 64..V5.len()) {
        for bit in 0..8 {
            let mut bytes = V5.to_vec();
            bytes[at] ^= 1 << bit;
            fuzz_code_object::run(&bytes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_damage_is_survived(
        which in 0usize..3,
        length in 0usize..12_000,
        damage in prop::collection::vec((0usize..12_000, any::<u8>()), 0..16),
    ) {
        let whole = [V5, V4, HIPCC][which];
        let mut bytes = whole[..whole.len().saturating_sub(length.saturating_sub(9_000))].to_vec();
        for (at, value) in damage {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        fuzz_code_object::run(&bytes);
    }

    #[test]
    fn any_bytes_are_survived(magic in 0usize..4, tail in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = [&b""[..], b"\x7fELF", b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"][magic].to_vec();
        bytes.extend(tail);
        fuzz_code_object::run(&bytes);
    }
}
