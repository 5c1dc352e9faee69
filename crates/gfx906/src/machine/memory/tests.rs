//! Tests of the reports of faults for every kind of memory, and of the cost of ordered accesses.

use std::sync::Arc;

use super::super::env::Env;
use super::super::trap::Trap;
use super::super::words::Words;
use super::*;

/// Returns a trap at an address.
fn trap(kind: TrapKind, address: u64) -> Trap {
    Trap {
        kind,
        kernel: "k".to_owned(),
        pc: 0,
        instruction: "i".to_owned(),
        source: None,
        work_group: [0; 3],
        wave: 0,
        lane: None,
        work_item: None,
        address: Some(address),
        nearest: None,
        argument: None,
        wrapped: None,
        freed: None,
        dynamic_lds: None,
        spin: None,
    }
}

/// Returns the first line and the place of the report about an access.
fn told(name: &str, size: u64, writable: bool, at: i64, bytes: u64, write: bool) -> String {
    const BASE: u64 = 0x1_0000;
    let mut space = AddressSpace::default();
    let region = Region::try_new(name, BASE, size, writable).expect("memory");
    space.insert(Arc::new(region));
    let mut env = Env::new(&space);
    let address = BASE.wrapping_add_signed(at);
    let Err(fault) = env.access(Some(0), address, bytes, write) else {
        return "no fault".to_owned();
    };
    let trap = Trap {
        nearest: space.nearest(address),
        ..trap(fault.kind, address)
    };
    let text = trap.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    format!("{}; {}", lines[0], lines[lines.len() - 1])
}

/// The report "Outside every allocation ... at byte 0 of `out`" was once given for an access that ran over the end.
#[test]
fn what_is_told_of_a_fault_is_true_of_every_kind_of_memory() {
    let cases = [
        ("out", 6, true, 0, 4, false),
        ("out", 6, true, 4, 4, true),
        ("out", 6, true, 4, 8, false),
        ("out", 6, true, -4, 8, true),
        ("out", 6, true, 6, 2, true),
        ("out", 6, true, 8, 1, false),
        ("hipHostMalloc #1", 8, true, 8, 4, true),
        ("hipHostRegister #2", 8, true, 12, 4, false),
        ("hipMallocManaged #3", 8, true, -8, 8, false),
        ("kernel arguments", 128, false, 0, 4, true),
        ("code of the code object at 0x1000", 256, false, 16, 4, true),
        ("scratch of wave 0", 16384, true, 16384, 4, true),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|(name, size, writable, at, bytes, write)| {
            told(name, size, writable, at, bytes, write)
        })
        .collect();
    let expected = [
        "no fault",
        "no fault",
        "memory fault: read of 8 bytes across the bounds of an allocation; address     0x10004, at byte 4 of `out` (6 bytes at 0x10000)",
        "memory fault: write of 8 bytes across the bounds of an allocation; address     0xfffc, 4 bytes before the start of `out` (6 bytes at 0x10000)",
        "memory fault: write of 2 bytes outside every allocation; address     0x10006, right behind the end of `out` (6 bytes at 0x10000)",
        "memory fault: read of 1 byte outside every allocation; address     0x10008, 2 bytes behind the end of `out` (6 bytes at 0x10000)",
        "memory fault: write of 4 bytes outside every allocation; address     0x10008, right behind the end of `hipHostMalloc #1` (8 bytes at 0x10000)",
        "memory fault: read of 4 bytes outside every allocation; address     0x1000c, 4 bytes behind the end of `hipHostRegister #2` (8 bytes at 0x10000)",
        "memory fault: read of 8 bytes outside every allocation; address     0xfff8, 8 bytes before the start of `hipMallocManaged #3` (8 bytes at 0x10000)",
        "memory fault: write of 4 bytes to read-only memory; address     0x10000, at byte 0 of `kernel arguments` (128 bytes at 0x10000)",
        "memory fault: write of 4 bytes to read-only memory; address     0x10010, at byte 16 of `code of the code object at 0x1000` (256 bytes at 0x10000)",
        "memory fault: write of 4 bytes outside every allocation; address     0x14000, right behind the end of `scratch of wave 0` (16384 bytes at 0x10000)",
    ];
    assert_eq!(told, expected);
}

#[test]
fn an_index_that_wrapped_is_told_by_the_place_that_was_meant() {
    const BASE: u64 = 0x70_0000_0000;
    let mut space = AddressSpace::default();
    // Pages of it that nobody touches take no memory.
    space.insert(Arc::new(Region::new("pool", BASE, 6 << 30, true)));
    let place = |byte: u64, element: u64| {
        let wrapped = (byte / element) as i32;
        let address = BASE.wrapping_add_signed(i64::from(wrapped) * element as i64);
        let found = space.wrapped(address)?;
        Some((found.name, found.byte, found.element))
    };
    let pool = |byte, element| Some(("pool".to_owned(), byte, element));
    assert_eq!(place(5 << 30, 2), pool(5 << 30, 2));
    assert_eq!(place((4 << 30) + 6, 2), pool((4 << 30) + 6, 2));
    assert_eq!(place(3 << 30, 1), pool(3 << 30, 1));
    assert_eq!(place(5 << 30, 4), None, "an index below 2^31");
    assert_eq!(space.wrapped(BASE - 64), None, "not far enough");
    assert_eq!(space.wrapped(BASE + (7 << 30)), None, "behind the end");
}

