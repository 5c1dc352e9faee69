//! Vocabulary of the table's columns.
//!
//! An operand is named by its position and its type: `SRC0_F32` is an f32 in the first source field, `VDST_F32_RW` a VGPR destination whose
//! old value is read too, and `SDST_B32_IN` a scalar source in the destination's field.

pub(super) use super::runs::*;
pub(super) use crate::isa::row::Row;
pub(super) use crate::semantics::*;

use crate::isa::row::{Access::*, Operand, Role::*, Type::*};
use crate::isa::{Flags, Properties};
use crate::machine::Handlers;

/// The handlers of an instruction that disassembles but is not executed.
#[expect(
    non_upper_case_globals,
    reason = "an empty entry should not stand out in the table"
)]
pub(super) const none: Option<Handlers> = None;

/// Builds a row of a table.
pub(super) const fn row(
    opcode: u16,
    mnemonic: &'static str,
    operands: &'static [Operand],
    modifiers: Flags,
    semantics: Option<Handlers>,
) -> Row {
    Row {
        opcode,
        mnemonic,
        operands,
        modifiers,
        properties: Properties::from_mnemonic(mnemonic),
        semantics,
    }
}

macro_rules! operands {
    ($($name:ident = $role:expr, $ty:ident, $access:ident;)*) => {
        $(pub(super) const $name: Operand = Operand { role: $role, ty: $ty, access: $access };)*
    };
}

