//! Bindings of the built-in kernels: the TOML files beside the kernels' sources.

use std::sync::OnceLock;

use super::{Binding, parse};
use crate::files::FileError;

macro_rules! file {
    ($name:literal) => {
        (
            concat!("kernels/", $name, ".bind.toml"),
            include_str!(concat!("../../kernels/", $name, ".bind.toml")),
        )
    };
}
const FILES: &[(&str, &str)] = &[
    file!("elementwise"),
    file!("triangular"),
    file!("matrix"),
    file!("attention"),
    file!("deltanet"),
    file!("gdn"),
    file!("packed"),
    file!("gdr"),
    file!("backward"),
    file!("conv"),
    file!("ggml"),
    file!("fast_ggml"),
    file!("fast_half"),
    file!("fast_scan"),
    file!("fast_slots"),
    file!("fast_chunk"),
    file!("fast_document"),
    file!("compare"),
];

/// Returns the built-in binding of a contract that has no name: the default.
///
/// # Errors
/// An embedded file is wrong, which a test would have shown.
pub fn built_in_of(contract: &str) -> Result<Option<&'static Binding>, FileError> {
    Ok(built_in_called(contract, None)?.next())
}

/// Returns the built-in bindings of a contract that have this name, or that have none.
///
/// # Errors
/// An embedded file is wrong, which a test would have shown.
pub fn built_in_called<'n>(
    contract: &'n str,
    name: Option<&'n str>,
) -> Result<impl Iterator<Item = &'static Binding> + use<'n>, FileError> {
    let all = built_in()?.iter();
    Ok(all.filter(move |known| known.function.name == contract && known.name.as_deref() == name))
}

/// Returns every binding of the built-in kernels.
///
/// # Errors
/// An embedded file is wrong, which a test would have shown.
pub fn built_in() -> Result<&'static [Binding], FileError> {
    static READ: OnceLock<Result<Vec<Binding>, FileError>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let mut all = Vec::new();
        for (name, text) in FILES {
            all.extend(parse(name, text)?);
        }
        Ok(all)
    });
    match read {
        Ok(all) => Ok(all),
        Err(error) => Err(error.clone()),
    }
}
