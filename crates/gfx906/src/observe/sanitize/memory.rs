//! Accesses outside of the permitted memory: around a named block, in another block than the one that the pointer came from, in freed
//! memory, beyond a work-item's stack, at addresses that only some modes of the card accept, and at those whose index did not fit.
//!
//! Accesses to undeclared memory ([`Heap`](super::Heap)) are left to the machine's faults. Loads and atomics may reach the last dword of a
//! block as a whole if they are aligned to a dword: compilers widen scalar loads and build narrow atomics from wider ones this way, and the
//! card bounds its buffers by dwords.
//!
//! # Misaligned accesses
//!
//! Alignment has a rule of its own, because it depends on the mode of the memory (`SH_MEM_CONFIG.alignment_mode`). ROCm runs kernels in the
//! unaligned mode, where vector memory and LDS accept any address, and compilers use that for packed structures. In the strict modes, an
//! access of a dword or more to device memory must be aligned to a dword. A `dwordx4` at a multiple of 4 is valid in all modes, because
//! memory is accessed dword by dword. LDS has banks of 8 bytes: an access of 8 bytes must be aligned to 8 bytes, and a wider one to 16. The
//! two halves of a `ds_read2` are separate elements. The check reports accesses of 8 bytes and more that a strict mode rejects. They are hints,
//! because ROCm's mode accepts them.

mod origin;
mod provenance;
#[cfg(test)]
mod tests;
mod wrap;

use super::finding::{Detail, FREED, Other};
use super::heap::{Block, MemoryDeclarations};
use super::{Check, CheckedInstruction, CheckedLaunch, Findings, Watch};
use crate::machine::Group;
use crate::machine::access::{Part, Space};

pub use self::origin::find_argument;
use self::provenance::Provenance;
use self::wrap::Wraps;
use crate::isa::Inst;

/// The check.
#[derive(Default)]
pub struct Memory {
    /// Index of the block that was found last.
    hint: usize,
    provenance: Provenance,
    wraps: Wraps,
}

/// Static facts about an instruction for the check.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    pointers: provenance::Traits,
    wrap: wrap::Traits,
}

impl Traits {
    /// Determines the facts of an instruction.
    pub fn of(inst: &Inst) -> Traits {
        Traits {
            pointers: provenance::Traits::of(inst),
            wrap: wrap::Traits::of(inst),
        }
    }
}

impl Watch for Memory {
    fn fork(&self) -> Box<dyn Watch> {
        Box::<Memory>::default()
    }

    fn group(&mut self, group: &Group, _: &CheckedLaunch) {
        let waves = group.waves;
        self.provenance.group(waves);
        self.wraps.group(waves);
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        for part in &here.access.parts {
            misaligned(here, part, findings);
            match part.space {
                Space::Global if !here.launch.memory.is_empty() => {
                    self.global(here, part, findings);
                }
                Space::Scratch => stack(here, part, findings),
                _ => {}
            }
        }
        self.wraps.before(here, findings);
    }

    fn after(&mut self, here: &CheckedInstruction<'_>, _: &mut Findings) {
        self.provenance.after(here, here.wave);
    }
}

impl Memory {
    fn global(&mut self, here: &CheckedInstruction<'_>, part: &Part, findings: &mut Findings) {
        let known = &*here.launch.memory;
        let from = self.provenance.of_address(here, part);
        if from.is_none() && all_in_one(known, &mut self.hint, part) {
            return;
        }
        for (lane, at) in part.places() {
            let found = known.find(&mut self.hint, at);
            let inside = found.is_some_and(|(_, block)| reaches(block, part, at));
            match found {
                Some((n, block)) if inside => {
                    let strays = |from| !known.touch(from, n);
                    let other =
                        from.filter(|&(from, lanes)| lanes >> lane & 1 != 0 && strays(from));
                    if let Some(from) = other.and_then(|(from, _)| known.block(from)) {
                        strayed(here, part, (lane, at), block, from, findings);
                    }
                }
                Some((_, block)) => outside(here, part, (lane, at), block, findings),
                None => freed(here, part, (lane, at), findings),
            }
        }
    }
}

/// Returns true if all lanes access one block within its bounds.
#[inline]
fn all_in_one(known: &MemoryDeclarations, hint: &mut usize, part: &Part) -> bool {
    let (mut low, mut high) = (u64::MAX, 0);
    for (_, at) in part.places() {
        (low, high) = (low.min(at), high.max(at));
    }
    let Some((_, block)) = known.find(hint, low) else {
        // No part of the access is near a declared block.
        return !known.span().contains(&low) && !known.span().contains(&high);
    };
    low >= block.bytes.start && reaches(block, part, high)
}

/// Returns true if an element lies within a block, or is a load of dwords each of which has a byte in the block.
fn reaches(block: &Block, part: &Part, at: u64) -> bool {
    let end = at.wrapping_add(part.bytes);
    // Narrower atomics are built from updates of a dword.
    let widened = (part.reads || !part.writes) && at.is_multiple_of(4) && part.bytes >= 4;
    let bound = if widened {
        block.bytes.end.next_multiple_of(4)
    } else {
        block.bytes.end
    };
    let start = if widened {
        block.bytes.start & !3
    } else {
        block.bytes.start
    };
    at >= start && at < block.bytes.end && end <= bound
}

/// Returns the verb for an access.
fn verb(part: &Part) -> &'static str {
    match (part.reads, part.writes) {
        (true, true) => "updates",
        (false, true) => "writes",
        _ => "reads",
    }
}

