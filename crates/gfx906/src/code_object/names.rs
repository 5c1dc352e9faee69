//! Names of processors and machines in ELF headers, for messages.

/// Returns the AMD processor of an `EF_AMDGPU_MACH` value.
pub(super) fn processor(mach: u32) -> String {
    match PROCESSORS.binary_search_by_key(&mach, |row| row.0) {
        Ok(index) => PROCESSORS[index].1.to_owned(),
        Err(_) => format!("an unknown processor (machine {mach:#04x})"),
    }
}

/// Returns the kind of an ELF file with this `e_machine`, with an article.
pub(super) fn machine(machine: u16) -> String {
    match machine {
        3 => "an x86 program".to_owned(),
        40 => "an Arm program".to_owned(),
        62 => "an x86-64 program".to_owned(),
        183 => "an AArch64 program".to_owned(),
        190 => "a CUDA program".to_owned(),
        243 => "a RISC-V program".to_owned(),
        247 => "a BPF program".to_owned(),
        other => format!("an ELF file for machine {other}"),
    }
}

#[rustfmt::skip]
const PROCESSORS: &[(u32, &str)] = &[
    (0x20, "gfx600"),  (0x21, "gfx601"),  (0x22, "gfx700"),  (0x23, "gfx701"),  (0x24, "gfx702"),  (0x25, "gfx703"),
    (0x26, "gfx704"),  (0x28, "gfx801"),  (0x29, "gfx802"),  (0x2a, "gfx803"),  (0x2b, "gfx810"),  (0x2c, "gfx900"),
    (0x2d, "gfx902"),  (0x2e, "gfx904"),  (0x2f, "gfx906"),  (0x30, "gfx908"),  (0x31, "gfx909"),  (0x32, "gfx90c"),
    (0x33, "gfx1010"), (0x34, "gfx1011"), (0x35, "gfx1012"), (0x36, "gfx1030"), (0x37, "gfx1031"), (0x38, "gfx1032"),
    (0x39, "gfx1033"), (0x3a, "gfx602"),  (0x3b, "gfx705"),  (0x3c, "gfx805"),  (0x3d, "gfx1035"), (0x3e, "gfx1034"),
    (0x3f, "gfx90a"),  (0x40, "gfx940"),  (0x41, "gfx1100"), (0x42, "gfx1013"), (0x43, "gfx1150"), (0x44, "gfx1103"),
    (0x45, "gfx1036"), (0x46, "gfx1101"), (0x47, "gfx1102"), (0x48, "gfx1200"), (0x4a, "gfx1151"), (0x4b, "gfx941"),
    (0x4c, "gfx942"),  (0x4e, "gfx1201"), (0x4f, "gfx950"),  (0x51, "gfx9-generic"), (0x52, "gfx10-1-generic"),
    (0x53, "gfx10-3-generic"), (0x54, "gfx11-generic"), (0x55, "gfx1152"), (0x58, "gfx1153"), (0x59, "gfx12-generic"),
    (0x5f, "gfx9-4-generic"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted_and_finds_the_neighbours_of_gfx906() {
        assert!(super::PROCESSORS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(super::processor(0x2e), "gfx904");
        assert_eq!(super::processor(0x2f), "gfx906");
        assert_eq!(super::processor(0x30), "gfx908");
        assert_eq!(
            super::processor(0x27),
            "an unknown processor (machine 0x27)"
        );
    }
}
