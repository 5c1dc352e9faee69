//! Resolution of one launch at a case, checked against the code object: kernel, grid, block, argument bytes.

use std::sync::Arc;

use gfx906::code_object::{
    Arg, ArgKind, CodeObject, Kernarg, Kernel, LaunchShape, MAX_LDS, ShapeProblem,
};

use super::arguments::{Piece, pieces};
use super::formula::{Formula, Trouble};
use super::resolve::{AddressSlot, Call, CodeObjectRole, Objects, Origin, TensorOffset};
use super::scope::Scope;
use super::symbol::{Symbol, find};
use super::value::{Value, integer};
use super::{ArgSpec, Binding, FileValue, LaunchSpec};
use crate::files::FileError;

/// Bytes of an address in the kernarg segment.
const ADDRESS: usize = 8;

impl Binding {
    pub(super) fn call(
        &self,
        objects: Objects<'_>,
        scope: &Scope<'_>,
        launch: &LaunchSpec,
    ) -> Result<Call, FileError> {
        scope.asked.set(false);
        let (kernel, home) = self.kernel(objects, scope, &launch.symbol, launch.planted)?;
        let grid = self.sides(scope, &launch.grid, "grid", u128::from(u32::MAX) >> 1)?;
        let block = self.sides(scope, &launch.block, "block", 1024)?;
        let dynamic_lds = match &launch.dynamic_lds {
            Some(formula) => self.bytes(scope, formula)?,
            None => 0,
        };
        self.shape_fits(kernel, launch, (grid, block, dynamic_lds))?;
        self.owners_fit(scope, launch)?;
        let (kernarg, slots) = self.lay_out(kernel, scope, &launch.args)?;
        Ok(Call {
            kernel: kernel.name.clone(),
            home,
            grid,
            block,
            dynamic_lds,
            kernarg,
            slots,
            late: scope.asked.get(),
            origin: Origin {
                launch: Arc::new(launch.clone()),
                locals: scope.locals.clone(),
            },
        })
    }

