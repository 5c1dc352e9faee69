//! Files with the tensors of a trial, for other tools: a .npy file each, or all in one .safetensors.
//!
//! Each tensor has a kind and a name: `input.NAME`, `before.NAME` (the previous content of a tensor that is updated in place),
//! `output.NAME` (after the launches), `golden.NAME` and `oracle.NAME` (f64). NumPy has no bf16: in .npy files such a tensor is
//! written as the f32 of the same values, and once more as `KIND.NAME.bits`, the bits as uint16.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use safetensors::tensor::TensorView;

use super::plan::{Dump, Plan};
use super::{Trial, TrialError};
use crate::contract::Role;
use crate::files::write_atomically;
use crate::tensor::Axis;
use crate::tensor::npy::{Dtype, Npy};
use crate::tensor::{ElementKind, encode, safetensors_type};
use crate::text::{file_name, shown};

/// A tensor to be written.
struct DumpedTensor<'t> {
    kind: &'static str,
    name: &'t str,
    axes: &'t [Axis],
    element: ElementKind,
    data: Vec<u8>,
}

impl DumpedTensor<'_> {
    fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.length).collect()
    }
}

impl Dump<'_> {
    /// Writes the tensors. `outputs` is empty if the launches failed; inputs and references are written even then.
    pub(super) fn write(
        self,
        plan: &Plan<'_>,
        trial: &Trial<'_>,
        outputs: &[Vec<u8>],
    ) -> Result<(), TrialError> {
        let kept = kept(trial, outputs);
        match self {
            Dump::Npy(dir) => npy(&dir.join(file_name(&plan.case.id)), kept),
            Dump::Safetensors(path) => safetensors(path, plan, &kept),
        }
    }
}

/// Returns inputs, the previous contents of tensors updated in place, outputs and references, in this order.
fn kept<'t>(trial: &'t Trial<'_>, outputs: &[Vec<u8>]) -> Vec<DumpedTensor<'t>> {
    let given = |kind, role| {
        let tensors = trial.prepared.tensors.iter();
        let of_role = tensors.filter(move |tensor| tensor.role == role);
        of_role.filter_map(move |tensor| {
            Some(DumpedTensor {
                kind,
                name: &tensor.name,
                axes: &tensor.axes,
                element: tensor.kind,
                data: tensor.data.as_ref()?.bytes(),
            })
        })
    };
    let mut kept: Vec<DumpedTensor<'t>> = given("input", Role::Input)
        .chain(given("before", Role::Updated))
        .collect();
    for (position, check) in trial.prepared.checks.iter().enumerate() {
        let tensor = trial.tensor(check.buffer.tensor);
        let mut keep = |kind, element, data| {
            kept.push(DumpedTensor {
                kind,
                name: &check.name,
                axes: &check.axes,
                element,
                data,
            });
        };
        if let Some(got) = outputs.get(position) {
            keep("output", tensor.kind, got.clone());
        }
        keep("golden", tensor.kind, check.golden.bytes());
        keep("oracle", ElementKind::F64, encode(&check.oracle));
    }
    kept
}

fn npy(place: &Path, kept: Vec<DumpedTensor<'_>>) -> Result<(), TrialError> {
    fs::create_dir_all(place).map_err(|error| TrialError::Create {
        path: shown(place),
        error,
    })?;
    for tensor in kept {
        let name = format!("{}.{}", tensor.kind, file_name(tensor.name));
        let shape = tensor.shape();
        let write = |name: String, dtype, data| {
            let shape = shape.clone();
            let bytes = Npy { dtype, shape, data }.to_bytes();
            write_atomically(&place.join(name), &bytes)
        };
        if tensor.element == ElementKind::Bf16 {
            write(format!("{name}.npy"), Dtype::F32, widened(&tensor.data))?;
            write(format!("{name}.bits.npy"), Dtype::U16, tensor.data)?;
            continue;
        }
        write(
            format!("{name}.npy"),
            Dtype::of(tensor.element),
            tensor.data,
        )?;
    }
    Ok(())
}

/// Widens each bf16 to the f32 whose upper half it is, which also keeps the bits of a NaN.
fn widened(data: &[u8]) -> Vec<u8> {
    let halves = data.chunks_exact(2);
    halves.flat_map(|half| [0, 0, half[0], half[1]]).collect()
}

fn safetensors(path: &Path, plan: &Plan<'_>, kept: &[DumpedTensor<'_>]) -> Result<(), TrialError> {
    let text = |text: &str| text.to_string();
    let mut metadata = HashMap::from([
        (text("schema"), text("deltanet-check/export/1")),
        (text("version"), text(env!("CARGO_PKG_VERSION"))),
        (text("test"), plan.case.id.clone()),
        (text("function"), text(plan.test.function.name)),
        (text("title"), plan.test.title.clone()),
        (text("shape"), plan.case.values.to_string()),
        (text("seed"), plan.seed.to_string()),
        (text("device"), plan.device.describe().description),
        (text("code_object"), plan.program.report.path.clone()),
        (text("sha256"), plan.program.report.sha256.clone()),
    ]);
    let unusable = |error| TrialError::Encode {
        path: shown(path),
        error,
    };
    let mut views = BTreeMap::new();
    for tensor in kept {
        let name = format!("{}.{}", tensor.kind, tensor.name);
        let axes: Vec<&str> = tensor.axes.iter().map(|axis| axis.name.as_str()).collect();
        metadata.insert(format!("axes.{name}"), axes.join(","));
        let dtype = safetensors_type(tensor.element);
        let view = TensorView::new(dtype, tensor.shape(), &tensor.data).map_err(unusable)?;
        views.insert(name, view);
    }
    let bytes = safetensors::serialize(views, Some(metadata)).map_err(unusable)?;
    Ok(write_atomically(path, &bytes)?)
}
