//! Reasons why a wave stops, and the report to the user.

use std::fmt;

use super::spin::Spin;
use crate::code_object::Lines;
use crate::isa::fields::ReservedValue;

/// Reason why a wave gave up its turn.
#[derive(Debug)]
pub enum Stop {
    /// The wave ended (s_endpgm).
    End,
    /// The wave waits at a barrier.
    Barrier,
    /// The wave waits at the grid's barrier, until the number of releases exceeds this one.
    Grid(u64),
    /// The wave yields its turn (s_sleep), so that other waves of the group may run.
    Yield,
    /// The wave cannot continue.
    Fault(Box<Fault>),
}

/// Result of executing one instruction: the wave continues, or stops for a reason.
pub type StepResult = Result<(), Stop>;

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(Box::new(fault))
    }
}

impl From<ReservedValue> for Stop {
    fn from(reserved: ReservedValue) -> Stop {
        Fault::new(TrapKind::ReservedField(reserved)).into()
    }
}

/// Fault within one instruction.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The kind.
    pub kind: TrapKind,
    /// First lane with the fault.
    pub lane: Option<u32>,
    /// Address with the fault.
    pub address: Option<u64>,
}

impl Fault {
    /// Creates a fault of the wave as a whole.
    pub fn new(kind: TrapKind) -> Fault {
        Fault {
            kind,
            lane: None,
            address: None,
        }
    }

    /// Creates a fault at an address.
    pub fn at(kind: TrapKind, lane: Option<u32>, address: u64) -> Fault {
        Fault {
            kind,
            lane,
            address: Some(address),
        }
    }
}

/// Problem with the address of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressProblem {
    /// No byte of the access belongs to an allocation.
    Outside,
    /// The access begins or ends outside of an allocation.
    Partly,
    /// The allocation is read-only.
    ReadOnly,
}

/// The kind of a trap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrapKind {
    /// The access is to memory that no allocation covers, or writes to read-only memory.
    MemoryFault {
        /// True for a write, false for a read.
        write: bool,
        /// Bytes accessed.
        bytes: u32,
        /// Problem with the address.
        place: AddressProblem,
    },
    /// The access is beyond the group's LDS.
    LdsOutOfRange {
        /// True for a write, false for a read.
        write: bool,
        /// Size of the group's LDS in bytes.
        size: u32,
    },
    /// The address is not aligned as the instruction requires.
    Misaligned {
        /// Required alignment.
        align: u32,
    },
    /// The LDS address is not aligned as the instruction requires.
    LdsMisaligned {
        /// Required alignment.
        align: u32,
    },
    /// The words at the pc are not a gfx906 instruction.
    IllegalInstruction,
    /// A field has a value that no compute kernel of gfx906 can use.
    ReservedField(ReservedValue),
    /// The pc left the code.
    BadPc,
    /// The instruction belongs to graphics, or needs resources that a driver allocates. No compute kernel has it.
    Unimplemented,
    /// Only a trap handler may run the instruction.
    Privileged,
    /// The wave halted, and nothing on this device resumes it.
    Halted,
    /// An operand names a register beyond the kernel's allocation.
    RegisterOutOfRange {
        /// Register and its use.
        register: String,
    },
    /// The wave executed s_trap.
    Trap {
        /// The trap id.
        id: u16,
    },
    /// The instruction or time budget ran out.
    Hang {
        /// Budget that ran out, in words.
        budget: String,
    },
    /// No wave of the group can continue.
    Deadlock,
    /// Groups wait at the grid's barrier, and no wave is left to arrive.
    GridDeadlock {
        /// Number of groups that have ended.
        ended: u64,
    },
    /// Only kernels of a cooperative launch may run the instruction.
    NotCooperative,
}

/// The allocation nearest to a bad address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Name of the allocation.
    pub name: String,
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Distance in bytes from the allocation to the address: negative before its start, from its end behind it, 0 within.
    pub distance: i128,
}

/// The argument into whose allocation a bad address's pointer points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultArgument {
    /// Position among the explicit arguments, from 0.
    pub position: usize,
    /// Name of the argument, if the code object has one.
    pub name: Option<String>,
}

/// A freed allocation that a bad address is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreedAllocation {
    /// Name of the allocation.
    pub name: String,
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Call that freed it.
    pub by: String,
}

