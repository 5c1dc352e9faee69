//! The metadata of a file: the arguments of FLA's functions that change what the tensors mean.

use std::collections::HashMap;

use deltanet_reference::rule::{HeadMap, StateLayout};

use super::VectorsError;

/// The key of a norm of q and k within the kernel.
pub const NORM: &str = "use_qk_l2norm_in_kernel";
/// Keys of states whose value channels come first.
const VALUE_MAJOR: [&str; 2] = ["state_v_first", "transpose_state_layout"];
/// Keys of steps before the rule that no kernel here computes, with the tensors to store instead.
const IN_KERNEL: [(&str, &str); 3] = [
    ("use_gate_in_kernel", "the log gates as g"),
    ("use_beta_sigmoid_in_kernel", "the write strengths as beta"),
    (
        "allow_neg_eigval",
        "the write strengths as beta, doubled where the function doubles them",
    ),
];

/// Entries of the metadata that change what the tensors mean.
pub struct Metadata {
    /// The factor on the output.
    pub scale: Option<f64>,
    /// The head map; block, as FLA has it, unless the metadata says otherwise.
    pub map: HeadMap,
    /// The layout of states.
    pub layout: Option<StateLayout>,
    /// True if q and k are to be normalised first.
    pub norm: bool,
}

impl Metadata {
    /// Reads the metadata. Keys that are not known here describe the file.
    ///
    /// # Errors
    /// A known key has a value that it cannot have, or asks for what no kernel here computes.
    pub fn read(text: Option<&HashMap<String, String>>) -> Result<Metadata, VectorsError> {
        // Python writes `None` for an argument that is left out.
        let get = |key: &str| {
            let text = text.and_then(|text| text.get(key)).map(|text| text.trim());
            text.filter(|text| !matches!(*text, "None" | "none" | ""))
        };
        let error = |key: &'static str, text: &str, wanted| VectorsError::Metadata {
            key,
            text: text.escape_debug().to_string(),
            wanted,
        };
        let flag = |key: &'static str| match get(key) {
            None | Some("False" | "false" | "0") => Ok(false),
            Some("True" | "true" | "1") => Ok(true),
            Some(text) => Err(error(key, text, "true or false")),
        };
        let scale = match get("scale") {
            None => None,
            Some(text) => {
                let scale = text.parse().ok().filter(|x: &f64| x.is_finite());
                Some(scale.ok_or_else(|| error("scale", text, "a number"))?)
            }
        };
        let map = match get("map") {
            None | Some("block") => HeadMap::Block,
            Some("tiled") => HeadMap::Tiled,
            Some(text) => return Err(error("map", text, "block or tiled")),
        };
        for (key, instead) in IN_KERNEL {
            if flag(key)? {
                return Err(VectorsError::InKernel { key, instead });
            }
        }
        let mut layout = None;
        for key in VALUE_MAJOR {
            if flag(key)? {
                layout = Some(StateLayout::ValueMajor);
            }
        }
        Ok(Metadata {
            scale,
            map,
            layout,
            norm: flag(NORM)?,
        })
    }
}
