//! The compiler of hipRTC: a clang of the host's, in a directory of its own that is gone afterwards.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::{env, fs, io, process};

use gfx906::code_object::{CodeObject, SymbolKind};

use super::Program;
use crate::tell::tell;

/// What names variables that hold the addresses of name expressions.
const NAME: &str = "__gfx906_name_";
/// Compilers that are looked for in `PATH`, unless `GFX906_CLANG` names one; ROCm's comes first.
const ROCM: &str = "/opt/rocm/llvm/bin/clang++";
const VERSIONS: std::ops::RangeInclusive<u32> = 15..=23;
/// Where Debian has the device library, which its own clang finds and others do not.
const DEVICE_LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
const HIP_HEADER: &str = "hip/hip_runtime.h";

/// Why there is no code.
pub enum Trouble {
    /// The source does not compile: the log says why.
    Compilation,
    /// An option that cannot be had.
    Option,
    /// No compiler is installed.
    NoCompiler,
    /// The host has no room, or no permission.
    Host,
}

/// A compiled program.
pub struct Compiled {
    /// The code object.
    pub object: Vec<u8>,
    /// Symbols by the expressions that name them.
    pub names: HashMap<String, String>,
}

/// A program to be compiled.
pub struct Job {
    file: String,
    source: String,
    headers: Vec<(String, String)>,
    expressions: Vec<String>,
}

/// A directory that is removed where this is dropped.
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        // What is left there is no matter of the program's.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Directory {
    fn new() -> io::Result<Directory> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (process::id(), COUNT.fetch_add(1, Relaxed));
        let path = env::temp_dir().join(format!("gfx906-hiprtc-{process}-{count}"));
        fs::create_dir(&path)?;
        Ok(Directory(path))
    }

    /// Writes a file, whose name must not lead out of the directory.
    fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let parts = Path::new(name).components();
        let plain = |part: &Component<'_>| matches!(part, Component::Normal(_));
        let name: PathBuf = parts.filter(plain).collect();
        let path = self.0.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text)?;
        Ok(path)
    }
}

/// The compiler.
fn compiler() -> Option<PathBuf> {
    if let Some(named) = env::var_os("GFX906_CLANG").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let rocm = PathBuf::from(ROCM);
    if rocm.exists() {
        return Some(rocm);
    }
    let path = env::var_os("PATH")?;
    let names = VERSIONS.rev().map(|version| format!("clang++-{version}"));
    let names = names.chain(["clang++".to_owned()]);
    let places = |name: String| {
        let directories: Vec<PathBuf> = env::split_paths(&path).collect();
        directories.into_iter().map(move |d| d.join(&name))
    };
    names.flat_map(places).find(|file| file.is_file())
}

/// Options as clang has them. The processor is the program's to name; without, it is the device's.
fn translated(options: &[String]) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let mut named = false;
    for option in options.iter().map(|option| option.trim()) {
        let target = ["--gpu-architecture=", "--offload-arch=", "-arch="];
        let target = target.iter().find_map(|name| option.strip_prefix(name));
        match (target, option) {
            (Some(target), _) => {
                named = true;
                all.push(format!("--offload-arch={target}"));
            }
            (None, "-fgpu-rdc") => {
                return Err("option -fgpu-rdc: code for a later link is not supported".to_owned());
            }
            (None, "") => {}
            (None, other) => all.push(other.to_owned()),
        }
    }
    if !named {
        all.push("--offload-arch=gfx906".to_owned());
    }
    Ok(all)
}

impl Job {
    /// What of a program the compiler needs.
    pub fn of(program: &Program) -> Job {
        let file = Path::new(&program.name).file_name();
        let file = file.and_then(OsStr::to_str).unwrap_or("program");
        Job {
            // Whatever the name's end says, it is HIP.
            file: format!("{file}.hip"),
            source: program.source.clone(),
            headers: program.headers.clone(),
            expressions: program.expressions.clone(),
        }
    }