/// A place 2^32 elements behind a bad address: that of an index that has passed 2^31 and was computed in 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrappedIndex {
    /// Name of the allocation.
    pub name: String,
    /// Number of its byte.
    pub byte: u64,
    /// Size of an element in bytes.
    pub element: u64,
}

/// Report on a kernel that stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The kind.
    pub kind: TrapKind,
    /// The kernel's name.
    pub kernel: String,
    /// Address of the instruction, as linked in the code object.
    pub pc: u64,
    /// The instruction, disassembled.
    pub instruction: String,
    /// The source line as `FILE:LINE`, after it has been looked up.
    pub source: Option<String>,
    /// The work-group's id.
    pub work_group: [u32; 3],
    /// Number of the wave within its group.
    pub wave: u32,
    /// First lane with the fault.
    pub lane: Option<u32>,
    /// Work-item id of the lane within its group.
    pub work_item: Option<[u32; 3]>,
    /// Address with the fault.
    pub address: Option<u64>,
    /// Allocation nearest to the address.
    pub nearest: Option<Nearest>,
    /// Argument whose pointer the address was made from, if it is certain. `nearest` is its allocation then.
    pub argument: Option<FaultArgument>,
    /// Place that the address would have if the index had not wrapped.
    pub wrapped: Option<WrappedIndex>,
    /// Freed allocation that the address is in, if the owner of the memory knows one.
    pub freed: Option<FreedAllocation>,
    /// Bytes of dynamic LDS that the launch gave, for an access beyond the group's LDS.
    pub dynamic_lds: Option<u32>,
    /// The waiting of the group, if its budget is used up.
    pub spin: Option<Box<Spin>>,
}

impl Trap {
    /// Looks up the source line of the instruction.
    pub fn look_up(&mut self, lines: &Lines) {
        self.source = lines.line_at(self.pc);
        if let Some(spin) = &mut self.spin {
            spin.look_up(lines);
        }
    }

    /// Returns true if a budget was used up by a work-group that ended soon after: the budget was too small for the kernel.
    pub fn has_ended(&self) -> bool {
        self.spin.as_ref().is_some_and(|spin| spin.ended)
    }

    /// Returns the first line of the message: what happened.
    pub fn title(&self) -> String {
        match &self.kind {
            TrapKind::Hang { budget } if self.has_ended() => format!("{budget} is too small"),
            kind => kind.to_string(),
        }
    }

    /// Returns true if the kernel did not end: a budget ran out, waves wait for each other, or the wave halted itself.
    pub fn is_hang(&self) -> bool {
        matches!(
            self.kind,
            TrapKind::Hang { .. }
                | TrapKind::Deadlock
                | TrapKind::GridDeadlock { .. }
                | TrapKind::Halted
        )
    }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = |write: bool| if write { "write" } else { "read" };
        match self {
            TrapKind::MemoryFault {
                write,
                bytes,
                place,
            } => {
                let plural = if *bytes == 1 { "" } else { "s" };
                let place = match place {
                    AddressProblem::Outside => "outside every allocation",
                    AddressProblem::Partly => "across the bounds of an allocation",
                    AddressProblem::ReadOnly => "to read-only memory",
                };
                let verb = verb(*write);
                write!(f, "memory fault: {verb} of {bytes} byte{plural} {place}")
            }
            TrapKind::LdsOutOfRange { write, size } => {
                write!(f, "LDS {} beyond the group's {size} bytes", verb(*write))
            }
            TrapKind::Misaligned { align } => write!(
                f,
                "misaligned access: the instruction needs {align}-byte alignment"
            ),
            TrapKind::LdsMisaligned { align } => write!(
                f,
                "misaligned access to LDS: the instruction needs {align}-byte alignment"
            ),
            TrapKind::IllegalInstruction => write!(
                f,
                "illegal instruction: no gfx906 instruction has these words"
            ),
            TrapKind::ReservedField(ReservedValue {
                field,
                value,
                reason,
            }) => {
                write!(f, "{field} {value:#x} cannot be used: {reason}")
            }
            TrapKind::BadPc => write!(f, "the program counter left the code"),
            TrapKind::Unimplemented => write!(
                f,
                "instruction not implemented by the emulator: graphics, or a resource that a driver allocates"
            ),
            TrapKind::Privileged => write!(f, "privileged instruction outside of a trap handler"),
            TrapKind::Halted => write!(f, "the wave halted itself, and only a debugger resumes it"),
            TrapKind::RegisterOutOfRange { register } => {
                write!(
                    f,
                    "{register} lies beyond the registers that the kernel asked for"
                )
            }
            TrapKind::Trap { id } => write!(
                f,
                "s_trap {id}: the kernel stopped itself (abort or failed assertion)"
            ),
            TrapKind::Hang { budget } => write!(f, "hang: {budget} used up"),
            TrapKind::Deadlock => write!(f, "deadlock: every wave of the group waits"),
            TrapKind::GridDeadlock { ended } => write!(
                f,
                "deadlock: every group that is left waits at a barrier of the whole grid, and {ended} {} ended",
                if *ended == 1 { "has" } else { "have" }
            ),
            TrapKind::NotCooperative => write!(
                f,
                "a barrier of the whole grid outside of a cooperative launch"
            ),
        }
    }
}

