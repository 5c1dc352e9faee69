//! Kernel parameters as declared in the source, if the code object was built with debug information (`-g`).

use std::collections::HashMap;

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, UnitOffset, UnitRef, constants};

use super::dwarf::{self, Section};
use super::kernel::Kernel;

/// Largest nesting depth of types. A damaged file may have a type that contains itself.
const MAX_DEPTH: u32 = 16;
/// Largest number of structure members and array elements that are read.
const MAX_MEMBERS: usize = 1024;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceParameter {
    /// Name in the source.
    pub name: String,
    /// Type in the source.
    pub ty: SourceType,
}

/// A type as the source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceType {
    /// A number or an enumeration.
    Number {
        /// The name of the type, `unsigned int` or the name of an alias.
        name: String,
        /// The kind of number.
        kind: NumberKind,
        /// Size in bytes.
        size: u64,
    },
    /// An address.
    Pointer {
        /// The name of the target's type, without `const`.
        to: String,
        /// True if the kernel may not write through the pointer.
        constant: bool,
    },
    /// A structure or a union.
    Structure {
        /// The name of the type.
        name: String,
        /// Size in bytes.
        size: u64,
        /// Members, in the order of the source.
        members: Vec<SourceMember>,
    },
    /// Elements of one type, one after the other.
    Array {
        /// The type of an element.
        element: Box<SourceType>,
        /// The number of elements.
        count: u64,
    },
    /// A type that none of the other variants describes.
    Other,
}

/// The kind of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// A whole number with a sign.
    Signed,
    /// A whole number without a sign.
    Unsigned,
    /// A floating-point number.
    Float,
    /// True or false.
    Boolean,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMember {
    /// Name in the source.
    pub name: String,
    /// Bytes from the beginning of the structure.
    pub offset: u64,
    /// Type in the source.
    pub ty: SourceType,
}

impl SourceType {
    /// Returns the type's size in bytes, or `None` if it is not known.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        match self {
            SourceType::Number { size, .. } | SourceType::Structure { size, .. } => Some(*size),
            SourceType::Pointer { .. } => Some(8),
            SourceType::Array { element, count } => element.size()?.checked_mul(*count),
            SourceType::Other => None,
        }
    }

    /// Returns the type's name in the source.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            SourceType::Number { name, .. } | SourceType::Structure { name, .. } => name.clone(),
            SourceType::Pointer { to, constant } => {
                format!("{}{to}*", if *constant { "const " } else { "" })
            }
            SourceType::Array { element, count } => format!("{}[{count}]", element.name()),
            SourceType::Other => "?".into(),
        }
    }
}

/// The parameters of the kernels of a code object.
#[derive(Debug, Default)]
pub struct SourceParameters(HashMap<u64, Vec<SourceParameter>>);

impl SourceParameters {
    /// Reads the debug information of any file that [`super::CodeObject::parse`] takes. A kernel without debug information has no
    /// parameters in the result.
    #[must_use]
    pub fn read(bytes: &[u8]) -> SourceParameters {
        let mut parameters = SourceParameters::default();
        if let Some(dwarf) = dwarf::read(bytes) {
            // The parameters read before a damaged unit are kept.
            let _ = parameters.add_units(&dwarf);
        }
        parameters
    }

    /// Returns the parameters of a kernel, if their number and sizes agree with the arguments of its metadata.
    #[must_use]
    pub fn kernel_parameters(&self, kernel: &Kernel) -> Option<&[SourceParameter]> {
        let parameters = self.0.get(&kernel.entry_address)?;
        let mut args = kernel.explicit_args();
        let sizes_agree = parameters.iter().all(|parameter| {
            let size = args.next().map(|arg| u64::from(arg.size));
            size.is_some() && parameter.ty.size().is_none_or(|own| Some(own) == size)
        });
        (sizes_agree && args.next().is_none()).then_some(parameters)
    }

    fn add_units(&mut self, dwarf: &Dwarf<Section>) -> gimli::Result<()> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let unit = dwarf.unit(header)?;
            let unit = unit.unit_ref(dwarf);
            let mut entries = unit.entries();
            let mut functions = Vec::new();
            while let Some(entry) = entries.next_dfs()? {
                if entry.tag() == constants::DW_TAG_subprogram
                    && let Some(low) = entry.attr_value(constants::DW_AT_low_pc)
                    && let Some(address) = unit.attr_address(low)?
                {
                    functions.push((address, entry.offset()));
                }
            }
            for (address, offset) in functions {
                let parameters = parameters(unit, offset)?;
                self.0.insert(address, parameters);
            }
        }
        Ok(())
    }
}

