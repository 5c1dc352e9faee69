//! Tests of bytes, dwords and bounds of an allocation.

use super::*;

#[test]
fn bytes_copy_in_and_out_wherever_they_start() {
    let data: Vec<u8> = (1..=40).collect();
    for base in [0x1000, 0x1003] {
        for offset in 0..17 {
            for len in 0..=data.len() {
                let region = Region::new("r", base, 64, true);
                let at = region.offset(base + offset);
                region.copy_in(at, &data[..len]);
                let mut all = [0; 64];
                region.copy_out(region.offset(base), &mut all);
                let (before, rest) = all.split_at(offset as usize);
                assert_eq!(&rest[..len], &data[..len]);
                assert!(before.iter().chain(&rest[len..]).all(|&byte| byte == 0));
                let mut part = vec![0; len];
                region.copy_out(at, &mut part);
                assert_eq!(part, data[..len]);
            }
        }
    }
}

/// The card bounds dwords. A compare-and-swap of the dword around the last of an odd number of halves was once a fault.
#[test]
fn kernels_reach_whole_dwords_and_reports_count_bytes() {
    let region = Region::new("r", 0x1000, 6, true);
    assert!(region.covers(0x1004, 4) && !region.covers(0x1004, 8) && !region.covers(0x1008, 1));
    assert!(region.holds(0x1004, 2) && !region.holds(0x1004, 3) && !region.holds(0x1006, 1));
    assert!(region.holds(0x1006, 0) && !region.holds(0x1007, 0));
    let registered = Region::new("r", 0x1006, 2, true);
    assert!(registered.covers(0x1004, 4) && !registered.covers(0x1000, 4));
    assert!(registered.holds(0x1006, 2) && !registered.holds(0x1005, 1));
    registered.write(registered.offset(0x1006), 2, 7);
    assert_eq!(registered.read32(registered.offset(0x1004)), 7 << 16);
}

/// A half stored right behind the last of an odd number of halves once went unnoticed, because it is in a dword of the allocation.
#[test]
fn what_starts_behind_the_end_is_out_of_bounds() {
    for size in 1..=9 {
        let region = Region::new("r", 0x1000, size, true);
        let end = 0x1000 + size;
        for bytes in [1, 2, 4, 8] {
            let (first, last) = region.offsets(bytes);
            for at in 0x0ff8..0x1010 {
                let reached = at >= 0x1000 && at < end && at + bytes <= end.next_multiple_of(4);
                assert_eq!(region.covers(at, bytes), reached, "{size} {bytes} {at:#x}");
                let offset = region.offset(at);
                let some = region.covers(0x1000, bytes);
                let within = some && first <= offset && offset <= last;
                assert_eq!(within, reached, "{size} {bytes} {at:#x}");
            }
        }
    }
}

#[test]
fn the_host_may_look_behind_the_end_where_it_asked_to() {
    let region = Region::new("r", 0x1000, 6, true).with_last_dword();
    assert!(region.holds(0x1000, 8) && !region.holds(0x1000, 9) && region.holds(0x1006, 2));
    assert_eq!(region.size, 6);
    assert!(!region.covers(0x1006, 2));
}

#[test]
fn too_few_words_are_no_region() {
    let words = || Words::try_new(8).expect("memory");
    assert!(Region::with_words("r", 0, 9, words()).is_none());
    assert!(Region::with_words("r", 6, 3, words()).is_none());
    assert!(Region::with_words("r", 6, 2, words()).is_some());
}
