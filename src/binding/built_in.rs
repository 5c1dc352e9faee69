//! How the built-in kernels are launched: the files beside their sources.

use std::sync::OnceLock;

use super::{Binding, parse};
use crate::exit::Stop;

macro_rules! file {
    ($name:literal) => {
        (
            concat!("kernels/", $name, ".bind.toml"),
            include_str!(concat!("../../kernels/", $name, ".bind.toml")),
        )
    };
}
const FILES: [(&str, &str); 7] = [
    file!("elementwise"),
    file!("triangular"),
    file!("matrix"),
    file!("attention"),
    file!("deltanet"),
    file!("gdn"),
    file!("gdr"),
];

/// How the built-in kernels compute a contract.
///
/// # Errors
/// A file is wrong, which a test would have shown.
pub fn built_in_of(contract: &str) -> Result<Option<&'static Binding>, Stop> {
    let mut all = built_in()?.iter();
    Ok(all.find(|binding| binding.function.name == contract))
}

/// Every binding of the built-in kernels.
///
/// # Errors
/// A file is wrong, which a test would have shown.
pub fn built_in() -> Result<&'static [Binding], Stop> {
    static READ: OnceLock<Result<Vec<Binding>, Stop>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let mut all = Vec::new();
        for (name, text) in FILES {
            all.extend(parse(name, text)?);
        }
        Ok(all)
    });
    match read {
        Ok(all) => Ok(all),
        Err(stop) => Err(stop.clone()),
    }
}
