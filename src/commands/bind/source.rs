//! The arguments of a kernel, read from its debug information and its metadata.

use gfx906::code_object::{
    Arg, ArgKind, Kernel, NumberKind, SourceParameter, SourceParameters, SourceType,
};

use super::kernarg;

/// Elements up to which an array is listed one by one; a longer one is bytes.
const MAX_ELEMENTS: u64 = 64;

/// An argument, or a member of a structure that is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name in the source; empty if it is not known.
    pub name: String,
    /// Its type in the source; empty if it is not known.
    pub type_name: String,
    /// Bytes from the beginning of the kernarg segment, or of the structure.
    pub offset: u64,
    /// Its bytes.
    pub size: u64,
    /// Its contents.
    pub holds: Contents,
}

/// The contents of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// An address.
    Pointer {
        /// False if it points to constants in the source; none if the source is not known.
        writable: Option<bool>,
    },
    /// A number, and its type in a binding if the type is known.
    Number(Option<&'static str>),
    /// A structure whose members a binding can lay out.
    Structure(Vec<Argument>),
    /// Bytes between members.
    Padding,
    /// Bytes with an unknown structure.
    Bytes,
}

/// Returns the arguments of a kernel. Debug information goes before the metadata.
pub fn arguments(kernel: &Kernel, parameters: &SourceParameters) -> Vec<Argument> {
    let declared = parameters.kernel_parameters(kernel);
    let args = kernel.explicit_args().enumerate();
    args.map(|(at, arg)| {
        let known = declared.and_then(|declared| declared.get(at));
        known.map_or_else(|| from_metadata(arg), |known| from_source(arg, known))
    })
    .collect()
}

fn from_metadata(arg: &Arg) -> Argument {
    let told = arg.type_name.is_some();
    let number = kernarg::scalar(arg).map(|name| binding_type(&name).filter(|_| told));
    Argument {
        name: arg.name.clone().unwrap_or_default(),
        type_name: arg.type_name.clone().unwrap_or_default(),
        offset: arg.offset.into(),
        size: arg.size.into(),
        holds: match (&arg.kind, number) {
            (ArgKind::GlobalBuffer, _) => Contents::Pointer { writable: None },
            (_, Some(number)) => Contents::Number(number),
            _ => Contents::Bytes,
        },
    }
}

fn from_source(arg: &Arg, parameter: &SourceParameter) -> Argument {
    let SourceParameter { name, ty } = parameter;
    declared(name.clone(), ty, arg.offset.into(), arg.size.into())
}

fn declared(name: String, ty: &SourceType, offset: u64, size: u64) -> Argument {
    let holds = match ty {
        SourceType::Pointer { constant, .. } => Contents::Pointer {
            writable: Some(!constant),
        },
        SourceType::Number { name, kind, size } => number(name, *kind, *size),
        SourceType::Structure { name, .. } if half(name).is_some() => Contents::Number(half(name)),
        SourceType::Structure { members, size, .. } => {
            let members = members.iter().map(|member| {
                let size = member.ty.size().unwrap_or(0);
                declared(member.name.clone(), &member.ty, member.offset, size)
            });
            laid_out(members.collect(), *size)
        }
        SourceType::Array { element, count } if *count <= MAX_ELEMENTS => {
            let step = element.size().unwrap_or(0);
            let elements =
                (0..*count).map(|at| declared(format!("{name}[{at}]"), element, at * step, step));
            laid_out(elements.collect(), size)
        }
        SourceType::Array { .. } | SourceType::Other => Contents::Bytes,
    };
    Argument {
        type_name: match ty {
            SourceType::Other => String::new(),
            known => known.name(),
        },
        name,
        offset,
        size,
        holds,
    }
}

/// Returns the binding's type for HIP's 16-bit floats, which are structures in its headers.
fn half(name: &str) -> Option<&'static str> {
    match name {
        "__half" | "half" => Some("f16"),
        "__hip_bfloat16" | "hip_bfloat16" | "__nv_bfloat16" => Some("bf16"),
        _ => None,
    }
}

fn number(name: &str, kind: NumberKind, size: u64) -> Contents {
    let letter = match kind {
        NumberKind::Boolean => return Contents::Number(Some("bool")),
        NumberKind::Float if name.contains("bf16") => return Contents::Number(Some("bf16")),
        NumberKind::Float => 'f',
        NumberKind::Signed => 'i',
        NumberKind::Unsigned => 'u',
    };
    let known = binding_type(&format!("{letter}{}", 8 * size));
    known.map_or(Contents::Bytes, |known| Contents::Number(Some(known)))
}

