//! Tests of bundles: the entry that is taken, and the errors of bundles without one.

use std::io::Write as _;

use gfx906::code_object::{AbiVersion, CodeObject, MAX_IMAGE};

use crate::fuzz_code_object;

const V5: &[u8] = include_bytes!("../data/v5.co");
const V4: &[u8] = include_bytes!("../data/v4.co");
const FEATURES: &[u8] = include_bytes!("../data/features.co");
const HOST: (&str, &[u8]) = ("host-x86_64-unknown-linux-gnu-", b"");

fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut header = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    header.extend((entries.len() as u64).to_le_bytes());
    let mut offset = header.len() + entries.iter().map(|(id, _)| 24 + id.len()).sum::<usize>();
    for (id, data) in entries {
        for word in [offset, data.len(), id.len()] {
            header.extend((word as u64).to_le_bytes());
        }
        header.extend(id.as_bytes());
        offset += data.len();
    }
    header.extend(entries.iter().flat_map(|(_, data)| data.iter()));
    header
}

fn ccob(version: u16, method: u16, data: &[u8], size: usize) -> Vec<u8> {
    let mut out = b"CCOB".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(method.to_le_bytes());
    match version {
        1 => out.extend((size as u32).to_le_bytes()),
        2 => {
            out.extend((24 + data.len() as u32).to_le_bytes());
            out.extend((size as u32).to_le_bytes());
        }
        _ => {
            out.extend((32 + data.len() as u64).to_le_bytes());
            out.extend((size as u64).to_le_bytes());
        }
    }
    out.extend(0x1234_5678_9abc_def0_u64.to_le_bytes());
    out.extend(data);
    out
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("compressed")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn error(bytes: &[u8]) -> String {
    CodeObject::parse(bytes).expect_err("unusable").to_string()
}

#[test]
fn the_entry_that_suits_the_card_is_taken() {
    let plain = ("hipv4-amdgcn-amd-amdhsa--gfx906", V4);
    let card = ("hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", FEATURES);
    let other = ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack+", V5);
    let version =
        |entries: &[(&str, &[u8])]| CodeObject::parse(&bundle(entries)).expect("usable").version;
    let target = |entries: &[(&str, &[u8])]| {
        CodeObject::parse(&bundle(entries))
            .expect("usable")
            .target
            .to_string()
    };
    assert_eq!(
        target(&[HOST, plain, card, other]),
        "gfx906:sramecc+:xnack-"
    );
    assert_eq!(version(&[HOST, other, plain]), AbiVersion::V4);
    assert_eq!(version(&[other]), AbiVersion::V5, "better than nothing");
    assert_eq!(
        version(&[plain, ("hip-amdgcn-amd-amdhsa-gfx906", V5)]),
        AbiVersion::V4,
        "the first of equals"
    );
}

#[test]
fn bundles_without_an_entry() {
    let foreign = [
        HOST,
        ("hipv4-amdgcn-amd-amdhsa--gfx90a", V5),
        ("hipv4-amdgcn-amd-amdhsa--gfx1100", V5),
    ];
    assert_eq!(
        error(&bundle(&foreign)),
        "the offload bundle holds nothing for gfx906, only host-x86_64-unknown-linux-gnu-, hipv4-amdgcn-amd-amdhsa--gfx90a, \
         hipv4-amdgcn-amd-amdhsa--gfx1100: rebuild with --offload-arch=gfx906"
    );
    assert!(error(&bundle(&[])).contains("only no entries"));
    assert!(error(&bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx906", b"")])).contains("gfx906: empty"));
    assert!(
        error(&bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx906", b"text")])).contains("not an ELF file")
    );
    let mut claims = bundle(&[HOST]);
    claims[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(
        error(&claims).starts_with("the entry table of the offload bundle lies outside the file")
    );
    let mut claims = bundle(&[HOST, ("hipv4-amdgcn-amd-amdhsa--gfx906", V5)]);
    claims[40..48].copy_from_slice(&(4u64 << 30).to_le_bytes());
    assert!(
        error(&claims).starts_with("entry 0 of the offload bundle lies outside the file"),
        "{}",
        error(&claims)
    );
}

#[test]
fn compressed_bundles() {
    let plain = bundle(&[HOST, ("hipv4-amdgcn-amd-amdhsa--gfx906", V5)]);
    let expected = CodeObject::parse(&plain).expect("usable");
    for version in 1..=3 {
        for (method, data) in [(0, zlib(&plain)), (1, zstd(&plain))] {
            let mut file = ccob(version, method, &data, plain.len());
            assert_eq!(
                CodeObject::parse(&file).as_ref(),
                Ok(&expected),
                "version {version}, method {method}"
            );
            if version > 1 {
                file.extend([0; 100]);
                assert_eq!(
                    CodeObject::parse(&file).as_ref(),
                    Ok(&expected),
                    "padding after the size is not read"
                );
            }
        }
    }
}

#[test]
fn compressed_bundles_that_lie() {
    let plain = bundle(&[HOST, ("hipv4-amdgcn-amd-amdhsa--gfx906", V5)]);
    let (zlib, zstd) = (zlib(&plain), zstd(&plain));
    assert!(error(&ccob(2, 0, &zlib, plain.len() - 1)).contains("where its header says"));
    assert!(error(&ccob(2, 1, &zstd, plain.len() + 1)).contains("where its header says"));
    assert!(
        error(&ccob(
            3,
            1,
            &zstd,
            usize::try_from(MAX_IMAGE + 1).expect("64 bits")
        ))
        .contains("is over the limit")
    );
    assert!(
        error(&ccob(4, 1, &zstd, plain.len()))
            .starts_with("version 4 of the compressed offload bundle is not supported")
    );
    assert!(
        error(&ccob(2, 7, &zstd, plain.len()))
            .starts_with("compression method 7 of the compressed offload bundle")
    );
    assert!(
        error(b"CCOB\x02")
            .starts_with("the header of the compressed offload bundle lies outside the file")
    );
    for (method, data) in [(0, &zlib), (1, &zstd)] {
        let whole = ccob(1, method, data, plain.len());
        for length in (0..whole.len()).step_by(7) {
            assert!(
                CodeObject::parse(&whole[..length]).is_err(),
                "{length} of {}",
                whole.len()
            );
        }
        for at in 8..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            fuzz_code_object::run(&flipped);
        }
    }
}

/// A host program with nothing but a `.hip_fatbin` section.
fn host_program(fatbin: &[u8]) -> Vec<u8> {
    let names = b"\0.hip_fatbin\0.shstrtab\0";
    let mut file = vec![0; 64];
    file[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
    file[16..24].copy_from_slice(&[3, 0, 62, 0, 1, 0, 0, 0]);
    file.extend(fatbin);
    let names_at = file.len();
    file.extend(names);
    let headers_at = file.len() as u64;
    for (name, kind, offset, size) in [
        (0u32, 0u32, 0, 0),
        (1, 1, 64, fatbin.len()),
        (13, 3, names_at, names.len()),
    ] {
        let mut header = [0; 64];
        header[0..4].copy_from_slice(&name.to_le_bytes());
        header[4..8].copy_from_slice(&kind.to_le_bytes());
        header[24..32].copy_from_slice(&(offset as u64).to_le_bytes());
        header[32..40].copy_from_slice(&(size as u64).to_le_bytes());
        file.extend(header);
    }
    file[40..48].copy_from_slice(&headers_at.to_le_bytes());
    file[52..64].copy_from_slice(&[64, 0, 56, 0, 0, 0, 64, 0, 3, 0, 2, 0]);
    file
}

#[test]
fn host_programs() {
    let ours = bundle(&[HOST, ("hipv4-amdgcn-amd-amdhsa--gfx906", V5)]);
    let foreign = bundle(&[HOST, ("hipv4-amdgcn-amd-amdhsa--gfx90a", b"12345678")]);
    let padded = |parts: &[&[u8]]| {
        let mut section = Vec::new();
        for part in parts {
            section.extend(*part);
            section.resize(section.len().next_multiple_of(4096), 0);
        }
        host_program(&section)
    };
    let expected = CodeObject::parse(V5);
    assert_eq!(CodeObject::parse(&padded(&[&ours])), expected);
    assert_eq!(CodeObject::parse(&padded(&[&foreign, &ours])), expected);
    let compressed = ccob(2, 1, &zstd(&ours), ours.len());
    assert_eq!(CodeObject::parse(&padded(&[&compressed])), expected);
    assert!(error(&padded(&[&foreign])).contains("holds nothing for gfx906, only host-x86_64"));
    assert!(
        error(&padded(&[&ours, &ours]))
            .starts_with("the program carries 2 offload bundles with code for gfx906")
    );
    assert!(
        error(&padded(&[b"nothing"])).starts_with("section .hip_fatbin: no offload bundle in it")
    );
}
