//! The file that Triton writes beside a code object: `k.json` beside `k.hsaco`.
//!
//! Source: `backends/amd/compiler.py` and `driver.py` of Triton 3.5: a work-group is `warp_size * num_warps` work-items along x,
//! `shared` is the dynamic LDS, `name` the kernel, and behind the kernel's own arguments come two pointers, to scratch and to a
//! profile's scratch, which are null unless the kernel asks for some (`global_scratch_size`, `profile_scratch_size`).

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use gfx906::code_object::{Arg, ArgKind, Kernel};
use serde_json::{Map, Value as Json};

use super::argument::{ArgSpec, Part};
use super::value::Value;
use crate::commands::MAX_TEXT;
use crate::files;
use crate::text::shown;

/// Lanes of a wave, where the file does not say.
const LANES: u64 = 64;
/// The scratch that a kernel may ask for, and the pointers that Triton adds behind its own arguments where the file has the key.
const SCRATCH: [(&str, usize); 2] = [("global_scratch_size", 1), ("profile_scratch_size", 2)];

/// The file, as it was read.
#[derive(Debug)]
pub(super) struct Triton {
    path: PathBuf,
    entries: Map<String, Json>,
}

/// The file beside a code object of Triton's, if there is one.
pub(super) fn beside(code_object: &Path) -> anyhow::Result<Option<Triton>> {
    let of_triton = code_object.extension().is_some_and(|end| end == "hsaco");
    let path = code_object.with_extension("json");
    if !of_triton || !path.is_file() {
        return Ok(None);
    }
    let bytes = files::read(&path, MAX_TEXT)?;
    let entries: Map<String, Json> = serde_json::from_slice(&bytes)
        .with_context(|| format!("{}: not what Triton writes", shown(&path)))?;
    Ok(Some(Triton { path, entries }))
}

impl Triton {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn kernel(&self) -> anyhow::Result<String> {
        let name = self.entries.get("name").and_then(Json::as_str);
        name.map(str::to_owned)
            .ok_or_else(|| self.lacks("a `name`", "kernel"))
    }

    pub(super) fn block(&self) -> anyhow::Result<[u32; 3]> {
        let warps = self.entries.get("num_warps").and_then(Json::as_u64);
        let warps = warps.filter(|&warps| warps > 0);
        let warps = warps.ok_or_else(|| self.lacks("a count `num_warps`", "block"))?;
        let of_target = self
            .entries
            .get("target")
            .and_then(|target| target.get("warp_size"));
        let lanes = self.entries.get("warp_size").or(of_target);
        let lanes = lanes.map_or(Some(LANES), Json::as_u64);
        let lanes = lanes.ok_or_else(|| self.lacks("a count `warp_size`", "block"))?;
        if lanes != LANES {
            return Err(anyhow!(
                "{}: compiled for waves of {lanes} lanes, gfx906 has {LANES}: compile for gfx906",
                shown(&self.path)
            ));
        }
        let items = u32::try_from(warps.saturating_mul(lanes)).unwrap_or(u32::MAX);
        Ok([items, 1, 1])
    }

    pub(super) fn dynamic_lds(&self) -> anyhow::Result<u32> {
        let bytes = self.entries.get("shared").and_then(Json::as_u64);
        let bytes = bytes.ok_or_else(|| self.lacks("a count `shared`", "dynamic_lds"))?;
        Ok(u32::try_from(bytes).unwrap_or(u32::MAX))
    }

    fn lacks(&self, what: &str, key: &str) -> anyhow::Error {
        let path = shown(&self.path);
        anyhow!("{path}: has not {what}, as Triton writes it: give `{key}` in the launch file")
    }

    /// Gives a launch the null pointers that Triton's own launcher adds, where only those are missing.
    pub(super) fn add_hidden(
        &self,
        args: &mut Vec<ArgSpec>,
        kernel: &Kernel,
    ) -> anyhow::Result<()> {
        let missing: Vec<&Arg> = kernel.explicit_args().skip(args.len()).collect();
        let pointers = missing
            .iter()
            .all(|arg| arg.kind == ArgKind::GlobalBuffer && arg.size == 8);
        let told = SCRATCH
            .iter()
            .filter(|(key, _)| self.entries.contains_key(*key));
        let added = told.map(|(_, added)| *added).max().unwrap_or(0);
        if missing.is_empty() || missing.len() > added || !pointers {
            return Ok(());
        }
        for (key, _) in SCRATCH {
            let bytes = self.entries.get(key).and_then(Json::as_u64).unwrap_or(0);
            if bytes > 0 {
                return Err(anyhow!(
                    "the kernel uses scratch of Triton's ({key} {bytes} in {}): give buffers for all {} arguments",
                    shown(&self.path),
                    kernel.explicit_args().count()
                ));
            }
        }
        let null = || {
            ArgSpec::One(Part::Value(Value {
                kind: "u64",
                bytes: vec![0; 8],
            }))
        };
        args.extend(missing.iter().map(|_| null()));
        Ok(())
    }
}
