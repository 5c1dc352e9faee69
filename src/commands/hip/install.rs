//! `hip --install`: builds the HIP runtime from the sources that this program was built from.
//!
//! `cargo install` has the sources, in a clone or in its own folder of git checkouts, and builds only programs of one package. The runtime is
//! linked from static libraries of two others, by `scripts/build-hip.sh`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::library;
use crate::exit::{Exit, Stop};
use crate::text::shown;

/// The folder that this program was built from.
const SOURCES: &str = env!("CARGO_MANIFEST_DIR");
const SCRIPT: &str = "scripts/build-hip.sh";

/// Builds the runtime in a temporary folder, and puts it into the folder of installed runtimes.
///
/// # Errors
/// The sources are gone, a step of the build fails, or the folder cannot be written.
pub fn run() -> Result<Exit, Stop> {
    let sources = Path::new(SOURCES);
    if !sources.join(SCRIPT).is_file() {
        return Err(Stop::setup(format!(
            "hip --install builds from the sources of this program, which are not there any more\n  \
             {}: no {SCRIPT}\n\
             build the program again, or install the wheel of deltanet-check, which has the runtime",
            shown(sources)
        )));
    }
    let installed = library::installed_folder()?;
    let cannot = |error| Stop::setup(format!("cannot write to {}: {error}", shown(&installed)));
    let above = installed.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(above).map_err(cannot)?;
    // In the same folder, so that the finished runtime takes its place by a rename.
    let staging = tempfile::Builder::new()
        .prefix(".deltanet-check-")
        .tempdir_in(above)
        .map_err(cannot)?;
    let build = tempfile::Builder::new()
        .prefix("deltanet-check-install-")
        .tempdir()
        .map_err(|error| Stop::setup(format!("no temporary folder: {error}")))?;
    eprintln!("building the HIP runtime from {}", shown(sources));

    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut compile = Command::new(cargo);
    compile
        .args(["build", "--release", "--locked", "--lib"])
        .args(["--package", "gfx906-hip", "--package", "gfx906-hipblas"])
        .arg("--target-dir")
        .arg(build.path());
    succeed(&mut compile, "cargo")?;
    // Without the symbols of the standard library's debugger information: a third of the bytes.
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let linked = staging.path().join("runtime");
    let mut link = Command::new("bash");
    link.arg(SCRIPT)
        .arg("--archives")
        .arg(build.path().join("release"))
        .arg("--out")
        .arg(&linked)
        .env(
            "CC",
            [compiler, OsString::from(" -s")]
                .into_iter()
                .collect::<OsString>(),
        );
    succeed(&mut link, SCRIPT)?;

    if installed.exists() {
        fs::remove_dir_all(&installed).map_err(cannot)?;
    }
    fs::rename(&linked, &installed).map_err(cannot)?;
    let found = library::find()?;
    println!("installed: {}", shown(&found));
    Ok(Exit::Passed)
}

/// Runs a command in the folder of the sources. What it prints goes to standard error.
///
/// # Errors
/// The command does not start or fails.
fn succeed(command: &mut Command, name: &str) -> Result<(), Stop> {
    let status = command
        .current_dir(SOURCES)
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Stop::setup(format!(
            "hip --install: {name} failed: {status}"
        ))),
        Err(error) => Err(Stop::setup(format!(
            "hip --install: cannot run {name}: {error}\n\
             it needs cargo, bash and a C compiler; the wheel of deltanet-check has the runtime built"
        ))),
    }
}
