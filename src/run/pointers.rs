//! The check that kernels take pointers to the types of the tensors that they are handed, as far as debug information tells.

use gfx906::code_object::{Kernel, SourceParameters, SourceType};

use crate::binding::{AddressSlot, Binding, Call, ONLY_F64, Resolution, TensorShape};
use crate::files::FileError;
use crate::program::Program;
use crate::tensor::ElementKind;

/// Names of floating-point types in sources.
const FLOATS: [(&str, ElementKind); 10] = [
    ("double", ElementKind::F64),
    ("float", ElementKind::F32),
    ("_Float16", ElementKind::F16),
    ("__fp16", ElementKind::F16),
    ("__half", ElementKind::F16),
    ("half", ElementKind::F16),
    ("__bf16", ElementKind::Bf16),
    ("hip_bfloat16", ElementKind::Bf16),
    ("__hip_bfloat16", ElementKind::Bf16),
    ("bfloat16", ElementKind::Bf16),
];

/// Checks the launches of a binding against the sources of their kernels. A pointer to anything but a floating-point number fits every
/// tensor, because kernels read bf16 through pointers to integers and several elements at once through pointers to vectors.
///
/// # Errors
/// A kernel takes a pointer to one floating-point type, and is handed a tensor of another.
pub(super) fn check(
    binding: &Binding,
    program: &Program,
    shapes: &[TensorShape],
    resolved: &Resolution,
) -> Result<(), FileError> {
    let Resolution::Launches(calls) = resolved else {
        return Ok(());
    };
    for call in calls {
        let Some(kernel) = program.object.kernel(&call.kernel) else {
            continue;
        };
        for slot in &call.slots {
            fits(
                binding,
                (kernel, program.parameters()),
                (call, slot),
                shapes,
            )?;
        }
    }
    Ok(())
}

fn fits(
    binding: &Binding,
    (kernel, parameters): (&Kernel, &SourceParameters),
    (call, slot): (&Call, &AddressSlot),
    shapes: &[TensorShape],
) -> Result<(), FileError> {
    let mut args = kernel.explicit_args();
    let found = args.position(|arg| arg.offset as usize == slot.at);
    let parameter = found.and_then(|at| Some((at, parameters.kernel_parameters(kernel)?.get(at)?)));
    let Some((at, parameter)) = parameter else {
        return Ok(());
    };
    let SourceType::Pointer { to, .. } = &parameter.ty else {
        return Ok(());
    };
    let taken = FLOATS.iter().find(|(name, _)| name == to);
    let shape = shapes.iter().find(|shape| shape.name == slot.place.tensor);
    let (Some((_, taken)), Some(shape)) = (taken, shape) else {
        return Ok(());
    };
    if !shape.kind.is_float() || shape.kind == *taken {
        return Ok(());
    }
    let (name, kind) = (&shape.name, shape.kind.name());
    let args = &call.origin.launch.args;
    let span = args.value.get(at).map_or(&args.span, |arg| &arg.span);
    let help = match shape.kind {
        ElementKind::F64 => format!("`{name}` stays {kind}: {ONLY_F64}"),
        _ => format!(
            "if the kernel takes {name} as {taken}: `types = {{ {name} = \"{taken}\" }}` in the binding, or that type in the contract",
            taken = taken.name()
        ),
    };
    binding.complain(
        span,
        format!(
            "argument {at} of `{}` is `{}* {}`, and `{name}` is {kind}",
            kernel.name, to, parameter.name
        ),
        help,
    )
}
