//! The reader against code objects that compilers made (see `tests/data/build.sh`), whole.

use gfx906::code_object::{
    AbiVersion, ArgKind, CodeObject, CodeObjectError, HiddenArg, Kernel, Relocation, SymbolKind,
};
use gfx906::machine::{CodeCache, Gpu};

const V5: &[u8] = include_bytes!("../data/v5.co");
const V4: &[u8] = include_bytes!("../data/v4.co");
const FEATURES: &[u8] = include_bytes!("../data/features.co");
const HIPCC: &[u8] = include_bytes!("../data/hipcc.co");
const GFX90A: &[u8] = include_bytes!("../data/gfx90a.co");

fn parse(bytes: &[u8]) -> CodeObject {
    CodeObject::parse(bytes).expect("a code object that a compiler made")
}

fn error(bytes: &[u8]) -> String {
    CodeObject::parse(bytes)
        .expect_err("not a usable code object")
        .to_string()
}

fn explicit(kernel: &Kernel) -> Vec<(u32, u32, &ArgKind)> {
    kernel
        .explicit_args()
        .map(|arg| (arg.offset, arg.size, &arg.kind))
        .collect()
}

#[test]
fn version_5() {
    let object = parse(V5);
    assert_eq!(
        (object.version, object.target.to_string().as_str()),
        (AbiVersion::V5, "gfx906")
    );
    assert_eq!(
        object
            .kernels
            .iter()
            .map(|kernel| kernel.name.as_str())
            .collect::<Vec<_>>(),
        ["axpy", "reduce", "pointee"]
    );

    // llvm-readelf-19 --notes and --symbols of the same file
    let axpy = object.kernel("axpy").expect("axpy");
    use ArgKind::{ByValue, GlobalBuffer};
    assert_eq!(
        explicit(axpy),
        [
            (0, 8, &GlobalBuffer),
            (8, 8, &GlobalBuffer),
            (16, 4, &ByValue),
            (20, 8, &ByValue),
            (32, 8, &ByValue),
            (40, 1, &ByValue)
        ]
    );
    assert_eq!(
        (
            axpy.kernarg_size,
            axpy.kernarg_align,
            axpy.explicit_kernarg_size()
        ),
        (304, 8, 41)
    );
    let hidden: Vec<_> = axpy
        .args
        .iter()
        .skip(6)
        .map(|arg| (arg.offset, arg.size, arg.kind.clone()))
        .collect();
    assert_eq!(hidden.len(), 13);
    assert_eq!(hidden[0], (48, 4, ArgKind::Hidden(HiddenArg::BlockCountX)));
    assert_eq!(hidden[3], (60, 2, ArgKind::Hidden(HiddenArg::GroupSizeX)));
    assert_eq!(hidden[8], (70, 2, ArgKind::Hidden(HiddenArg::RemainderZ)));
    assert_eq!(
        hidden[9],
        (88, 8, ArgKind::Hidden(HiddenArg::GlobalOffsetX))
    );
    assert_eq!(hidden[12], (112, 2, ArgKind::Hidden(HiddenArg::GridDims)));
    assert_eq!((axpy.sgpr_count, axpy.vgpr_count), (12, 8));
    assert_eq!((axpy.descriptor.sgprs(), axpy.descriptor.vgprs()), (16, 8));
    assert!(
        axpy.descriptor.enable_kernarg_segment_ptr() && axpy.descriptor.enable_work_group_id_x()
    );
    assert_eq!(axpy.descriptor.kernarg_size, 304);
    assert_eq!(
        (
            axpy.wavefront_size,
            axpy.max_flat_work_group_size,
            axpy.uses_dynamic_stack
        ),
        (64, 1024, false)
    );

    let reduce = object
        .kernel("reduce.kd")
        .expect("reduce, by the symbol of its descriptor");
    assert_eq!(
        (
            reduce.name.as_str(),
            reduce.lds_size,
            reduce.max_flat_work_group_size
        ),
        ("reduce", 1024, 256)
    );
}

#[test]
fn addresses_lead_to_code() {
    for bytes in [V5, V4, FEATURES, HIPCC] {
        let object = parse(bytes);
        for kernel in object.kernels.iter() {
            let code = object
                .image
                .bytes(kernel.entry_address, kernel.code_size)
                .expect("code in the image");
            // s_endpgm is in there
            assert!(
                code.chunks_exact(4).any(|word| word == [0, 0, 0x81, 0xbf]),
                "{} never ends",
                kernel.name
            );
            let (symbol, distance) = object
                .function_at(kernel.entry_address + 4)
                .expect("a function");
            assert_eq!(
                (symbol.name.as_str(), distance, symbol.kind),
                (kernel.name.as_str(), 4, SymbolKind::Function)
            );
            assert_eq!(symbol.size, kernel.code_size);
        }
    }
}

