//! Tests that run every value of every mode-selecting field. Each value either obeys a law, which states its effect independently of the
//! machine's code, or stops the wave with a text that names the field and the value.

mod bench;
mod buffers;
mod images;
mod lanes;
mod parts;
mod registers;

use super::level::Level;
use super::trap::TrapKind;
use crate::isa::fields::{self, Effect, Field};

/// Runs an instruction with a value in the field and asserts its effect. Returns the trap if the wave stops.
type Law = fn(u32, Level) -> Result<(), TrapKind>;

const LAWS: &[(&Field, Law)] = &[
    (&fields::SWIZZLE, lanes::swizzle),
    (&fields::DPP_CTRL, lanes::dpp_ctrl),
    (&fields::ROW_MASK, lanes::row_mask),
    (&fields::BANK_MASK, lanes::bank_mask),
    (&fields::SRC0_SEL, parts::src0_sel),
    (&fields::SRC1_SEL, parts::src1_sel),
    (&fields::DST_SEL, parts::dst_sel),
    (&fields::DST_UNUSED, parts::dst_unused),
    (&fields::OMOD, parts::omod),
    (&fields::FORMAT, buffers::format),
    (&fields::STATUS, buffers::status),
    (&fields::HWREG, registers::hwreg),
    (&fields::MESSAGE, registers::message),
    (&fields::GPR_INDEX, registers::gpr_index),
    (&fields::SEGMENT, buffers::segment),
    (&fields::EXPORT_TARGET, registers::export),
    (&fields::RESOURCE_FORMAT, buffers::resource_format),
    (&fields::RESOURCE_SELECT, buffers::resource_select),
    (&fields::INDEX_STRIDE, buffers::index_stride),
    (&fields::LDS_DIRECT, registers::lds_direct),
    (&fields::EXCEPTIONS, registers::exceptions),
    (&fields::DEBUG, registers::debug),
    (&fields::FP16_OVERFLOW, registers::fp16_overflow),
    (&fields::DMASK, images::dmask),
    (&fields::IMAGE_FORMAT, images::format),
    (&fields::IMAGE_SELECT, images::select),
    (&fields::IMAGE_TYPE, images::kind),
    (&fields::IMAGE_LEVELS, images::levels),
    (&fields::IMAGE_TILING, images::tiling),
    (&fields::IMAGE_COMPRESSION, images::compression),
    (&fields::CLAMP, images::clamp),
    (&fields::XY_FILTER, images::xy_filter),
    (&fields::Z_FILTER, images::z_filter),
    (&fields::BORDER, images::border),
];

#[test]
fn each_value_is_listed_once_and_each_field_has_a_law() {
    for field in fields::ALL {
        let mut next = 0;
        for values in field.values {
            assert_eq!(values.first, next, "{}", field.name);
            assert!(values.last >= values.first, "{}", field.name);
            next = values.last + 1;
        }
        assert_eq!(next, 1 << field.bits, "{}: every value", field.name);
        let laws = LAWS.iter().filter(|(of, _)| std::ptr::eq(*of, *field));
        assert_eq!(laws.count(), 1, "{}", field.name);
    }
    assert_eq!(LAWS.len(), fields::ALL.len());
}

#[test]
fn each_value_does_what_its_law_says_or_traps_by_name() {
    let (mut did, mut trapped) = (0, 0);
    for (field, law) in LAWS {
        for value in 0..1 << field.bits {
            for level in [Level::Baseline, Level::V3, Level::V4] {
                if level > Level::host() {
                    continue;
                }
                let title = format!("{} {value:#x} ({level:?})", field.name);
                match (field.effect(value), law(value, level)) {
                    (Effect::Does(_), Ok(())) => did += 1,
                    (Effect::Traps(_), Err(trap)) => {
                        trapped += 1;
                        let text = trap.to_string();
                        let name = format!("{} {value:#x} ", field.name);
                        assert!(text.contains(&name), "{title}: {text}");
                    }
                    (effect, outcome) => panic!("{title}: {outcome:?}, but {effect:?}"),
                }
            }
        }
    }
    println!("{} fields: {did} values ran, {trapped} trapped", LAWS.len());
    assert!(did > 0x1_0000 && trapped > 0x100, "{did}, {trapped}");
}