type Entry = DebuggingInformationEntry<Section>;
type Unit<'a> = UnitRef<'a, Section>;

fn parameters(unit: Unit<'_>, function: UnitOffset) -> gimli::Result<Vec<SourceParameter>> {
    let mut parameters = Vec::new();
    let mut tree = unit.entries_tree(Some(function))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let entry = child.entry();
        if entry.tag() == constants::DW_TAG_formal_parameter && parameters.len() < MAX_MEMBERS {
            parameters.push(SourceParameter {
                name: text(unit, entry, constants::DW_AT_name, 0)?.unwrap_or_default(),
                ty: type_of(unit, entry, 0)?,
            });
        }
    }
    Ok(parameters)
}

/// Returns an attribute of an entry. An entry that lacks the attribute inherits it from its abstract origin or its specification.
fn attribute(
    unit: Unit<'_>,
    entry: &Entry,
    name: constants::DwAt,
    depth: u32,
) -> gimli::Result<Option<AttributeValue<Section>>> {
    if let Some(value) = entry.attr_value(name) {
        return Ok(Some(value));
    }
    let origins = [
        constants::DW_AT_abstract_origin,
        constants::DW_AT_specification,
    ];
    for origin in origins {
        if let Some(AttributeValue::UnitRef(offset)) = entry.attr_value(origin)
            && depth < MAX_DEPTH
        {
            return attribute(unit, &unit.entry(offset)?, name, depth + 1);
        }
    }
    Ok(None)
}

