use super::*;

fn heap() -> Heap {
    let heap = Heap::default();
    heap.declare("a", 0x1000..0x1100, 0xf00..0x1200, None);
    heap.declare("b", 0x1210..0x1213, 0x1210..0x1214, Some("hipMalloc"));
    heap
}

#[test]
fn an_address_is_found_in_a_block_and_around_it() {
    let known = heap().known();
    let name = |at| known.find(&mut 0, at).map(|(_, block)| block.name.as_str());
    assert_eq!(
        [0xeff, 0xf00, 0x1000, 0x11ff].map(name),
        [None, Some("a"), Some("a"), Some("a")]
    );
    assert_eq!(
        [0x1200, 0x1210, 0x1213, 0x1214].map(name),
        [None, Some("b"), Some("b"), None]
    );
    assert_eq!(known.surely(&mut 0, 0x1100), None);
    assert_eq!(known.surely(&mut 0, 0x10ff), Some(0));
}

#[test]
fn what_nobody_wrote_is_known_byte_by_byte() {
    let heap = heap();
    assert_eq!(heap.first_undefined(0x1000..0x1100), None);
    heap.undefined(0xff0..0x2000);
    assert_eq!(heap.first_undefined(0xff0..0x1100), Some(0x1000));
    heap.written(0x1000..0x1081);
    assert_eq!(heap.first_undefined(0x1000..0x1100), Some(0x1081));
    assert_eq!(heap.first_undefined(0x1000..0x1081), None);
    heap.copied(0x1080, 0x1000, 2);
    assert_eq!(heap.first_undefined(0x1000..0x1100), Some(0x1001));
    assert_eq!(heap.first_undefined(0x1002..0x1081), None);
    // The first of several pieces, as offsets in the block.
    heap.written(0x1003..0x1005);
    heap.undefined(0x1010..0x1012);
    let (range, block) = heap.unwritten(0x1002..0x1100).expect("unwritten bytes");
    assert_eq!(range, 0x10..0x12);
    assert!(block.starts_with("`a` (256 bytes"), "{block}");
    // A dispatch that began earlier shares the block.
    let known = heap.known();
    let (_, block) = known.find(&mut 0, 0x1000).expect("a");
    block.define(0x1000..0x1100, true);
    assert_eq!(heap.first_undefined(0x1000..0x1100), None);
}

#[test]
fn freed_memory_knows_who_freed_it_until_it_is_given_out_again() {
    let heap = heap();
    heap.free(0x1000, "hipFree");
    let by = |heap: &Heap| heap.known().freed(0x1010).map(|freed| freed.by.clone());
    assert_eq!(by(&heap).as_deref(), Some("hipFree"));
    heap.declare("c", 0x1000..0x1020, 0x1000..0x1020, None);
    assert_eq!(by(&heap), None);
}

#[test]
fn pieces_that_are_mapped_side_by_side_touch() {
    let heap = Heap::default();
    for (name, bytes) in [
        ("a", 0x1000..0x2000),
        ("b", 0x2000..0x3000),
        ("c", 0x4000..0x5000),
    ] {
        heap.declare(name, bytes.clone(), bytes, None);
    }
    let known = heap.known();
    assert!(known.touch(0, 0) && known.touch(0, 1) && known.touch(1, 0));
    assert!(!known.touch(1, 2) && !known.touch(2, 0));
}