    /// The source, and behind it a variable for each name expression: it holds an address, and the address has a symbol.
    fn text(&self) -> String {
        let mut text = self.source.clone();
        for (n, expression) in self.expressions.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "\nextern \"C\" __device__ __attribute__((used)) const void *{NAME}{n}[] = {{(const void *)({expression})}};"
            );
        }
        text.push('\n');
        text
    }

    /// Compiles it: the log, and the code or why there is none.
    pub fn run(&self, options: &[String]) -> (String, Result<Compiled, Trouble>) {
        let options = match translated(options) {
            Ok(options) => options,
            Err(problem) => return (problem, Err(Trouble::Option)),
        };
        let Some(compiler) = compiler() else {
            let none = "hipRTC needs a clang that compiles HIP for gfx906, and its device library: none is installed \
                        (Debian's packages clang-19, lld-19, rocm-device-libs, libamdhip64-dev); GFX906_CLANG names one elsewhere";
            tell(none);
            return (none.to_owned(), Err(Trouble::NoCompiler));
        };
        self.compile(&compiler, &options).unwrap_or_else(|error| {
            let compiler = compiler.display();
            let problem = format!("hipRTC, with {compiler}: {error}");
            tell(&problem);
            (problem, Err(Trouble::Host))
        })
    }

    fn compile(
        &self,
        compiler: &Path,
        options: &[String],
    ) -> io::Result<(String, Result<Compiled, Trouble>)> {
        let directory = Directory::new()?;
        for (name, text) in &self.headers {
            directory.write(name, text)?;
        }
        let source = directory.write(&self.file, &self.text())?;
        let out = directory.0.join("program.co");
        let mut command = Command::new(compiler);
        command.args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"]);
        command.args(["-O3", "-std=c++17", "-include", HIP_HEADER]);
        if !compiler.starts_with("/opt/rocm") && Path::new(DEVICE_LIBRARY).is_dir() {
            command.arg("--rocm-path=/usr");
            command.arg(format!("--rocm-device-lib-path={DEVICE_LIBRARY}"));
        }
        command.arg("-I").arg(&directory.0);
        command.args(options).arg(&source).arg("-o").arg(&out);
        // The compiler is no program of HIP's, though a library may be loaded into all.
        command.env_remove("LD_PRELOAD").stdin(Stdio::null());
        let done = command.output()?;
        let log = String::from_utf8_lossy(&done.stderr).replace('\0', " ");
        if !done.status.success() {
            return Ok((log, Err(Trouble::Compilation)));
        }
        let object = fs::read(&out)?;
        let names = self.names(&object);
        Ok((log, Ok(Compiled { object, names })))
    }

    /// What the addresses of the expressions are called.
    fn names(&self, object: &[u8]) -> HashMap<String, String> {
        let Ok(object) = CodeObject::parse(object) else {
            return HashMap::new();
        };
        let address = |n: usize| {
            let name = format!("{NAME}{n}");
            let variable = object.symbols.iter().find(|s| s.name == name)?;
            let mut relocations = object.image.relocations.iter();
            Some(relocations.find(|r| r.offset == variable.address)?.value)
        };
        let symbol = |address: u64| {
            let kinds = [SymbolKind::Function, SymbolKind::Object];
            let here =
                |s: &&gfx906::code_object::Symbol| s.address == address && kinds.contains(&s.kind);
            object.symbols.iter().find(here)
        };
        let named = self.expressions.iter().enumerate();
        let found = named.filter_map(|(n, expression)| {
            Some((expression.clone(), symbol(address(n)?)?.name.clone()))
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_clangs_and_name_a_processor() {
        let translate = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|&o| o.to_owned()).collect();
            translated(&options)
        };
        assert_eq!(
            translate(&["-DX=1"]),
            Ok(vec!["-DX=1".into(), "--offload-arch=gfx906".into()])
        );
        assert_eq!(
            translate(&["--gpu-architecture=gfx906:sramecc+:xnack-", " "]),
            Ok(vec!["--offload-arch=gfx906:sramecc+:xnack-".into()])
        );
        assert!(translate(&["-fgpu-rdc"]).is_err());
    }

    #[test]
    fn headers_stay_within_their_directory() {
        let directory = Directory::new().expect("a directory");
        let path = directory.write("../../a/b.h", "x").expect("a file");
        assert_eq!(path, directory.0.join("a/b.h"));
        let kept = directory.0.clone();
        drop(directory);
        assert!(!kept.exists());
    }
}