fn byte_count(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    }
}

/// Describes a block as the other side of a finding.
fn side(block: &Block) -> Other {
    Other {
        did: block.describe(),
        site: None,
        group: None,
        wave: None,
    }
}

#[cold]
fn outside(
    here: &CheckedInstruction<'_>,
    part: &Part,
    (lane, at): (usize, u64),
    block: &Block,
    findings: &mut Findings,
) {
    findings.note(
        here,
        Check::Memory,
        "outside a block",
        block.bytes.start,
        || {
            let (verb, bytes) = (verb(part), byte_count(part.bytes));
            let end = block.bytes.end;
            let place = if at >= end {
                format!("{} behind the end", byte_count(at - end))
            } else if at < block.bytes.start {
                format!("{} before the start", byte_count(block.bytes.start - at))
            } else {
                format!(
                    "at byte {}, {} beyond the end",
                    at - block.bytes.start,
                    byte_count(at + part.bytes - end)
                )
            };
            Detail {
                lanes: 1 << lane,
                what: format!("{verb} {bytes} {place} of {}", block.describe()),
                other: Some(side(block)),
                cure:
                    "compare the index with the size before the access, or make the buffer larger"
                        .into(),
            }
        },
    );
}

#[cold]
fn strayed(
    here: &CheckedInstruction<'_>,
    part: &Part,
    (lane, at): (usize, u64),
    block: &Block,
    from: &Block,
    findings: &mut Findings,
) {
    findings.note(
        here,
        Check::Memory,
        "in another block",
        from.bytes.start,
        || {
            let distance = if at >= from.bytes.end {
                format!("whose end is {} before", byte_count(at - from.bytes.end))
            } else {
                format!(
                    "whose start is {} behind",
                    byte_count(from.bytes.start - at)
                )
            };
            Detail {
                lanes: 1 << lane,
                what: format!(
                    "{} {} in `{}`, from byte {} on; the pointer came from `{}`, {distance}",
                    verb(part),
                    byte_count(part.bytes),
                    block.name,
                    at - block.bytes.start,
                    from.name,
                ),
                other: Some(side(from)),
                cure: "compare the index with the size before the access".into(),
            }
        },
    );
}

#[cold]
fn freed(
    here: &CheckedInstruction<'_>,
    part: &Part,
    (lane, at): (usize, u64),
    findings: &mut Findings,
) {
    let Some(freed) = here.launch.memory.freed(at) else {
        return;
    };
    findings.note(here, Check::Memory, FREED, freed.block.bytes.start, || {
        Detail {
            lanes: 1 << lane,
            what: format!(
                "{} {} at byte {} of {}, which is freed",
                verb(part),
                byte_count(part.bytes),
                at - freed.block.bytes.start,
                freed.block.describe(),
            ),
            other: Some(Other {
                did: format!("freed by {}", freed.by),
                site: None,
                group: None,
                wave: None,
            }),
            cure: "free it when the last kernel that uses it is done".into(),
        }
    });
}

/// Checks for scratch that is not the work-item's own.
fn stack(here: &CheckedInstruction<'_>, part: &Part, findings: &mut Findings) {
    let size = u64::from(here.launch.scratch);
    let beyond = |at: u64| {
        at.checked_add(part.bytes)
            .is_none_or(|end| end > size.next_multiple_of(4))
    };
    let Some((lane, at)) = part.places().find(|&(_, at)| beyond(at)) else {
        return;
    };
    findings.note(here, Check::Memory, "beyond the stack", 0, || Detail {
        lanes: 1 << lane,
        what: match at.checked_sub(size) {
            Some(far) if far < 1 << 40 => format!(
                "{} {}, {} behind the end of the work-item's stack of {size} bytes",
                verb(part), byte_count(part.bytes), byte_count(far)
            ),
            Some(far) => format!(
                "{} {}, {} before the work-item's stack",
                verb(part), byte_count(part.bytes), byte_count(far.wrapping_add(size).wrapping_neg())
            ),
            None => format!(
                "{} {} at byte {at} of the work-item's stack of {size} bytes",
                verb(part), byte_count(part.bytes)
            ),
        },
        other: None,
        cure: "compare the index with the array's length; a kernel with recursion needs a larger stack".into(),
    });
}

/// Checks for accesses of 8 bytes and more that the strict modes reject.
fn misaligned(here: &CheckedInstruction<'_>, part: &Part, findings: &mut Findings) {
    let align = match part.space {
        Space::Lds if here.access.atomic => 1,
        Space::Lds if part.bytes > 8 => 16,
        Space::Lds if part.bytes == 8 => 8,
        Space::Global if part.bytes >= 8 && !here.access.atomic => 4,
        _ => 1,
    };
    let off = part.places().fold(0, |off, (_, at)| off | at) & (align - 1);
    if off == 0 {
        return;
    }
    let mut places = part.places();
    let Some((lane, at)) = places.find(|(_, at)| at & (align - 1) != 0) else {
        return;
    };
    findings.note(here, Check::Memory, "misaligned", 0, || Detail {
        lanes: 1 << lane,
        what: format!(
            "{} {} at {}, which is no multiple of {align}: it is slow, and faults in the strict modes of the card",
            verb(part),
            byte_count(part.bytes),
            match part.space {
                Space::Lds => format!("byte {at} of LDS"),
                _ => format!("{at:#x}"),
            },
        ),
        other: None,
        cure: format!("align the data to {align} bytes"),
    });
}