pub(super) fn text(
    unit: Unit<'_>,
    entry: &Entry,
    name: constants::DwAt,
    depth: u32,
) -> gimli::Result<Option<String>> {
    let Some(value) = attribute(unit, entry, name, depth)? else {
        return Ok(None);
    };
    let text = unit.attr_string(value)?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

fn number(unit: Unit<'_>, entry: &Entry, name: constants::DwAt) -> gimli::Result<Option<u64>> {
    let value = attribute(unit, entry, name, 0)?;
    Ok(value.and_then(|value| value.udata_value()))
}

/// Returns the type that an entry's `DW_AT_type` names.
pub(super) fn type_of(unit: Unit<'_>, entry: &Entry, depth: u32) -> gimli::Result<SourceType> {
    match attribute(unit, entry, constants::DW_AT_type, 0)? {
        Some(AttributeValue::UnitRef(offset)) if depth < MAX_DEPTH => {
            source_type(unit, &unit.entry(offset)?, depth + 1)
        }
        _ => Ok(SourceType::Other),
    }
}

fn source_type(unit: Unit<'_>, entry: &Entry, depth: u32) -> gimli::Result<SourceType> {
    let name = text(unit, entry, constants::DW_AT_name, 0)?;
    let size = number(unit, entry, constants::DW_AT_byte_size)?;
    match entry.tag() {
        constants::DW_TAG_typedef => {
            let mut aliased = type_of(unit, entry, depth)?;
            if let (
                SourceType::Number { name, .. } | SourceType::Structure { name, .. },
                Some(alias),
            ) = (&mut aliased, name)
            {
                *name = alias;
            }
            Ok(aliased)
        }
        constants::DW_TAG_const_type
        | constants::DW_TAG_volatile_type
        | constants::DW_TAG_restrict_type => type_of(unit, entry, depth),
        constants::DW_TAG_base_type | constants::DW_TAG_enumeration_type => {
            let encoding = match entry.attr_value(constants::DW_AT_encoding) {
                Some(AttributeValue::Encoding(encoding)) => encoding,
                _ => constants::DW_ATE_signed,
            };
            let kind = match encoding {
                constants::DW_ATE_boolean => NumberKind::Boolean,
                constants::DW_ATE_float => NumberKind::Float,
                constants::DW_ATE_unsigned
                | constants::DW_ATE_unsigned_char
                | constants::DW_ATE_UTF => NumberKind::Unsigned,
                _ => NumberKind::Signed,
            };
            Ok(size.map_or(SourceType::Other, |size| SourceType::Number {
                name: name.unwrap_or_default(),
                kind,
                size,
            }))
        }
        constants::DW_TAG_pointer_type | constants::DW_TAG_reference_type => {
            let (to, constant) = pointee(unit, entry, depth)?;
            Ok(SourceType::Pointer { to, constant })
        }
        constants::DW_TAG_structure_type
        | constants::DW_TAG_class_type
        | constants::DW_TAG_union_type => Ok(match size {
            Some(size) => SourceType::Structure {
                name: name.unwrap_or_default(),
                size,
                members: members(unit, entry, depth)?,
            },
            None => SourceType::Other,
        }),
        constants::DW_TAG_array_type => array(unit, entry, depth),
        _ => Ok(SourceType::Other),
    }
}

/// Returns the name of a pointer's target type, and true if the target is `const`.
fn pointee(unit: Unit<'_>, pointer: &Entry, depth: u32) -> gimli::Result<(String, bool)> {
    let mut constant = false;
    let mut at = attribute(unit, pointer, constants::DW_AT_type, 0)?;
    for _ in depth..MAX_DEPTH {
        let Some(AttributeValue::UnitRef(offset)) = at else {
            break;
        };
        let entry = unit.entry(offset)?;
        if let Some(name) = text(unit, &entry, constants::DW_AT_name, 0)? {
            let name = float_behind(unit, &entry, depth)?.unwrap_or(name);
            return Ok((name, constant));
        }
        match entry.tag() {
            constants::DW_TAG_const_type => constant = true,
            constants::DW_TAG_volatile_type | constants::DW_TAG_restrict_type => {}
            constants::DW_TAG_pointer_type => {
                let (to, inner) = pointee(unit, &entry, depth + 1)?;
                let to = format!("{}{to}*", if inner { "const " } else { "" });
                return Ok((to, constant));
            }
            _ => break,
        }
        at = attribute(unit, &entry, constants::DW_AT_type, 0)?;
    }
    Ok(("void".into(), constant))
}

/// Returns the name of the floating-point type that another name stands for.
fn float_behind(unit: Unit<'_>, entry: &Entry, depth: u32) -> gimli::Result<Option<String>> {
    let mut at = unit.entry(entry.offset())?;
    for _ in depth..MAX_DEPTH {
        match at.tag() {
            constants::DW_TAG_typedef
            | constants::DW_TAG_const_type
            | constants::DW_TAG_volatile_type => {
                let of = attribute(unit, &at, constants::DW_AT_type, 0)?;
                let Some(AttributeValue::UnitRef(offset)) = of else {
                    return Ok(None);
                };
                at = unit.entry(offset)?;
            }
            constants::DW_TAG_base_type => {
                let encoding = at.attr_value(constants::DW_AT_encoding);
                let float = AttributeValue::Encoding(constants::DW_ATE_float);
                return match encoding == Some(float) {
                    true => text(unit, &at, constants::DW_AT_name, 0),
                    false => Ok(None),
                };
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

fn members(unit: Unit<'_>, entry: &Entry, depth: u32) -> gimli::Result<Vec<SourceMember>> {
    let mut members = Vec::new();
    let mut tree = unit.entries_tree(Some(entry.offset()))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let entry = child.entry();
        let member = matches!(
            entry.tag(),
            constants::DW_TAG_member | constants::DW_TAG_inheritance
        );
        // Static members are not part of the structure's memory.
        let elsewhere = entry.attr_value(constants::DW_AT_external).is_some();
        if member && !elsewhere && members.len() < MAX_MEMBERS {
            members.push(SourceMember {
                name: text(unit, entry, constants::DW_AT_name, 0)?.unwrap_or_default(),
                offset: number(unit, entry, constants::DW_AT_data_member_location)?.unwrap_or(0),
                ty: type_of(unit, entry, depth)?,
            });
        }
    }
    Ok(members)
}

fn array(unit: Unit<'_>, entry: &Entry, depth: u32) -> gimli::Result<SourceType> {
    let mut counts = Vec::new();
    let mut tree = unit.entries_tree(Some(entry.offset()))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let entry = child.entry();
        if entry.tag() == constants::DW_TAG_subrange_type && counts.len() < MAX_MEMBERS {
            counts.push(number(unit, entry, constants::DW_AT_count)?.unwrap_or(0));
        }
    }
    let element = type_of(unit, entry, depth)?;
    Ok(counts
        .into_iter()
        .rev()
        .fold(element, |element, count| SourceType::Array {
            element: Box::new(element),
            count,
        }))
}