#[rustfmt::skip]
operands! {
    SDST_B128      = Sdst, B128, Write;
    SDST_B256      = Sdst, B256, Write;
    SDST_B32       = Sdst, B32, Write;
    SDST_B32_IN    = Sdst, B32, Read;
    SDST_B32_RW    = Sdst, B32, ReadWrite;
    SDST_B512      = Sdst, B512, Write;
    SDST_B64       = Sdst, B64, Write;
    SDST_B64_IN    = Sdst, B64, Read;
    SDST_B64_RW    = Sdst, B64, ReadWrite;
    SDST_I32       = Sdst, I32, Write;
    SDST_I32_IN    = Sdst, I32, Read;
    SDST_I32_RW    = Sdst, I32, ReadWrite;
    SDST_I64       = Sdst, I64, Write;
    SDST_MASK      = Sdst, Mask, Write;
    SDST_U32       = Sdst, U32, Write;
    SDST_U32_IN    = Sdst, U32, Read;
    SDST_U64       = Sdst, U64, Write;
    VDST_B128      = Vdst, B128, Write;
    VDST_B16       = Vdst, B16, Write;
    VDST_B16X2     = Vdst, B16x2, Write;
    VDST_B16_RW    = Vdst, B16, ReadWrite;
    VDST_B32       = Vdst, B32, Write;
    VDST_B32_RW    = Vdst, B32, ReadWrite;
    VDST_B64       = Vdst, B64, Write;
    VDST_B96       = Vdst, B96, Write;
    VDST_F16       = Vdst, F16, Write;
    VDST_F16X2     = Vdst, F16x2, Write;
    VDST_F16_RW    = Vdst, F16, ReadWrite;
    VDST_F32       = Vdst, F32, Write;
    VDST_F32_RW    = Vdst, F32, ReadWrite;
    VDST_F64       = Vdst, F64, Write;
    VDST_I16       = Vdst, I16, Write;
    VDST_I16X2     = Vdst, I16x2, Write;
    VDST_I16_RW    = Vdst, I16, ReadWrite;
    VDST_I32       = Vdst, I32, Write;
    VDST_I64       = Vdst, I64, Write;
    VDST_I8        = Vdst, I8, Write;
    VDST_I8_RW     = Vdst, I8, ReadWrite;
    VDST_U16       = Vdst, U16, Write;
    VDST_U16X2     = Vdst, U16x2, Write;
    VDST_U16_RW    = Vdst, U16, ReadWrite;
    VDST_U32       = Vdst, U32, Write;
    VDST_U64       = Vdst, U64, Write;
    VDST_U8        = Vdst, U8, Write;
    VDST_U8_RW     = Vdst, U8, ReadWrite;
    VCC_IN         = Vcc, Mask, Read;
    VCC_OUT        = Vcc, Mask, Write;
    SRC0_B32       = Src0, B32, Read;
    SRC0_B32_RW    = Src0, B32, ReadWrite;
    SRC0_B64       = Src0, B64, Read;
    SRC0_F16       = Src0, F16, Read;
    SRC0_F16X2     = Src0, F16x2, Read;
    SRC0_F32       = Src0, F32, Read;
    SRC0_F64       = Src0, F64, Read;
    SRC0_I16       = Src0, I16, Read;
    SRC0_I16X2     = Src0, I16x2, Read;
    SRC0_I32       = Src0, I32, Read;
    SRC0_I64       = Src0, I64, Read;
    SRC0_MIX       = Src0, Mix, Read;
    SRC0_U16       = Src0, U16, Read;
    SRC0_U16X2     = Src0, U16x2, Read;
    SRC0_U32       = Src0, U32, Read;
    SRC0_U64       = Src0, U64, Read;
    SRC1_B16       = Src1, B16, Read;
    SRC1_B32       = Src1, B32, Read;
    SRC1_B64       = Src1, B64, Read;
    SRC1_B16X2     = Src1, B16x2, Read;
    SRC1_F16       = Src1, F16, Read;
    SRC1_F16X2     = Src1, F16x2, Read;
    SRC1_F32       = Src1, F32, Read;
    SRC1_F64       = Src1, F64, Read;
    SRC1_I16       = Src1, I16, Read;
    SRC1_I16X2     = Src1, I16x2, Read;
    SRC1_I32       = Src1, I32, Read;
    SRC1_I64       = Src1, I64, Read;
    SRC1_MIX       = Src1, Mix, Read;
    SRC1_U16       = Src1, U16, Read;
    SRC1_U16X2     = Src1, U16x2, Read;
    SRC1_U32       = Src1, U32, Read;
    SRC1_U64       = Src1, U64, Read;
    SRC2_B128      = Src2, B128, Read;
    SRC2_B32       = Src2, B32, Read;
    SRC2_B64       = Src2, B64, Read;
    SRC2_F16       = Src2, F16, Read;
    SRC2_F16X2     = Src2, F16x2, Read;
    SRC2_F32       = Src2, F32, Read;
    SRC2_F64       = Src2, F64, Read;
    SRC2_I16       = Src2, I16, Read;
    SRC2_I16X2     = Src2, I16x2, Read;
    SRC2_I32       = Src2, I32, Read;
    SRC2_I64       = Src2, I64, Read;
    SRC2_MIX       = Src2, Mix, Read;
    SRC2_U16       = Src2, U16, Read;
    SRC2_U16X2     = Src2, U16x2, Read;
    SRC2_U32       = Src2, U32, Read;
    SRC2_U64       = Src2, U64, Read;
    LITERAL_B32    = Literal, B32, Read;
    LITERAL_F16    = Literal, F16, Read;
    LITERAL_F32    = Literal, F32, Read;
    SIMM_BRANCH    = Simm16, Branch, Read;
    SIMM_GPR_INDEX = Simm16, GprIndex, Read;
    SIMM_HWREG     = Simm16, Hwreg, Read;
    SIMM_I16       = Simm16, I16, Read;
    SIMM_MESSAGE   = Simm16, Message, Read;
    SIMM_OPTIONAL  = Simm16, Number, Read;
    SIMM_U16       = Simm16, U16, Read;
    SIMM_WAITCNT   = Simm16, WaitCounts, Read;
    GPR_INDEX      = Src1, GprIndex, Read;
    PROBE          = Sdst, Number, Read;
    SBASE_B128     = Sbase, B128, Read;
    SBASE_B256     = Sbase, B256, Read;
    SBASE_B64      = Sbase, B64, Read;
    SADDR_B32      = Sbase, B32, Read;
    SADDR_B64      = Sbase, B64, Read;
    SDATA_B128     = Sdst, B128, Read;
    SDATA_B128_RW  = Sdst, B128, ReadWrite;
    SDATA_B32      = Sdst, B32, Read;
    SDATA_B32_RW   = Sdst, B32, ReadWrite;
    SDATA_B64      = Sdst, B64, Read;
    SDATA_B64_RW   = Sdst, B64, ReadWrite;
    SOFFSET        = Soffset, U32, Read;
    SSAMP_B128     = Ssamp, B128, Read;
    ADDR           = Addr, U32, Read;
    ADDR_B128      = Addr, B128, Read;
    ADDR_B64       = Addr, B64, Read;
    ADDR_B96       = Addr, B96, Read;
    DATA_B128      = Data, B128, Read;
    DATA_B128_RW   = Data, B128, ReadWrite;
    DATA_B16       = Data, B16, Read;
    DATA_B32       = Data, B32, Read;
    DATA_B32_RW    = Data, B32, ReadWrite;
    DATA_B64       = Data, B64, Read;
    DATA_B64_RW    = Data, B64, ReadWrite;
    DATA_B8        = Data, B8, Read;
    DATA_B96       = Data, B96, Read;
    DATA_F32       = Data, F32, Read;
    DATA_F64       = Data, F64, Read;
    DATA_I32       = Data, I32, Read;
    DATA_I32_RW    = Data, I32, ReadWrite;
    DATA_I64       = Data, I64, Read;
    DATA_I64_RW    = Data, I64, ReadWrite;
    DATA_U32       = Data, U32, Read;
    DATA_U32_RW    = Data, U32, ReadWrite;
    DATA_U64       = Data, U64, Read;
    DATA_U64_RW    = Data, U64, ReadWrite;
    DATA1_B32      = Data1, B32, Read;
    DATA1_B64      = Data1, B64, Read;
    DATA1_F32      = Data1, F32, Read;
    DATA1_F64      = Data1, F64, Read;
    ATTR           = Attr, U16, Read;
    PARAM          = Src0, Param, Read;
    TARGET         = Target, Number, Read;
    EXPORT0        = Export(0), B32, Read;
    EXPORT1        = Export(1), B32, Read;
    EXPORT2        = Export(2), B32, Read;
    EXPORT3        = Export(3), B32, Read;
}

