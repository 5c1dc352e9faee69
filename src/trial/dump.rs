//! The tensors of a trial as .npy files, for looking at them elsewhere.
//!
//! `DIR/ID/input.NAME.npy`, `output.NAME.npy` (what the device left), `golden.NAME.npy` and `oracle.NAME.npy` (f64).

use std::fs;
use std::path::Path;

use super::Trial;
use super::buffer::Role;
use crate::files::write_atomically;
use crate::npy::{Dtype, Npy};
use crate::verdict::Axis;

/// Writes what there is. Without outputs (the launches failed) inputs and references are still worth having.
pub(super) fn write(
    dir: &Path,
    id: &str,
    trial: &Trial<'_>,
    outputs: &[Vec<f32>],
) -> Result<(), String> {
    let place = dir.join(file_name(id));
    fs::create_dir_all(&place).map_err(|error| {
        format!(
            "cannot create {}: {error}; name a directory you can write to",
            place.display()
        )
    })?;
    let save = |kind: &str, name: &str, dtype: Dtype, axes: &[Axis], data: Vec<u8>| {
        let path = place.join(format!("{kind}.{}.npy", file_name(name)));
        let shape = axes.iter().map(|axis| axis.length).collect();
        write_atomically(&path, &Npy { dtype, shape, data }.to_bytes())
            .map_err(|error| error.to_string())
    };
    for tensor in trial
        .tensors
        .iter()
        .filter(|tensor| tensor.role == Role::Input)
    {
        save(
            "input",
            &tensor.name,
            Dtype::F32,
            &tensor.axes,
            narrow(&tensor.values),
        )?;
    }
    for (position, check) in trial.checks.iter().enumerate() {
        let tensor = &trial.tensors[check.buffer.tensor];
        if let Some(got) = outputs.get(position) {
            save(
                "output",
                &tensor.name,
                Dtype::F32,
                &tensor.axes,
                narrow(got),
            )?;
        }
        save(
            "golden",
            &tensor.name,
            Dtype::F32,
            &tensor.axes,
            narrow(&check.golden),
        )?;
        let wide = check
            .oracle
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        save("oracle", &tensor.name, Dtype::F64, &tensor.axes, wide)?;
    }
    Ok(())
}

fn narrow(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// A name for every file system: the colon of a case's id becomes a dot.
fn file_name(id: &str) -> String {
    id.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "_-=,".contains(c) {
                c
            } else {
                '.'
            }
        })
        .collect()
}
