//! Operations that programmers mistake for each other.

use gfx906::isa::{Encoding, Inst, Kind, Operand, Role, Row, rows};

/// Parts of mnemonics that are replaced by each other, if a mnemonic with the other part exists.
struct Confusion {
    parts: &'static [&'static str],
    /// Parts of which the mnemonic must have one; empty if any mnemonic will do.
    with: &'static [&'static str],
}

const fn any(parts: &'static [&'static str]) -> Confusion {
    Confusion { parts, with: &[] }
}

const fn with(parts: &'static [&'static str], with: &'static [&'static str]) -> Confusion {
    Confusion { parts, with }
}

/// Parts of the mnemonics of operations that depend on the sign of an integer. Comparisons and minima are left out, because indices are
/// never negative and these operations treat them the same whether they are signed or not.
const SIGNED: &[&str] = &["cvt", "hi", "bfe"];

const CONFUSIONS: &[Confusion] = &[
    any(&["add", "sub"]),
    any(&["addc", "subb"]),
    any(&["add3", "or3"]),
    any(&["min", "max"]),
    any(&["min3", "max3", "med3"]),
    any(&["lt", "le"]),
    any(&["gt", "ge"]),
    any(&["lt", "gt"]),
    any(&["nlt", "nle"]),
    any(&["ngt", "nge"]),
    any(&["eq", "lg"]),
    any(&["eq", "ne"]),
    any(&["eq", "neq"]),
    any(&["lshl", "lshr"]),
    any(&["lshr", "ashr"]),
    any(&["lshlrev", "lshrrev"]),
    any(&["lshrrev", "ashrrev"]),
    any(&["and", "or"]),
    any(&["or", "xor"]),
    any(&["andn2", "and"]),
    any(&["orn2", "or"]),
    any(&["fma", "mul"]),
    any(&["mad", "mul"]),
    any(&["fmac", "mul"]),
    any(&["mac", "mul"]),
    any(&["fmac", "add"]),
    any(&["mac", "add"]),
    with(&["mul", "add"], &["f16", "f32", "f64"]),
    with(&["hi", "lo"], &["mul"]),
    any(&["i24", "u24"]),
    with(&["i32", "u32"], SIGNED),
    with(&["i64", "u64"], SIGNED),
    with(&["i16", "u16"], SIGNED),
    with(&["f16", "u16", "i16"], &["cvt"]),
    any(&["rcp", "rsq", "sqrt"]),
    any(&["exp", "log"]),
    any(&["sin", "cos"]),
    any(&["floor", "ceil", "trunc", "rndne", "fract"]),
    any(&["dword", "dwordx2"]),
    any(&["dwordx2", "dwordx4"]),
    any(&["dwordx3", "dwordx2"]),
    any(&["ubyte", "sbyte"]),
    any(&["ushort", "sshort"]),
    any(&["byte", "short"]),
    any(&["short", "dword"]),
    with(&["b32", "b64"], &["read", "write", "read2", "write2"]),
    with(&["b64", "b128"], &["read", "write"]),
    with(&["u8", "i8"], &["read"]),
    with(&["u16", "i16"], &["read"]),
    with(&["b8", "b16", "b32"], &["write"]),
    any(&["ff0", "ff1"]),
    any(&["bcnt0", "bcnt1"]),
];

/// Returns the rows of the operations that programmers mistake for an instruction's operation.
pub(super) fn others(inst: &Inst) -> Vec<(Encoding, &'static Row)> {
    let name = inst.row.mnemonic;
    // EXEC masks and branches have operators of their own.
    if name.contains("saveexec") || inst.kind() == Kind::Branch {
        return Vec::new();
    }
    let parts: Vec<&str> = name.split('_').collect();
    let mut names: Vec<String> = Vec::new();
    for confusion in CONFUSIONS {
        let there = |part: &&str| parts.contains(part);
        if !confusion.with.is_empty() && !confusion.with.iter().any(there) {
            continue;
        }
        for (at, part) in parts.iter().enumerate() {
            if !confusion.parts.contains(part) {
                continue;
            }
            for other in confusion.parts.iter().filter(|other| *other != part) {
                let mut renamed = parts.clone();
                renamed[at] = other;
                names.push(renamed.join("_"));
            }
        }
    }
    let fitting = |(encoding, row): &(Encoding, &'static Row)| {
        let same = *encoding == inst.encoding;
        let long = inst.size() == 8 && inst.encoding.is_vector_alu() && encoding.is_vector_alu();
        (same || long) && names.iter().any(|name| name == row.mnemonic) && fits(inst, row)
    };
    rows().filter(fitting).collect()
}

/// Returns true if the instruction has an operand for each role of a row.
fn fits(inst: &Inst, row: &Row) -> bool {
    let there = |operand: &Operand| inst.row.has_role(operand.role);
    row.operands.iter().all(there)
}

/// Returns the row with a mnemonic.
pub(super) fn named(encoding: Encoding, name: &str) -> Option<&'static Row> {
    let mut all = rows();
    let found = all.find(|(of, row)| *of == encoding && row.mnemonic == name);
    found.map(|(_, row)| row)
}

/// Parts of the mnemonics of operations whose first two sources may be exchanged.
const COMMUTATIVE: &[&str] = &[
    "add", "addc", "mul", "and", "or", "xor", "nand", "nor", "xnor", "min", "max", "eq", "lg",
    "ne", "neq", "o", "u", "nlg", "fma", "mad", "fmac", "mac", "madmk", "madak", "sad", "dot2",
    "dot4", "dot8", "mbcnt", "legacy",
];

/// Parts of the mnemonics of operations whose sources may all be exchanged.
const SYMMETRIC: &[&str] = &["add3", "or3", "min3", "max3", "med3"];

/// Returns true if an instruction computes the same after an exchange of two sources.
pub(super) fn commutes(inst: &Inst, first: Role, second: Role) -> bool {
    let parts: Vec<&str> = inst.row.mnemonic.split('_').collect();
    let has = |set: &[&str]| parts.iter().any(|part| set.contains(part));
    // v_lshl_add, v_and_or and the like do two things to three sources.
    let twofold = ["v_lshl_add", "v_add_lshl", "v_lshl_or", "v_and_or", "v_xad"];
    let twofold = twofold
        .iter()
        .any(|name| inst.row.mnemonic.starts_with(name));
    let first_two = first == Role::Src0 && second == Role::Src1;
    if twofold {
        let names = ["v_and_or", "v_add_lshl", "v_xad"];
        return first_two && names.iter().any(|name| inst.row.mnemonic.starts_with(name));
    }
    has(SYMMETRIC) || first_two && has(COMMUTATIVE)
}