    /// Finds the kernel that a symbol means. A symbol of a planted bug may name a kernel of the planted code object.
    fn kernel<'o>(
        &self,
        objects: Objects<'o>,
        scope: &Scope<'_>,
        symbol: &FileValue<Symbol>,
        planted: bool,
    ) -> Result<(&'o Kernel, CodeObjectRole), FileError> {
        let wanted = symbol
            .value
            .at(scope)
            .map_err(|trouble| self.source.error(&symbol.span, trouble))?;
        let beside = objects.planted.filter(|_| planted);
        let exact = |object: &'o CodeObject| object.kernels.iter().find(|one| one.name == wanted);
        if let Some(kernel) = exact(objects.tested) {
            return Ok((kernel, CodeObjectRole::Tested));
        }
        if let Some(kernel) = beside.and_then(exact) {
            return Ok((kernel, CodeObjectRole::Planted));
        }
        let within = |object: &'o CodeObject| {
            let names = object.kernels.iter().map(|kernel| kernel.name.as_str());
            find(&wanted, names).map(|name| object.kernel(name))
        };
        let found = match (within(objects.tested), beside) {
            (Err(missing), Some(object)) => within(object)
                .map(|kernel| (kernel, CodeObjectRole::Planted))
                .map_err(|_| missing),
            (found, _) => found.map(|kernel| (kernel, CodeObjectRole::Tested)),
        };
        match found {
            Ok((Some(kernel), home)) => Ok((kernel, home)),
            Ok((None, _)) => self.complain(
                &symbol.span,
                format!("the code object has no kernel `{wanted}`"),
                "`deltanet-check inspect` lists them",
            ),
            Err((title, help)) => self.complain(&symbol.span, title, help),
        }
    }

    /// Checks that a kernel which replaces another takes the same arguments, byte by byte.
    pub(super) fn same_arguments(
        &self,
        objects: Objects<'_>,
        scope: &Scope<'_>,
        honest: &FileValue<Symbol>,
        planted: &LaunchSpec,
    ) -> Result<(), FileError> {
        let (honest, _) = self.kernel(objects, scope, honest, false)?;
        let (wrong, _) = self.kernel(objects, scope, &planted.symbol, true)?;
        let takes = |kernel: &Kernel| -> Vec<(u32, u32)> {
            let args = kernel.explicit_args();
            args.map(|arg| (arg.offset, arg.size)).collect()
        };
        if takes(honest) == takes(wrong) {
            return Ok(());
        }
        let args = |kernel: &Kernel| listed(&kernel.explicit_args().collect::<Vec<_>>());
        let title = format!(
            "`{}` does not take the arguments of `{}`",
            wrong.name, honest.name
        );
        let help = format!(
            "it takes {}; `{}` takes {}: change a launch by its `symbol` and `args`",
            args(wrong),
            honest.name,
            args(honest)
        );
        self.complain(&planted.symbol.span, title, help)
    }

    fn sides(
        &self,
        scope: &Scope<'_>,
        formulas: &[FileValue<Formula>],
        what: &str,
        most: u128,
    ) -> Result<[u32; 3], FileError> {
        let mut sides = [1; 3];
        for (side, formula) in sides.iter_mut().zip(formulas) {
            let number = self.whole(scope, formula)?;
            let fits = u128::try_from(number).is_ok_and(|number| (1..=most).contains(&number));
            match u32::try_from(number).ok().filter(|_| fits) {
                Some(number) => *side = number,
                None => {
                    let title = format!("a side of the {what} is {number}");
                    return self.complain(
                        &formula.span,
                        title,
                        format!("give 1 to {most}, or leave the case out with `when`"),
                    );
                }
            }
        }
        Ok(sides)
    }

    /// Checks that each `owner` names a tensor and that its formulas give numbers.
    fn owners_fit(&self, scope: &Scope<'_>, launch: &LaunchSpec) -> Result<(), FileError> {
        for (name, sides) in &launch.owners {
            if !matches!(scope.name(&name.value), Some(Value::Pointer(..))) {
                let names: Vec<&str> = scope.shapes.iter().map(|shape| &*shape.name).collect();
                let title = format!("`{}` is no tensor", name.value);
                let help = format!("its tensors are {}", names.join(", "));
                let trouble = Trouble::new(&(0..0), title, help);
                return Err(self.source.error(&name.span, trouble));
            }
            let mut first = Scope::new(self.function, scope.values, scope.shapes, scope.lets);
            first.locals.clone_from(&scope.locals);
            first.locals.push(("i".into(), integer(0)));
            for side in sides {
                let number = first.number(&side.value).and_then(|value| {
                    let help = "give a number: element `i` is that of work-item i % N, say";
                    let float = value.float();
                    float.map_err(|why| Trouble::new(&side.value.at, why, help))
                });
                number.map_err(|trouble| self.source.error(&side.span, trouble))?;
            }
        }
        Ok(())
    }

    /// Evaluates a number of bytes of LDS, which must fit into 32 bits.
    fn bytes(&self, scope: &Scope<'_>, formula: &FileValue<Formula>) -> Result<u32, FileError> {
        let bytes = self.whole(scope, formula)?;
        u32::try_from(bytes).or_else(|_| {
            let title = format!("{bytes} bytes of dynamic LDS");
            let help = format!("a work-group has {MAX_LDS} bytes in all");
            self.complain(&formula.span, title, help)
        })
    }

    /// Checks the grid and the block against the kernel's and the hardware's limits.
    fn shape_fits(
        &self,
        kernel: &Kernel,
        launch: &LaunchSpec,
        (grid, block, dynamic_lds): ([u32; 3], [u32; 3], u32),
    ) -> Result<(), FileError> {
        let shape = LaunchShape {
            grid,
            block,
            dynamic_lds: dynamic_lds.into(),
        };
        let Err(error) = shape.check(kernel) else {
            return Ok(());
        };
        let sides = |sides: &[FileValue<Formula>]| match (sides.first(), sides.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => launch.span.clone(),
        };
        let (span, help) = match error.problem {
            ShapeProblem::Empty { .. } | ShapeProblem::Grid { .. } => (
                sides(&launch.grid),
                "give fewer work-groups, or leave the case out with `when`",
            ),
            ShapeProblem::Lds { .. } => (
                launch
                    .dynamic_lds
                    .as_ref()
                    .map_or_else(|| launch.span.clone(), |formula| formula.span.clone()),
                "give fewer bytes, or leave the case out with `when`",
            ),
            ShapeProblem::Scratch { .. } => (launch.symbol.span.clone(), "build it again"),
            ShapeProblem::Block { .. }
            | ShapeProblem::Bounds { .. }
            | ShapeProblem::Required { .. } => (
                sides(&launch.block),
                "give a block that it was compiled for, or leave the case out with `when`",
            ),
        };
        self.complain(&span, error.to_string(), help)
    }

    fn lay_out(
        &self,
        kernel: &Kernel,
        scope: &Scope<'_>,
        args: &FileValue<Vec<FileValue<ArgSpec>>>,
    ) -> Result<(Vec<u8>, Vec<AddressSlot>), FileError> {
        let wanted: Vec<&Arg> = kernel.explicit_args().collect();
        let takes = || format!("it takes {}", listed(&wanted));
        let mut kernarg = match Kernarg::new(kernel, args.value.len()) {
            Ok(kernarg) => kernarg,
            Err(error) => return self.complain(&args.span, error.to_string(), takes()),
        };
        let mut slots = Vec::new();
        for (position, (arg, spec)) in wanted.iter().zip(&args.value).enumerate() {
            let pieces = pieces(&spec.value, scope)
                .map_err(|trouble| self.source.error(&spec.span, trouble))?;
            let size: usize = pieces.iter().map(Piece::size).sum();
            let pointer = matches!(pieces[..], [Piece::Pointer(..)])
                || matches!(&spec.value, ArgSpec::Pointer(_));
            let kind_fits = match arg.kind {
                ArgKind::GlobalBuffer => pointer,
                _ => true,
            };
            if size != arg.size as usize || !kind_fits {
                let title = format!(
                    "argument {position} of `{}` is {}, this is {}",
                    kernel.name,
                    described(arg),
                    given(&spec.value, size)
                );
                return self.complain(&spec.span, title, takes());
            }
            let (mut bytes, mut within) = (Vec::with_capacity(size), Vec::new());
            for piece in pieces {
                match piece {
                    Piece::Bytes(piece) => bytes.extend(piece),
                    Piece::Pointer(tensor, offset) => {
                        within.push((bytes.len(), self.place(scope, spec, tensor, offset)?));
                        // The address is filled in when the tensor has been allocated.
                        bytes.extend([0; ADDRESS]);
                    }
                }
            }
            let first = match kernarg.put(position, &bytes) {
                Ok(first) => first,
                Err(error) => return self.complain(&spec.span, error.to_string(), takes()),
            };
            slots.extend(within.into_iter().map(|(at, place)| AddressSlot {
                at: first + at,
                place,
            }));
        }
        Ok((kernarg.into_bytes(), slots))
    }

    fn place(
        &self,
        scope: &Scope<'_>,
        spec: &FileValue<ArgSpec>,
        tensor: String,
        offset: i128,
    ) -> Result<TensorOffset, FileError> {
        let shape = scope.shape(&tensor);
        let bytes = shape.map_or(0, |shape| shape.layout.count * shape.kind.size());
        match u64::try_from(offset)
            .ok()
            .filter(|offset| *offset <= bytes as u64)
        {
            Some(offset) => Ok(TensorOffset { tensor, offset }),
            None => self.complain(
                &spec.span,
                format!("{offset} bytes behind the first of `{tensor}`"),
                format!("it has {bytes} bytes"),
            ),
        }
    }
}

/// Describes an argument as the code object's metadata has it.
pub fn described(arg: &Arg) -> String {
    let kind = match &arg.kind {
        ArgKind::GlobalBuffer => "pointer".to_owned(),
        ArgKind::ByValue => format!("{} bytes", arg.size),
        other => format!("{other:?}"),
    };
    match &arg.name {
        Some(name) => format!("{kind} `{name}`"),
        None => kind,
    }
}

fn listed(args: &[&Arg]) -> String {
    let args: Vec<String> = args.iter().map(|arg| described(arg)).collect();
    args.join(", ")
}

fn given(spec: &ArgSpec, size: usize) -> String {
    match spec {
        ArgSpec::Pointer(_) => "a pointer".into(),
        ArgSpec::Struct(_) => format!("a struct of {size} bytes"),
        _ => format!("{size} bytes"),
    }
}