/// Returns the name if it is a type of numbers in a binding.
fn binding_type(name: &str) -> Option<&'static str> {
    const TYPES: [&str; 11] = [
        "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64",
    ];
    TYPES.into_iter().find(|known| *known == name)
}

/// Returns a structure that a binding lays out as the source does: each member at a multiple of its alignment, with padding where the
/// source has larger gaps. Packed structures and unions have no such layout and are bytes.
fn laid_out(members: Vec<Argument>, size: u64) -> Contents {
    let (mut out, mut end, mut largest) = (Vec::new(), 0u64, 1u64);
    let padding = |offset: u64, size: u64| Argument {
        name: String::new(),
        type_name: String::new(),
        offset,
        size,
        holds: Contents::Padding,
    };
    for member in members {
        let align = alignment(&member);
        if !member.offset.is_multiple_of(align) || member.offset < end || member.size == 0 {
            return Contents::Bytes;
        }
        if member.offset > end.next_multiple_of(align) {
            out.push(padding(end, member.offset - end));
        }
        end = member.offset.saturating_add(member.size);
        largest = largest.max(align);
        out.push(member);
    }
    if end > size || out.is_empty() {
        return Contents::Bytes;
    }
    if size > end.next_multiple_of(largest) {
        out.push(padding(end, size - end));
    }
    Contents::Structure(out)
}

/// Returns the alignment that a binding gives an argument.
fn alignment(argument: &Argument) -> u64 {
    match &argument.holds {
        Contents::Pointer { .. } => 8,
        Contents::Number(_) => argument.size.max(1),
        Contents::Structure(members) => members.iter().map(alignment).max().unwrap_or(1),
        Contents::Padding | Contents::Bytes => 1,
    }
}

/// Returns the kernel with the names and types of arguments from debug information where the metadata have none.
pub fn named(kernel: &Kernel, parameters: &SourceParameters) -> Kernel {
    let mut named = kernel.clone();
    let declared = parameters.kernel_parameters(kernel).unwrap_or_default();
    let own = |arg: &&mut Arg| !matches!(arg.kind, ArgKind::Hidden(_));
    for (arg, parameter) in named.args.iter_mut().filter(own).zip(declared) {
        let SourceParameter { name, ty } = parameter;
        arg.name.get_or_insert_with(|| name.clone());
        arg.type_name.get_or_insert_with(|| ty.name());
    }
    named
}

/// Returns the arguments, with the members of structures in place of the structures.
pub fn leaves(arguments: &[Argument]) -> Vec<&Argument> {
    let each = arguments.iter().flat_map(|argument| match &argument.holds {
        Contents::Structure(members) => leaves(members),
        _ => vec![argument],
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(name: &str, offset: u64) -> Argument {
        Argument {
            name: name.into(),
            type_name: "int".into(),
            offset,
            size: 4,
            holds: Contents::Number(Some("i32")),
        }
    }

    #[test]
    fn members_keep_their_places_by_padding_or_are_bytes() {
        let places = |holds: Contents| match holds {
            Contents::Structure(members) => {
                let places = members.iter().map(|member| (member.offset, member.size));
                places.collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        let plain = laid_out(vec![int("a", 0), int("b", 4)], 8);
        assert_eq!(places(plain), [(0, 4), (4, 4)]);
        let aligned = laid_out(vec![int("a", 0), int("b", 16)], 32);
        assert_eq!(places(aligned), [(0, 4), (4, 12), (16, 4), (20, 12)]);
        let packed = laid_out(vec![int("a", 1)], 5);
        assert_eq!(packed, Contents::Bytes);
        let union = laid_out(vec![int("a", 0), int("b", 0)], 4);
        assert_eq!(union, Contents::Bytes);
    }

    /// Reading the debug information of a damaged file ends without a panic.
    #[test]
    fn damaged_debug_information_is_read_without_a_panic() {
        let whole = include_bytes!("../../../tests/data/stages.co");
        let object = gfx906::code_object::CodeObject::parse(whole).expect("a code object");
        let carry = object.kernel("stage_carry").expect("a kernel");
        let parameters = SourceParameters::read(whole);
        let names: Vec<String> = arguments(carry, &parameters)
            .into_iter()
            .map(|argument| argument.name)
            .collect();
        assert_eq!(names, ["s", "k", "G", "W", "U", "init", "h", "fin"]);
        for at in (0..whole.len()).step_by(3) {
            for bits in [0xff, 1, 0x80] {
                let mut damaged = whole.to_vec();
                damaged[at] ^= bits;
                let parameters = SourceParameters::read(&damaged);
                let _ = arguments(carry, &parameters);
            }
        }
    }
}
