//! Tests of the debug information of `tests/data/source.co`, which `tests/data/build.sh` builds.

use super::super::CodeObject;
use super::*;
use crate::code_object::{NumberKind, SourceType};

const OBJECT: &[u8] = include_bytes!("../../../tests/data/source.co");
const FILE: &str = "./source.hip";

fn source() -> Source {
    Source::read(OBJECT).expect("debug information")
}

/// Link addresses of the kernel's code.
fn kernel() -> std::ops::Range<u64> {
    let object = CodeObject::parse(OBJECT).expect("a code object");
    let kernel = object.kernel("scaled").expect("the kernel");
    kernel.entry_address..kernel.entry_address + kernel.code_size
}

/// Variables of all instructions of the kernel, by frame.
fn variables() -> Vec<Vec<Vec<SourceVariable>>> {
    let source = source();
    kernel()
        .step_by(4)
        .map(|address| source.variables(address))
        .collect()
}

#[test]
fn a_line_has_addresses_and_an_address_has_its_line() {
    let source = source();
    assert_eq!(source.files(), [FILE]);
    let mut lines = 0;
    for line in 1..30 {
        for address in source.addresses(FILE, line) {
            assert_eq!(source.line_at(address), Some((0, line)));
            assert_ne!(source.line_at(address - 4), Some((0, line)), "{address:#x}");
            lines += 1;
        }
    }
    assert!(lines > 4, "{lines} stretches");
    assert_eq!(source.line_from(FILE, 1), Some(6));
    assert_eq!(source.line_from(FILE, 1000), None);
    assert_eq!(source.line_from("other.hip", 1), None);
    assert!(source.addresses("other.hip", 6).is_empty());
    assert_eq!(source.line_at(0), None);
    let (entry, size) = (kernel().start, kernel().end - kernel().start);
    // The kernel needs no preparation: its first instruction has the line of its first statement.
    assert_eq!(source.behind_prologue(entry, size), entry);
    assert_eq!(source.line_at(entry), Some((0, 10)));
}

#[test]
fn inlined_functions_are_frames_of_their_own() {
    let source = source();
    let frames: Vec<_> = kernel().step_by(4).map(|at| source.frames(at)).collect();
    let inlined = frames.iter().find(|frames| frames.len() == 2);
    let names: Vec<_> = inlined
        .expect("an inlined function")
        .iter()
        .map(|frame| {
            let position = frame.position.as_ref().expect("a position");
            assert_eq!(position.file, FILE);
            (frame.function.as_deref().expect("a name"), position.line)
        })
        .collect();
    assert_eq!(names, [("_Z5twicei", 6), ("scaled", 15)]);
    for (address, frames) in kernel().step_by(4).zip(&frames) {
        let variables = source.variables(address);
        assert_eq!(variables.len(), frames.len(), "{address:#x}");
    }
    assert!(source.frames(0).is_empty());
}

#[test]
fn variables_have_places_where_the_debug_information_has_them() {
    let variables = variables();
    let outermost = |name: &str| {
        let frames = variables
            .iter()
            .map(|frames| frames.last().expect("a frame"));
        let named = frames.flat_map(|frame| frame.iter().filter(|at| at.name == name));
        let places: Vec<VariablePlace> = named.map(|at| at.place.clone()).collect();
        assert!(!places.is_empty(), "{name}");
        places
    };
    let is_vgpr = |place: &VariablePlace| matches!(place, VariablePlace::Parts(parts) if matches!(parts[..], [VariablePart::Vgpr(_)]));
    assert!(
        outermost("shared")
            .iter()
            .all(|at| *at == VariablePlace::Lds(0))
    );
    assert!(outermost("item").iter().any(is_vgpr));
    assert!(outermost("item").contains(&VariablePlace::Nowhere));
    let first = &variables[0].last().expect("a frame")[..];
    let item = first.iter().find(|at| at.name == "item").expect("declared");
    let kind = NumberKind::Signed;
    let name = "int".to_owned();
    assert_eq!(
        item.ty,
        SourceType::Number {
            name,
            kind,
            size: 4
        }
    );
}

#[test]
fn damaged_debug_information_gives_less_and_never_panics() {
    assert!(Source::read(b"nothing").is_none());
    for position in (0..OBJECT.len()).step_by(7) {
        let mut bytes = OBJECT.to_vec();
        bytes[position] ^= 0xff;
        if let Some(source) = Source::read(&bytes) {
            for address in kernel().step_by(16) {
                source.frames(address);
                source.variables(address);
            }
            source.addresses(FILE, 6);
        }
    }
}