/// The distance from address 0, on either side, below which an address comes from a null pointer.
const NULL_REACH: u64 = 1 << 16;
/// The distance from every allocation beyond which an address is taken for no address of memory at all.
const FAR: u128 = 1 << 30;

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "  kernel      {}", self.kernel)?;
        writeln!(f, "  pc          {:#x}: {}", self.pc, self.instruction)?;
        if let Some(source) = &self.source {
            writeln!(f, "  source      {source}")?;
        }
        let [x, y, z] = self.work_group;
        write!(f, "  work-group  ({x}, {y}, {z}), wave {}", self.wave)?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        if let Some([x, y, z]) = self.work_item {
            write!(f, " (work-item ({x}, {y}, {z}))")?;
        }
        self.write_address(f)?;
        if let Some(FaultArgument { position, name }) = &self.argument {
            write!(f, "\n  pointer     argument {position}")?;
            if let Some(name) = name {
                write!(f, " (`{name}`)")?;
            }
        }
        if let Some(WrappedIndex {
            name,
            byte,
            element,
        }) = &self.wrapped
        {
            write!(
                f,
                "\n  index       it passed 2^31, if it is computed in 32 bits: 2^32 elements of {element} byte{} further is byte {byte} of `{name}`",
                if *element == 1 { "" } else { "s" }
            )?;
        }
        if let Some(spin) = &self.spin {
            write!(f, "{spin}")?;
        }
        Ok(())
    }
}

impl Trap {
    /// Writes the line of the address: its place in LDS or in an allocation.
    fn write_address(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(address) = self.address else {
            return Ok(());
        };
        if let TrapKind::LdsOutOfRange { .. } | TrapKind::LdsMisaligned { .. } = self.kind {
            write!(f, "\n  address     byte {address} of LDS")?;
            return match self.dynamic_lds {
                Some(1) => write!(f, "; the launch gave 1 byte of dynamic LDS"),
                Some(bytes) => write!(f, "; the launch gave {bytes} bytes of dynamic LDS"),
                None => Ok(()),
            };
        }
        write!(f, "\n  address     {address:#x}")?;
        if let Some(FreedAllocation {
            name,
            base,
            size,
            by,
        }) = &self.freed
        {
            let byte = address - base;
            return write!(
                f,
                ", at byte {byte} of `{name}` ({size} bytes at {base:#x}), which {by} has freed"
            );
        }
        let distance = self.nearest.as_ref().map(|n| n.distance.unsigned_abs());
        let is_within = |bytes: u128| distance.is_some_and(|distance| distance < bytes);
        let below = address.wrapping_neg();
        if !is_within(NULL_REACH.into()) && address.min(below) < NULL_REACH {
            return match (address, below) {
                (0, _) => write!(f, ", a null pointer"),
                (above, below) if above < below => write!(f, ", a null pointer + {above}"),
                (_, below) => write!(f, ", a null pointer - {below}"),
            };
        }
        let Some(n) = &self.nearest else {
            return Ok(());
        };
        let explained = self.argument.is_some() || self.wrapped.is_some();
        if !explained && !is_within(FAR) {
            return write!(
                f,
                ", 1 GiB and more from every allocation: it is no address of one"
            );
        }
        let place = match n.distance {
            d if d < 0 => format!("{} bytes before the start of", -d),
            0 if address < n.base + n.size => format!("at byte {} of", address - n.base),
            0 => "right behind the end of".to_owned(),
            d => format!("{d} bytes behind the end of"),
        };
        write!(
            f,
            ", {place} `{}` ({} bytes at {:#x})",
            n.name, n.size, n.base
        )
    }
}

impl std::error::Error for Trap {}