#[test]
fn data_and_relocations() {
    let object = parse(V5);
    let symbol = |name: &str| {
        object
            .symbols
            .iter()
            .find(|symbol| symbol.name == name)
            .expect("symbol")
            .clone()
    };
    let (first, pointer, table) = (symbol("first"), symbol("pointer_to_first"), symbol("table"));
    assert_eq!(
        object.image.bytes(first.address, 4),
        Some(&[1, 0, 0, 0][..])
    );
    assert_eq!(
        object.image.relocations,
        [Relocation {
            offset: pointer.address,
            value: first.address
        }]
    );
    assert_eq!((table.size, table.kind), (256, SymbolKind::Object));
    assert_eq!(
        object.image.bytes(table.address, 256),
        Some(&[0; 256][..]),
        ".bss is there, and zero"
    );
    let segment = object
        .image
        .segment_at(table.address, 256)
        .expect("segment");
    assert!(segment.writable && !segment.executable);
    assert_eq!(object.image.bytes(object.image.size - 1, 2), None);
}

#[test]
fn version_4() {
    let object = parse(V4);
    assert_eq!(object.version, AbiVersion::V4);
    let axpy = object.kernel("axpy").expect("axpy");
    assert_eq!((axpy.args.len(), axpy.kernarg_size), (6, 44));
    assert!(
        axpy.descriptor.enable_dispatch_ptr(),
        "v4 reads the group size from the dispatch packet"
    );
}

#[test]
fn features_in_the_header() {
    assert_eq!(parse(FEATURES).target.to_string(), "gfx906:sramecc+:xnack-");
}

#[test]
fn the_bundle_of_hipcc() {
    let object = parse(HIPCC);
    let mut names: Vec<_> = object
        .kernels
        .iter()
        .map(|kernel| kernel.name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["axpy", "pointee", "reduce"]);
    assert_eq!(object.version, AbiVersion::V4);
    let axpy = object.kernel("axpy").expect("axpy");
    assert_eq!(
        (axpy.args.len(), axpy.kernarg_size),
        (6, 44),
        "no hidden argument where none is used"
    );
}

#[test]
fn foreign_files_are_named() {
    assert_eq!(CodeObject::parse(b""), Err(CodeObjectError::Empty));
    assert_eq!(
        error(GFX90A),
        "built for gfx90a, not gfx906: rebuild with --offload-arch=gfx906"
    );
    let host = std::fs::read(std::env::current_exe().expect("this test")).expect("its bytes");
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        assert!(
            error(&host).starts_with("is an x86-64 program, not a GPU code object"),
            "{}",
            error(&host)
        );
    }
    assert!(
        error(b"{ \"kernels\": [] }")
            .starts_with("not a code object (it starts with \"{ \\\"kernels\\\": [] \")")
    );
    assert!(error(&[0xff; 40]).contains("ff ff ff"));
    assert!(error(b"\x7fELF").contains("the ELF header lies outside the file (only 4 bytes)"));
}

/// Loads of one code object share its code in memory, until a host writes there.
#[test]
fn a_host_that_writes_code_writes_its_own() {
    let object = parse(V5);
    let code = object.image.segments.iter().find(|one| one.executable);
    let code = code.expect("code");
    let decoded = CodeCache::default();
    let gpus = [Gpu::new(), Gpu::new()];
    let places = gpus.each_ref().map(|gpu| {
        let module = gpu.load_again(&object, &decoded).expect("memory");
        module.base + code.address
    });
    assert_eq!(places[0], places[1]);
    let held = |gpu: &Gpu, place| {
        let mut bytes = vec![0; code.data.len()];
        gpu.read(place, &mut bytes).expect("loaded");
        bytes
    };
    let written = [0x5a; 4];
    gpus[0].write(places[0] + 4, &written).expect("loaded");
    let mut changed = code.data.clone();
    changed[4..8].copy_from_slice(&written);
    assert_eq!(held(&gpus[0], places[0]), changed);
    assert_eq!(held(&gpus[1], places[1]), code.data);
    let old = gpus[1].update64(places[1] & !7, |_| 0).expect("loaded");
    assert_ne!(old, 0);
    let third = Gpu::new();
    let module = third.load_again(&object, &decoded).expect("memory");
    assert_eq!(held(&third, module.base + code.address), code.data);
}
