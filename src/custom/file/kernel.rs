//! Reading the launch of a reference kernel.

use std::sync::Arc;

use super::{Reader, derived_sizes};
use crate::binding::{describe, parse_for};
use crate::contract::{Function, Instance};
use crate::custom::declaration::Declaration;
use crate::custom::kernel::ReferenceKernel;
use crate::custom::reference::Reference;
use crate::custom::results::Results;
use crate::custom::values::Class;
use crate::document::{Complaint, SpannedValue, Table, bad, string, unknown};
use crate::files::FileError;
use crate::program::Program;
use crate::tensor::ElementKind;

/// Keys of the launch. Those after the first two are keys of a binding's launch.
const KEYS: [&str; 7] = [
    "code_object",
    "type",
    "symbol",
    "grid",
    "block",
    "args",
    "dynamic_lds",
];

impl Reader<'_, '_> {
    /// Reads `kernel = { code_object = "naive.co", symbol = "norm_f64", grid = [...], block = [...], args = [...] }`. The kernel takes the
    /// tensors of floats in one type, f64 if `type` names no other.
    pub(super) fn reference_kernel(
        &mut self,
        value: SpannedValue<'_>,
        mut declaration: Declaration,
        skeleton: Function,
    ) -> Option<Reference> {
        let table = Table::of("reference kernel", value, &KEYS, self.out)?;
        let kind = match table.get("type") {
            None => ElementKind::F64,
            Some(at) => match string(at, self.out)? {
                "f64" => ElementKind::F64,
                "f32" => ElementKind::F32,
                other => {
                    let known = ["f64", "f32"];
                    self.out
                        .push(unknown(at.span(), "type of a reference", other, &known));
                    return None;
                }
            },
        };
        let at = table.need("code_object", "`code_object = \"FILE.co\"`", self.out)?;
        let named = string(at, self.out)?;
        let path = self.place(at, named)?;
        let path = std::path::absolute(&path).unwrap_or(path);
        let program = match Program::read(&path) {
            Ok(program) => program,
            Err(error) => {
                let title = error.to_string();
                self.out.push(bad(
                    at,
                    &title,
                    "not usable",
                    "the path starts from the folder of the contract's file",
                ));
                return None;
            }
        };
        for tensor in &mut declaration.tensors {
            if tensor.kind.is_float() {
                tensor.kind = kind;
            }
            // The inputs of a run are given.
            tensor.classes = vec![Class::zero()];
        }
        let declaration: &'static Declaration = Box::leak(Box::new(declaration));
        let plain: &'static Function = Box::leak(Box::new(skeleton));
        let function: &'static Function = Box::leak(Box::new(Function {
            run: Box::leak(Box::new(|t: &mut Instance<'_>| declaration.run(t))),
            derived: derived_sizes(declaration, plain),
            ..*plain
        }));
        // The launch is a binding of its own, in the words of the file.
        let mut text = format!(
            "schema = 1\n[[binding]]\ncontract = \"{}\"\n",
            function.name
        );
        for (key, value) in table.entries() {
            let key = key.get_ref().as_ref();
            if !["code_object", "type"].contains(&key) {
                let written = self.source.text.get(value.span()).unwrap_or_default();
                text += &format!("{key} = {written}\n");
            }
        }
        let mut refused = |title: String| {
            self.out.push(Complaint {
                span: value.span(),
                title,
                label: "this launch".into(),
                help:
                    "write `symbol`, `grid`, `block` and `args` as in a binding (docs/bindings.md)"
                        .into(),
            });
        };
        let bindings = match parse_for(&self.source.name, &text, &[function]) {
            Ok(bindings) => bindings,
            Err(FileError::Diagnostic(error) | FileError::Unusable(error)) => {
                let first = error.lines().next().unwrap_or_default();
                refused(first.trim_start_matches("error: ").to_owned());
                return None;
            }
        };
        let tensors = describe(function, &[], &[]);
        let (Some(binding), Some(tensors)) = (bindings.into_iter().next(), tensors) else {
            refused("the launch cannot be read".into());
            return None;
        };
        Some(Reference::Kernel(Box::new(ReferenceKernel {
            source: Arc::clone(self.source),
            span: value.span(),
            function,
            binding,
            tensors,
            program,
            path,
            runner: self.runner,
            results: Results::default(),
        })))
    }
}
