//! Tests of the emulator as a device.

use std::path::Path;

use gfx906::machine::TrapKind;

use super::*;
use crate::device::NOTHING;
use crate::tensor::{ElementKind, poison};

/// A kernel that reads past the end of its input got a finite number there, and passed where it did nothing with it.
#[test]
fn a_read_beyond_a_buffer_faults_and_names_the_lane() {
    let program = Program::built_in().expect("built in");
    let mut session = Emulator::ACROSS_LINES
        .open(1, Limits::default(), &NOTHING)
        .expect("it is there");
    let module = session.load(&program).expect("it loads");
    let mut pointer = |name: &str, n: u64| {
        let allocated = session.alloc(name, 4 * n).expect("memory");
        assert_eq!(allocated.guards, Guards::default());
        allocated.address
    };
    let (x, out) = (pointer("in", 65), pointer("out", 80));
    let mut launch = |n: i32| {
        let (x, out, n) = (x.to_le_bytes(), out.to_le_bytes(), n.to_le_bytes());
        let kernarg = [&x[..], &out, &n].concat();
        session.launch(
            module,
            &Launch {
                kernel: "kernel_neg",
                grid: [1, 1, 1],
                block: [256, 1, 1],
                dynamic_lds: 0,
                kernarg: &kernarg,
                cooperative: false,
            },
        )
    };
    assert!(launch(65).is_ok());
    let error = launch(66).expect_err("a fault");
    assert_eq!(error.kind, DeviceErrorKind::Fault);
    let trap = error.trap.as_ref().expect("the emulator knows");
    assert!(matches!(
        trap.kind,
        TrapKind::MemoryFault { write: false, .. }
    ));
    assert_eq!((trap.wave, trap.lane), (1, Some(1)));
    assert_eq!(trap.to_string(), error.message);
    let told = &error.message;
    assert!(
        told.starts_with("memory fault: read of 4 bytes outside every allocation\n"),
        "{told}"
    );
    assert!(
        told.contains("wave 1, lane 1 (work-item (65, 0, 0))"),
        "{told}"
    );
    assert!(
        told.contains("right behind the end of `in` (260 bytes"),
        "{told}"
    );
}

/// The bytes of the last dword that are beyond a buffer are a guard, because kernels access a dword as a whole.
#[test]
fn the_rest_of_the_last_dword_is_guarded() {
    let mut session = Emulator::ACROSS_LINES
        .open(1, Limits::default(), &NOTHING)
        .expect("it is there");
    for (bytes, after) in [(2, 2), (4, 0), (6, 2), (7, 1), (0, 0)] {
        let allocated = session.alloc("x", bytes).expect("memory");
        assert_eq!(allocated.guards, Guards { before: 0, after });
        let image = vec![7; bytes as usize + after];
        session.upload(allocated.address, &image).expect("written");
        let mut back = vec![0; image.len()];
        session
            .download(allocated.address, &mut back)
            .expect("read");
        assert_eq!(back, image);
        let beyond = session.upload(allocated.address, &vec![0; image.len() + 1]);
        assert!(beyond.is_err());
    }
}

/// A pointer in a code object is relocated: it holds the address that its target has.
#[test]
fn a_variable_is_where_the_code_object_sees_it() {
    let object = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/gfx906/tests/data/v5.co");
    let program = Program::read(&object).expect("a code object");
    let symbols = &program.object.symbols;
    let symbol = |name: &str| symbols.iter().find(|symbol| symbol.name == name);
    let [first, pointer] = ["first", "pointer_to_first"].map(|name| symbol(name).expect("there"));
    let mut session = Emulator::ACROSS_LINES
        .open(1, Limits::default(), &NOTHING)
        .expect("it is there");
    assert!(session.variable(0, first).is_err(), "nothing is loaded");
    // The module must not be the first allocation: with a base of 0 an unrelocated address would be right by chance.
    session.alloc("x", 64).expect("memory");
    let module = session.load(&program).expect("it loads");
    let address = session.variable(module, first).expect("there");
    let pointer = session.variable(module, pointer).expect("there");
    let mut held = [0; 8];
    session.download(pointer, &mut held).expect("read");
    assert_eq!(u64::from_le_bytes(held), address);
    session
        .upload(address, &7i32.to_le_bytes())
        .expect("written");
    let mut held = [0; 4];
    session.download(address, &mut held).expect("read");
    assert_eq!(i32::from_le_bytes(held), 7);
}

/// Poison covers elements larger than the remaining bytes, and the seams between the pieces that it is written in.
#[test]
fn poison_fills_memory_to_its_last_byte() {
    let mut session = Emulator::ACROSS_LINES
        .open(1, Limits::default(), &NOTHING)
        .expect("it is there");
    for kind in [ElementKind::F64, ElementKind::F32, ElementKind::Bf16] {
        for bytes in [0u64, 3, 8, (1 << 20) + 13] {
            let allocated = session.alloc("x", bytes).expect("memory");
            assert!(allocated.zeroed);
            let address = allocated.address;
            session.poison(address, bytes, kind).expect("filled");
            let mut held = vec![0; bytes as usize + allocated.guards.after];
            session.download(address, &mut held).expect("read");
            let mut want = vec![0; bytes as usize];
            poison::fill(kind, &mut want);
            assert_eq!(held[..want.len()], want);
            let beyond = &held[want.len()..];
            assert!(beyond.iter().all(|&byte| byte == 0), "{bytes} {kind:?}");
        }
    }
}