macro_rules! modifiers {
    ($($(#[$doc:meta])* $name:ident = $($flag:ident)*;)*) => {
        $($(#[$doc])* pub(super) const $name: Flags = Flags::NONE$(.with(Flags::$flag))*;)*
    };
}

#[rustfmt::skip]
modifiers! {
    /// No modifiers.
    NONE          = ;
    /// neg and abs.
    NEG           = NEG0 NEG1 NEG2;
    /// neg and abs of the first source.
    NEG0          = NEG0;
    /// clamp: saturate the integer result.
    CLAMP         = CLAMP;
    /// neg, abs and clamp.
    NEG_CLAMP     = NEG0 NEG1 NEG2 CLAMP;
    /// neg, abs, clamp and the output multiplier.
    FLOAT         = NEG0 NEG1 NEG2 CLAMP OMOD;
    /// An integer to a float: clamp and the output multiplier.
    TO_FLOAT      = CLAMP OMOD;
    /// FLOAT without an SDWA form.
    MAC           = NEG0 NEG1 NEG2 CLAMP OMOD NO_SDWA;
    /// The native form only: no VOP3, SDWA or DPP form.
    NO_FORMS      = NO_E64 NO_SDWA NO_DPP;
    /// Neither an SDWA nor a DPP form.
    NO_SUB        = NO_SDWA NO_DPP;
    /// FLOAT, and op_sel, which selects halves.
    FLOAT16       = NEG0 NEG1 NEG2 CLAMP OMOD OP_SEL;
    /// Integers with op_sel, which selects halves, and clamp. The encoding has neg and abs bits too.
    INT16         = NEG0 NEG1 NEG2 CLAMP OP_SEL;
    /// op_sel, op_sel_hi, neg_lo, neg_hi, clamp.
    PACKED        = NEG0 NEG1 NEG2 CLAMP OP_SEL PACKED;
    /// PACKED, but op_sel_hi selects f16 sources and neg_hi is abs.
    MIX           = NEG0 NEG1 NEG2 CLAMP OP_SEL MIX;
    /// MIX with the result in the high half.
    MIX_HI        = NEG0 NEG1 NEG2 CLAMP OP_SEL MIX HIGH;
    /// Interpolation in the VOP3 encoding.
    INTERP        = NEG1 NEG2 CLAMP OMOD;
    /// INTERP without an output multiplier.
    INTERP_P2     = NEG1 NEG2 CLAMP;
    /// Scalar memory: glc and an offset.
    SMEM          = GLC IMM SOFFSET;
    /// Scalar memory: an offset.
    OFFSET        = IMM SOFFSET;
    /// LDS or GDS.
    DS            = GDS;
    /// LDS or GDS, two addresses: two 8-bit offsets.
    DS_TWO        = GDS TWO_OFFSETS;
    /// LDS only.
    LDS_ONLY      = NO_GDS;
    /// GDS only.
    GDS_ONLY      = GDS ALWAYS_GDS;
    /// The offset is a swizzle pattern.
    SWIZZLE       = GDS SWIZZLE;
    /// glc, slc and an offset.
    FLAT          = GLC SLC;
    /// FLAT, and the lds bit, which moves the data to LDS.
    FLAT_TO_LDS   = GLC SLC LDS;
    /// Atomics: glc returns the old value.
    ATOMIC        = GLC SLC RETURNS;
    /// Buffers: an index, an offset, glc, slc.
    BUFFER        = GLC SLC OFFEN IDXEN TFE;
    /// BUFFER, and the lds bit, which moves the data to LDS.
    BUFFER_TO_LDS = GLC SLC OFFEN IDXEN TFE LDS;
    /// Buffers: glc returns the old value.
    BUFFER_ATOMIC = GLC SLC OFFEN IDXEN RETURNS;
    /// Buffers: data moves only between LDS and memory.
    BUFFER_LDS    = GLC SLC LDS ALWAYS_LDS;
    /// BUFFER with a format.
    TYPED_BUFFER  = GLC SLC OFFEN IDXEN FORMAT;
    /// Images.
    IMAGE         = GLC SLC TFE D16;
    /// Images: instructions without a 16-bit form.
    IMAGE_QUERY   = GLC SLC TFE;
    /// Images: atomics. dmask determines the width of the data.
    IMAGE_ATOMIC  = GLC SLC TFE RETURNS;
    /// Images: four texels, independent of dmask.
    IMAGE_GATHER  = GLC SLC TFE D16 GATHER;
}
