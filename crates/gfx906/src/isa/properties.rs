//! Properties of an instruction that neither its encoding nor its operands show.
//!
//! The rows of the table have them as bits. They are derived from the mnemonic when the table is compiled, by the patterns below, so that no
//! other code needs to interpret mnemonics.

/// A set of properties of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties(u64);

/// A pattern of mnemonics.
enum Pattern {
    Is(&'static str),
    Begins(&'static str),
    Contains(&'static str),
    Ends(&'static str),
}

/// Declares properties, each from a bit, a name, and patterns. A mnemonic that matches one of the patterns has the property.
macro_rules! properties {
    ($( $(#[$doc:meta])* $bit:literal $name:ident: $($pattern:ident $text:literal)+; )*) => {
        impl Properties {
            $( $(#[$doc])* pub const $name: Properties = Properties(1 << $bit); )*
        }

        const PATTERNS: &[(Properties, Pattern)] = &[
            $($( (Properties::$name, Pattern::$pattern($text)), )+)*
        ];
    };
}

#[rustfmt::skip]
properties! {
    /// Branch, jump or call.
    0 BRANCH: Begins "s_branch" Begins "s_cbranch" Begins "s_setpc" Begins "s_swappc" Begins "s_call";
    /// Conditional branch.
    1 CONDITIONAL_BRANCH: Begins "s_cbranch";
    /// Conditional branch on VCC.
    2 BRANCH_ON_VCC: Begins "s_cbranch_vcc";
    /// Conditional branch on EXEC.
    3 BRANCH_ON_EXEC: Begins "s_cbranch_exec";
    /// End of the program.
    4 END: Begins "s_endpgm";
    /// Return from an exception.
    5 EXCEPTION_RETURN: Begins "s_rfe";
    /// End of a path whose continuation the words do not show: the end of the program, a jump to a register, a return.
    6 PATH_END: Begins "s_endpgm" Begins "s_setpc" Begins "s_rfe";
    /// Registers that are known only at run time: by an index, a stack of forks or a return.
    7 RUNTIME_REGISTERS: Contains "movrel" Begins "s_set_gpr_idx" Begins "s_cbranch_g_fork" Begins "s_cbranch_i_fork"
        Begins "s_cbranch_join" Begins "s_rfe";
    /// Move between SGPRs with an index in M0.
    8 RELATIVE_MOVE: Begins "s_movrel";
    /// Relative move whose source is indexed.
    9 RELATIVE_SOURCE: Begins "s_movrels";
    /// Setting of VGPR indexing.
    10 GPR_INDEX_SETTING: Begins "s_set_gpr_idx";
    /// Read of a hardware register.
    11 GETS_HARDWARE_REGISTER: Begins "s_getreg";
    /// Write of a hardware register.
    12 SETS_HARDWARE_REGISTER: Begins "s_setreg";
    /// Setting of the bit that skips vector instructions.
    13 SETS_VSKIP: Begins "s_setvskip";
    /// Message to the host.
    14 MESSAGE: Begins "s_sendmsg";
    /// Scalar instruction that reads SCC.
    15 READS_SCC: Begins "s_addc" Begins "s_subb" Begins "s_cselect" Begins "s_cmov" Begins "s_cbranch_scc";
    /// Scalar ALU instruction that does not write SCC.
    16 KEEPS_SCC: Begins "s_setvskip" Begins "s_set_gpr_idx" Begins "s_cselect" Begins "s_mul" Begins "s_bfm" Begins "s_pack" Begins "s_rfe"
        Begins "s_cbranch" Begins "s_mov" Begins "s_cmov" Begins "s_brev" Begins "s_ff" Begins "s_flbit" Begins "s_sext" Begins "s_bitset"
        Begins "s_bitreplicate" Begins "s_getpc" Begins "s_setpc" Begins "s_swappc" Begins "s_getreg" Begins "s_setreg" Begins "s_call";
    /// Scalar comparison.
    17 SCALAR_COMPARISON: Begins "s_cmp" Begins "s_bitcmp";
    /// Scalar sum or difference with a carry.
    18 SCALAR_CARRY: Begins "s_addc" Begins "s_subb";
    /// Scalar instruction that computes EXEC.
    19 COMPUTES_EXEC: Contains "saveexec" Contains "wrexec";
    /// Vector comparison that writes EXEC.
    20 COMPARES_TO_EXEC: Begins "v_cmpx";
    /// Last step of a division, which reads VCC.
    21 DIVISION_STEP: Begins "v_div_fmas";
    /// Read of one lane by its number.
    22 READS_LANE: Begins "v_readlane";
    /// Write of one lane by its number.
    23 WRITES_LANE: Begins "v_writelane";
    /// Access to single or other lanes.
    24 CROSSES_LANES: Contains "lane" Contains "permute" Contains "swizzle";
    /// Vector instruction that adds to its destination.
    25 ACCUMULATES: Begins "v_mac" Begins "v_fmac" Contains "accum";
    /// Interpolation of a parameter.
    26 INTERPOLATION: Begins "v_interp_";
    /// Load from memory.
    27 LOAD: Contains "_load";
    /// Store to memory.
    28 STORE: Contains "_store";
    /// Store of a dword of LDS to memory.
    29 STORES_LDS: Contains "_store_lds_dword";
    /// Atomic on memory.
    30 ATOMIC: Contains "_atomic_";
    /// Atomic on memory that compares and swaps.
    31 COMPARE_AND_SWAP: Contains "_atomic_cmpswap";
    /// Exchange of a value in memory or LDS.
    32 EXCHANGES_VALUE: Contains "wrxchg" Contains "write_src2" Contains "_swap";
    /// Load or store through an element format.
    33 FORMATTED: Contains "_format_";
    /// Load or store of 16 bits of a register.
    34 D16: Contains "_d16";
    /// Load or store of the upper 16 bits of a register.
    35 D16_HIGH: Ends "_d16_hi";
    /// Load that extends a sign.
    36 SIGNED_LOAD: Contains "_sbyte" Contains "_sshort" Contains "_i8" Contains "_i16";
    /// Scalar memory access through a buffer resource.
    37 SCALAR_BUFFER: Begins "s_buffer";
    /// Scalar memory access to scratch.
    38 SCALAR_SCRATCH: Begins "s_scratch";
    /// Invalidation of the vector cache.
    39 CACHE_CONTROL: Begins "buffer_wbinvl1";
    /// Read of LDS.
    40 LDS_READ: Begins "ds_read";
    /// Write of LDS.
    41 LDS_WRITE: Begins "ds_write";
    /// LDS instruction whose operand is in LDS.
    42 LDS_OPERAND: Contains "_src2_";
    /// LDS instruction that copies its operand within LDS.
    43 LDS_COPY: Contains "write_src2";
    /// LDS instruction that exchanges two values.
    44 LDS_EXCHANGE2: Contains "wrxchg2";
    /// LDS instruction on a counter of the group.
    45 LDS_COUNTER: Begins "ds_append" Begins "ds_consume";
    /// LDS instruction on 64 bits.
    46 LDS_WIDE: Ends "64";
    /// LDS instruction whose offsets count 64 elements.
    47 STRIDE64: Contains "st64";
    /// LDS instruction whose address follows from the lane's number.
    48 ADDRESS_BY_LANE: Contains "addtid";
    /// LDS instruction that exchanges lanes.
    49 LDS_LANE_EXCHANGE: Begins "ds_permute" Begins "ds_bpermute" Begins "ds_swizzle";
    /// Global wave sync.
    50 GWS: Begins "ds_gws_";
    /// Ordered counting in the global data share.
    51 ORDERED_COUNT: Begins "ds_ordered";
    /// Image instruction with a level of detail as its last coordinate.
    52 MIP: Ends "_mip";
    /// Sampling of an image.
    53 SAMPLE: Contains "_sample";
    /// Sampling with gradients. Other mnemonics match the patterns too, so this property counts only together with `SAMPLE`.
    54 GRADIENTS: Contains "_d" Contains "_cd";
    /// Sampling with a bias. Other mnemonics match the pattern too, so this property counts only together with `SAMPLE`.
    55 BIAS: Contains "_b";
    /// Barrier of the work-group.
    56 BARRIER: Is "s_barrier";
    /// Branch that is always taken, with its target in the words.
    57 JUMP: Is "s_branch";
    /// Vector instruction at a quarter of the rate.
    58 QUARTER_RATE: Begins "v_rcp_" Begins "v_rsq_" Begins "v_sqrt_" Begins "v_exp_" Begins "v_log_" Begins "v_sin_" Begins "v_cos_"
        Is "v_mul_lo_u32" Is "v_mul_hi_u32" Is "v_mul_hi_i32" Begins "v_mad_u64_u32" Begins "v_mad_i64_i32" Begins "v_div_" Begins "v_qsad_"
        Begins "v_mqsad_" Is "v_trig_preop_f64";
    /// Vector instruction at half the rate, unless at a quarter: f64, 64-bit shifts and comparisons, an exchange of two registers.
    59 HALF_RATE: Contains "f64" Is "v_lshlrev_b64" Is "v_lshrrev_b64" Ends "_i64" Ends "_u64" Is "v_swap_b32";
    /// No operation.
    60 NO_OPERATION: Is "s_nop" Is "v_nop" Is "ds_nop";
    /// Comparison of two integers for equality.
    61 INTEGER_EQUALITY: Contains "_eq_i" Contains "_eq_u" Contains "_ne_i" Contains "_ne_u" Contains "_lg_i" Contains "_lg_u";
    /// Read of the program counter.
    62 READS_PC: Begins "s_getpc";
    /// Vector comparison.
    63 VECTOR_COMPARISON: Begins "v_cmp";
}

impl Properties {
    /// Derives the properties of a mnemonic.
    pub(super) const fn from_mnemonic(mnemonic: &str) -> Properties {
        let mut bits = 0;
        let mut n = 0;
        while n < PATTERNS.len() {
            let (property, pattern) = &PATTERNS[n];
            if bits & property.0 == 0 && pattern.matches(mnemonic.as_bytes()) {
                bits |= property.0;
            }
            n += 1;
        }
        Properties(bits)
    }

    /// The empty set.
    pub const NONE: Properties = Properties(0);

    /// Returns true if all properties of `other` are set.
    pub const fn has(self, other: Properties) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Pattern {
    const fn matches(&self, name: &[u8]) -> bool {
        match self {
            Pattern::Is(text) => name.len() == text.len() && is_at(name, 0, text.as_bytes()),
            Pattern::Begins(text) => is_at(name, 0, text.as_bytes()),
            Pattern::Ends(text) => {
                name.len() >= text.len() && is_at(name, name.len() - text.len(), text.as_bytes())
            }
            Pattern::Contains(text) => {
                let mut at = 0;
                while at < name.len() {
                    if is_at(name, at, text.as_bytes()) {
                        return true;
                    }
                    at += 1;
                }
                false
            }
        }
    }
}

/// Returns true if the text stands at a position of the name.
const fn is_at(name: &[u8], at: usize, text: &[u8]) -> bool {
    let mut n = 0;
    while n < text.len() {
        if at + n >= name.len() || name[at + n] != text[n] {
            return false;
        }
        n += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::rows;

    #[test]
    fn every_pattern_matches_a_row() {
        for (n, (property, pattern)) in PATTERNS.iter().enumerate() {
            let mut names = rows().map(|(_, row)| row.mnemonic.as_bytes());
            assert!(
                names.any(|name| pattern.matches(name)),
                "{property:?}, pattern {n}"
            );
        }
    }
}
