//! Variables of the source, and their places at an instruction.

use gimli::{
    AttributeValue, DebuggingInformationEntry, Dwarf, EntriesTreeNode, Expression, Operation,
    UnitRef, constants,
};

use super::super::dwarf::Section;
use super::super::parameters::{SourceType, text, type_of};

type Entry = DebuggingInformationEntry<Section>;
type Unit<'a> = UnitRef<'a, Section>;

/// Largest number of nested scopes. A damaged file may have more.
const MAX_DEPTH: usize = 64;
/// Largest number of variables that are returned for an instruction.
const MAX_VARIABLES: usize = 1024;
/// Numbers of 32-bit SGPRs in debug information: s0 to s63, and s64 to s105.
const LOW_SGPRS: std::ops::Range<u16> = 32..96;
const HIGH_SGPRS: std::ops::Range<u16> = 1088..1130;
/// Numbers of VGPRs of a wave of 64 lanes.
const VGPRS: std::ops::Range<u16> = 2560..2816;
/// Address spaces of the AMDGPU backend in debug information: scratch of a lane, and LDS.
const PRIVATE: u64 = 1;
const LOCAL: u64 = 2;

/// A variable or a parameter of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceVariable {
    /// Name in the source.
    pub name: String,
    /// Type in the source.
    pub ty: SourceType,
    /// The place of its value at the instruction.
    pub place: VariablePlace,
}

/// The place of a variable's value at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariablePlace {
    /// The parts of the value, the lowest bytes first.
    Parts(Vec<VariablePart>),
    /// The value itself.
    Constant(Vec<u8>),
    /// Bytes of LDS from an address on.
    Lds(u64),
    /// Memory from a link address on.
    Memory(u64),
    /// Bytes of the lane's scratch, from a distance to the frame's base on. The SGPR holds the base, in bytes of all lanes together.
    Scratch {
        /// The SGPR.
        base: u16,
        /// The distance in bytes of one lane.
        offset: i64,
    },
    /// The debug information names no place for the instruction.
    Nowhere,
    /// The debug information names a place in a form that is not supported.
    Unsupported,
}

/// A part of a variable's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariablePart {
    /// A scalar register.
    Sgpr(u16),
    /// A vector register.
    Vgpr(u16),
    /// Bytes without a value.
    Missing(u64),
}

/// Returns the variables at an address for each frame, the innermost frame first.
pub fn at(dwarf: &Dwarf<Section>, address: u64) -> gimli::Result<Vec<Vec<SourceVariable>>> {
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let unit = unit.unit_ref(dwarf);
        let mut tree = unit.entries_tree(None)?;
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            let function = entry.tag() == constants::DW_TAG_subprogram;
            if function && contains(unit, entry, address)? {
                let base = frame_base(unit, entry)?;
                let mut search = Search {
                    unit,
                    address,
                    base,
                    frames: vec![Vec::new()],
                    left: MAX_VARIABLES,
                };
                search.scope(child, 0)?;
                search.frames.reverse();
                return Ok(search.frames);
            }
        }
    }
    Ok(Vec::new())
}

