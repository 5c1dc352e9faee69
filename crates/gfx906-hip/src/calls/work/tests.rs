//! Tests of the hint after a fault.

use gfx906::machine::{AddressProblem, Nearest, Trap, TrapKind};

use super::kernel::unreached;

/// Returns a fault at an address that is `distance` bytes from the end of a registered allocation.
fn fault(place: AddressProblem, distance: i128) -> Trap {
    Trap {
        kind: TrapKind::MemoryFault {
            write: false,
            bytes: 4,
            place,
        },
        kernel: "k".to_owned(),
        pc: 0,
        instruction: "i".to_owned(),
        source: None,
        work_group: [0; 3],
        wave: 0,
        lane: None,
        work_item: None,
        address: Some(0x10_0000),
        nearest: Some(Nearest {
            name: "hipHostRegister #1".to_owned(),
            base: 0x1000,
            size: 2,
            distance,
        }),
        argument: None,
        wrapped: None,
        freed: None,
        dynamic_lds: None,
        spin: None,
    }
}

/// Regression: a kernel that missed registered memory got the hint to allocate it with hipHostMalloc.
#[test]
fn memory_is_said_to_be_out_of_reach_only_where_it_is() {
    let advised =
        |place, distance, mapped| unreached(&fault(place, distance), 0x10_0000, mapped).is_some();
    assert!(advised(AddressProblem::Outside, 1 << 20, true));
    assert!(
        !advised(AddressProblem::Outside, 1 << 20, false),
        "not mapped: nobody's"
    );
    assert!(
        !advised(AddressProblem::Outside, 2, true),
        "right behind what is registered"
    );
    assert!(!advised(AddressProblem::Outside, -4, true));
    assert!(!advised(AddressProblem::Partly, 0, true));
    assert!(!advised(AddressProblem::ReadOnly, 0, true));
}
