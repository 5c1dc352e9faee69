//! Tests of the values that a kernel finds in memory that nobody has written.

use gfx906::machine::{Limits, Poison};

use crate::device::{Arg, Device};

const UNWRITTEN: &[u8] = include_bytes!("../data/unwritten.co");

/// SGPRs, VCC, M0 and FLAT_SCRATCH once read as 0, which hides a kernel's missing initialisation.
#[test]
fn registers_and_lds_hold_poison_but_for_what_the_abi_sets() {
    let device = Device::new(UNWRITTEN);
    let out = device.floats("out", &[0.0; 13]);
    // The launch runs twice: nothing may pass from one launch to the next, whatever the first left in its registers.
    for group in [1, 3] {
        device
            .launch(
                "unwritten",
                [group, 1, 1],
                [64, 1, 1],
                &[Arg::Pointer(out)],
                Limits::default(),
                1,
            )
            .expect("it runs");
        let register = Poison::Register.word();
        let names = [
            ("s30", register),
            ("vcc_lo", register),
            ("vcc_hi", register),
            ("m0", register),
            ("flat_scratch_lo", register),
            ("flat_scratch_hi", register),
            ("s101", register),
            ("v30", register),
            ("v30 shifted right by 31", !0),
            ("LDS", Poison::Lds.word()),
            ("exec_lo", !0),
            ("exec_hi", !0),
            ("s2, the work-group's id", group - 1),
        ];
        for ((name, want), got) in names.into_iter().zip(device.read(out, 13)) {
            assert_eq!(got.to_bits(), want, "{name}");
        }
    }
}