fn contains(unit: Unit<'_>, entry: &Entry, address: u64) -> gimli::Result<bool> {
    let mut ranges = unit.die_ranges(entry)?;
    while let Some(range) = ranges.next()? {
        if (range.begin..range.end).contains(&address) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the SGPR that holds the base of a function's frame.
fn frame_base(unit: Unit<'_>, function: &Entry) -> gimli::Result<Option<u16>> {
    let Some(AttributeValue::Exprloc(expression)) =
        function.attr_value(constants::DW_AT_frame_base)
    else {
        return Ok(None);
    };
    let operations = operations(unit, expression)?;
    Ok(match operations.as_slice() {
        [Operation::Register { register }] => match part(register.0) {
            Some(VariablePart::Sgpr(number)) => Some(number),
            _ => None,
        },
        _ => None,
    })
}

/// A search for the variables of an instruction.
struct Search<'a> {
    unit: Unit<'a>,
    address: u64,
    base: Option<u16>,
    /// Variables of the function and of each function inlined into it, the outermost first.
    frames: Vec<Vec<SourceVariable>>,
    left: usize,
}

impl Search<'_> {
    /// Adds the variables of a scope, and of the scopes in it that contain the address.
    fn scope(
        &mut self,
        scope: EntriesTreeNode<'_, '_, Section>,
        depth: usize,
    ) -> gimli::Result<()> {
        let mut children = scope.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            match entry.tag() {
                constants::DW_TAG_variable | constants::DW_TAG_formal_parameter
                    if self.left > 0 =>
                {
                    self.left -= 1;
                    let variable = self.variable(entry)?;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.push(variable);
                    }
                }
                constants::DW_TAG_lexical_block
                    if depth < MAX_DEPTH && contains(self.unit, entry, self.address)? =>
                {
                    self.scope(child, depth + 1)?;
                }
                constants::DW_TAG_inlined_subroutine
                    if depth < MAX_DEPTH && contains(self.unit, entry, self.address)? =>
                {
                    // Variables of the caller may follow behind the inlined function.
                    let outer = self.frames.len();
                    self.frames.push(Vec::new());
                    self.scope(child, depth + 1)?;
                    let inner = self.frames.split_off(outer);
                    self.rest(&mut children, depth)?;
                    self.frames.extend(inner);
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the variables of a scope behind the inlined function that contains the address.
    fn rest(
        &mut self,
        children: &mut gimli::EntriesTreeIter<'_, '_, Section>,
        depth: usize,
    ) -> gimli::Result<()> {
        while let Some(child) = children.next()? {
            let entry = child.entry();
            let tag = entry.tag();
            if (tag == constants::DW_TAG_variable || tag == constants::DW_TAG_formal_parameter)
                && self.left > 0
            {
                self.left -= 1;
                let variable = self.variable(entry)?;
                if let Some(frame) = self.frames.last_mut() {
                    frame.push(variable);
                }
            } else if tag == constants::DW_TAG_lexical_block
                && depth < MAX_DEPTH
                && contains(self.unit, entry, self.address)?
            {
                self.scope(child, depth + 1)?;
            }
        }
        Ok(())
    }

    fn variable(&self, entry: &Entry) -> gimli::Result<SourceVariable> {
        Ok(SourceVariable {
            name: text(self.unit, entry, constants::DW_AT_name, 0)?.unwrap_or_default(),
            ty: type_of(self.unit, entry, 0)?,
            place: self.place(entry)?,
        })
    }

    fn place(&self, entry: &Entry) -> gimli::Result<VariablePlace> {
        if let Some(value) = entry.attr_value(constants::DW_AT_const_value) {
            return Ok(match (value.udata_value(), value.sdata_value()) {
                (_, Some(value)) => VariablePlace::Constant(value.to_le_bytes().to_vec()),
                (Some(value), None) => VariablePlace::Constant(value.to_le_bytes().to_vec()),
                (None, None) => VariablePlace::Unsupported,
            });
        }
        let Some(location) = entry.attr_value(constants::DW_AT_location) else {
            return Ok(VariablePlace::Nowhere);
        };
        if let AttributeValue::Exprloc(expression) = location {
            return self.described(expression);
        }
        let Some(mut list) = self.unit.attr_locations(location)? else {
            return Ok(VariablePlace::Unsupported);
        };
        while let Some(entry) = list.next()? {
            if (entry.range.begin..entry.range.end).contains(&self.address) {
                return self.described(entry.data);
            }
        }
        Ok(VariablePlace::Nowhere)
    }

    /// Returns the place that an expression describes.
    fn described(&self, expression: Expression<Section>) -> gimli::Result<VariablePlace> {
        let operations = operations(self.unit, expression)?;
        let place = match operations.as_slice() {
            [] => VariablePlace::Nowhere,
            [Operation::ImplicitValue { data }] => VariablePlace::Constant(data.to_vec()),
            [Operation::UnsignedConstant { value }, Operation::StackValue] => {
                VariablePlace::Constant(value.to_le_bytes().to_vec())
            }
            [Operation::SignedConstant { value }, Operation::StackValue] => {
                VariablePlace::Constant(value.to_le_bytes().to_vec())
            }
            [Operation::FrameOffset { offset }] => self.scratch(*offset),
            [
                Operation::FrameOffset { offset },
                Operation::UnsignedConstant { value: PRIVATE },
                Operation::Swap,
                Operation::Deref { space: true, .. },
            ] => self.scratch(*offset),
            [Operation::Address { address }] => VariablePlace::Memory(*address),
            [Operation::AddressIndex { index }] => {
                VariablePlace::Memory(self.unit.address(*index)?)
            }
            [
                Operation::AddressIndex { index },
                Operation::UnsignedConstant { value: LOCAL },
                Operation::Swap,
                Operation::Deref { space: true, .. },
            ] => VariablePlace::Lds(self.unit.address(*index)?),
            [
                Operation::Address { address },
                Operation::UnsignedConstant { value: LOCAL },
                Operation::Swap,
                Operation::Deref { space: true, .. },
            ] => VariablePlace::Lds(*address),
            operations => {
                parts(operations).map_or(VariablePlace::Unsupported, VariablePlace::Parts)
            }
        };
        Ok(place)
    }

    fn scratch(&self, offset: i64) -> VariablePlace {
        self.base
            .map_or(VariablePlace::Unsupported, |base| VariablePlace::Scratch {
                base,
                offset,
            })
    }
}

fn operations(
    unit: Unit<'_>,
    expression: Expression<Section>,
) -> gimli::Result<Vec<Operation<Section>>> {
    let mut iterator = expression.operations(unit.encoding());
    let mut operations = Vec::new();
    while let Some(operation) = iterator.next()? {
        operations.push(operation);
    }
    Ok(operations)
}

/// Reads registers, each of which a piece may follow.
fn parts(operations: &[Operation<Section>]) -> Option<Vec<VariablePart>> {
    let mut parts = Vec::new();
    let mut rest = operations.iter().peekable();
    while let Some(operation) = rest.next() {
        let found = match operation {
            Operation::Register { register } => {
                let found = part(register.0)?;
                match rest.peek() {
                    Some(Operation::Piece {
                        size_in_bits: 32,
                        bit_offset: None,
                    }) => drop(rest.next()),
                    None if parts.is_empty() => (),
                    _ => return None,
                }
                found
            }
            Operation::Piece { size_in_bits, .. } if size_in_bits.is_multiple_of(8) => {
                VariablePart::Missing(size_in_bits / 8)
            }
            _ => return None,
        };
        parts.push(found);
    }
    Some(parts)
}

fn part(register: u16) -> Option<VariablePart> {
    if LOW_SGPRS.contains(&register) {
        Some(VariablePart::Sgpr(register - LOW_SGPRS.start))
    } else if HIGH_SGPRS.contains(&register) {
        Some(VariablePart::Sgpr(register - HIGH_SGPRS.start + 64))
    } else if VGPRS.contains(&register) {
        Some(VariablePart::Vgpr(register - VGPRS.start))
    } else {
        None
    }
}