/// An address of LDS was once "4096 bytes behind a null pointer", and one just below 2^64 many bytes behind an allocation.
#[test]
fn an_address_is_told_as_a_place_that_it_may_be() {
    const BASE: u64 = 0x8000_0030_0000;
    let mut space = AddressSpace::default();
    space.insert(Arc::new(Region::new("x", BASE, 4096, true)));
    let fault = |address: u64| {
        let kind = TrapKind::MemoryFault {
            write: false,
            bytes: 4,
            place: AddressProblem::Outside,
        };
        Trap {
            nearest: space.nearest(address),
            ..trap(kind, address)
        }
    };
    let line = |trap: &Trap| {
        let text = trap.to_string();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("  address     "));
        line.expect("the line of the address").to_owned()
    };
    for (address, place) in [
        (0, "a null pointer"),
        (8, "a null pointer + 8"),
        (0xffff, "a null pointer + 65535"),
        (4u64.wrapping_neg(), "a null pointer - 4"),
        (0xffffu64.wrapping_neg(), "a null pointer - 65535"),
        (
            0x1_0000,
            "1 GiB and more from every allocation: it is no address of one",
        ),
        (
            0x2744_4444_4444_4444,
            "1 GiB and more from every allocation: it is no address of one",
        ),
        (
            BASE + 4096 + (1 << 30),
            "1 GiB and more from every allocation: it is no address of one",
        ),
        (
            BASE + 4100,
            "4 bytes behind the end of `x` (4096 bytes at 0x800000300000)",
        ),
        (
            BASE - (1 << 29),
            "536870912 bytes before the start of `x` (4096 bytes at 0x800000300000)",
        ),
    ] {
        assert_eq!(line(&fault(address)), format!("{address:#x}, {place}"));
    }
    // A distance is told if the pointer is known.
    let mut known = fault(BASE + (8 << 30));
    known.argument = Some(super::super::trap::FaultArgument {
        position: 0,
        name: None,
    });
    assert!(
        line(&known).contains("8589930496 bytes behind the end of `x`"),
        "{known}"
    );
    // Freed memory is told by its name, and not by that of a neighbour.
    let mut freed = fault(BASE + 4096 + 260);
    freed.freed = Some(super::super::trap::FreedAllocation {
        name: "hipMallocAsync #6".to_owned(),
        base: BASE + 4096,
        size: 1024,
        by: "hipFreeAsync".to_owned(),
    });
    assert_eq!(
        line(&freed),
        "0x800000301104, at byte 260 of `hipMallocAsync #6` (1024 bytes at 0x800000301000), which hipFreeAsync has freed"
    );
    for (dynamic_lds, given) in [(0, "0 bytes"), (1, "1 byte"), (512, "512 bytes")] {
        for (address, write) in [(0, true), (4096, false)] {
            let lds = Trap {
                dynamic_lds: Some(dynamic_lds),
                ..trap(TrapKind::LdsOutOfRange { write, size: 0 }, address)
            };
            let wanted = format!("byte {address} of LDS; the launch gave {given} of dynamic LDS");
            assert_eq!(line(&lds), wanted);
        }
    }
    let misaligned = trap(TrapKind::LdsMisaligned { align: 8 }, 12);
    assert_eq!(line(&misaligned), "byte 12 of LDS");
}

#[test]
fn faults_in_lds_say_so() {
    let kinds = [
        TrapKind::LdsOutOfRange {
            write: true,
            size: 6,
        },
        TrapKind::LdsMisaligned { align: 8 },
        TrapKind::Misaligned { align: 8 },
    ];
    let told = kinds.map(|kind| kind.to_string());
    let expected = [
        "LDS write beyond the group's 6 bytes",
        "misaligned access to LDS: the instruction needs 8-byte alignment",
        "misaligned access: the instruction needs 8-byte alignment",
    ];
    assert_eq!(told, expected);
}

#[test]
fn reads_beyond_the_end_pass_within_the_page_where_that_is_asked_for() {
    const BASE: u64 = 0x1_0000;
    let mut space = AddressSpace::default();
    let [own, page] = Words::try_new(4096).expect("memory").shared();
    let region = Region::with_words("lenient", BASE, 100, own).expect("fits");
    region.write(96, 4, 0x0707_0707);
    space.insert(Arc::new(region.with_page(page)));
    let read = |at, bytes| space.refuse(Some(3), BASE + at, bytes, false);
    let word = |at, bytes| read(at, bytes).map(|r| r.read32(r.offset(BASE + at))).ok();
    assert_eq!(word(96, 16), Some(0x0707_0707), "what is there");
    assert_eq!(word(100, 4), Some(0), "zeros behind");
    assert_eq!(word(4092, 4), Some(0));
    assert!(read(4092, 8).is_err() && read(4096, 4).is_err());
    assert!(
        space.refuse(Some(3), BASE + 100, 4, true).is_err(),
        "no writes"
    );
    let told = ReadBeyond {
        name: "lenient".into(),
        size: 100,
        reads: 3,
        farthest: 3996,
    };
    assert_eq!(space.take_reads_beyond(), [told]);
    assert_eq!(space.take_reads_beyond(), []);
}
