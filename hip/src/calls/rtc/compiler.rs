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
use crate::diagnostics::log;
use crate::settings;

/// The option for bitcode that is linked later.
const LATER: &str = "-fgpu-rdc";
/// What names variables that hold the addresses of name expressions.
const NAME: &str = "__gfx906_name_";
/// Compilers that are looked for in `PATH`, unless `GFX906_CLANG` names one; ROCm's comes first.
const ROCM: &str = "/opt/rocm/llvm/bin/clang++";
const VERSIONS: std::ops::RangeInclusive<u32> = 15..=23;
/// Where Debian has the device library, which its own clang finds and others do not.
const DEVICE_LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
const HIP_HEADER: &str = "hip/hip_runtime.h";

/// What to do without a compiler.
const NO_COMPILER: &str = "hipRTC needs a clang that compiles HIP for gfx906, and its device library: none is installed \
                           (Debian's packages clang-19, lld-19, rocm-device-libs, libamdhip64-dev); GFX906_CLANG names one elsewhere";

/// Why there is no code.
pub enum Trouble {
    /// The source does not compile: the log says why.
    Compilation,
    /// No compiler is installed.
    NoCompiler,
    /// The host has no room, or no permission.
    Host,
}

/// A compiled program.
pub struct Compiled {
    /// Its code.
    pub code: Code,
    /// Symbols by the expressions that name them.
    pub names: HashMap<String, String>,
}

/// What a program is compiled to.
pub enum Code {
    /// A code object.
    Object(Vec<u8>),
    /// Bitcode for a later link (`-fgpu-rdc`).
    Bitcode(Vec<u8>),
}

/// A program to be compiled.
pub struct Job {
    file: String,
    source: String,
    headers: Vec<(String, String)>,
    expressions: Vec<String>,
}

/// A directory that is removed where this is dropped.
pub struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        // What is left there is no matter of the program's.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Directory {
    pub fn new() -> io::Result<Directory> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (process::id(), COUNT.fetch_add(1, Relaxed));
        let path = env::temp_dir().join(format!("gfx906-hiprtc-{process}-{count}"));
        fs::create_dir(&path)?;
        Ok(Directory(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, whose name must not lead out of the directory.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> io::Result<PathBuf> {
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

/// Makes bitcode of its text; what was said where that fails.
pub fn assemble(compiler: &Path, text: &Path, out: &Path) -> io::Result<Result<(), String>> {
    let mut command = Command::new(compiler);
    // It has been optimised where that was asked for.
    command.args([
        "--target=amdgcn-amd-amdhsa",
        "-nogpulib",
        "-c",
        "-emit-llvm",
    ]);
    command.args(["-Xclang", "-disable-llvm-passes", "-x", "ir"]);
    command.arg(text).arg("-o").arg(out);
    command.env_remove("LD_PRELOAD").stdin(Stdio::null());
    let done = command.output()?;
    let log = || String::from_utf8_lossy(&done.stderr).replace('\0', " ");
    Ok(if done.status.success() {
        Ok(())
    } else {
        Err(log())
    })
}

/// The compiler; what to install where there is none is told.
pub fn compiler_or_tell() -> Option<PathBuf> {
    let found = compiler();
    if found.is_none() {
        log(NO_COMPILER);
    }
    found
}

/// The compiler.
fn compiler() -> Option<PathBuf> {
    if let Some(named) = settings::clang() {
        return Some(named);
    }
    let rocm = PathBuf::from(ROCM);
    if rocm.exists() {
        return Some(rocm);
    }
    let path = settings::search_path()?;
    let names = VERSIONS.rev().map(|version| format!("clang++-{version}"));
    let names = names.chain(["clang++".to_owned()]);
    let places = |name: String| {
        let directories: Vec<PathBuf> = env::split_paths(&path).collect();
        directories.into_iter().map(move |d| d.join(&name))
    };
    names.flat_map(places).find(|file| file.is_file())
}

/// Options as clang has them. The processor is the program's to name; without, it is the device's.
fn translated(options: &[String]) -> Vec<String> {
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
            (None, "") => {}
            (None, other) => all.push(other.to_owned()),
        }
    }
    if !named {
        all.push("--offload-arch=gfx906".to_owned());
    }
    all
}

/// A symbol at the beginning of a text, perhaps quoted.
fn symbol_of(text: &str) -> &str {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => {
            let part = |c: char| c.is_alphanumeric() || "$._-".contains(c);
            let end = text.find(|c| !part(c)).unwrap_or(text.len());
            &text[..end]
        }
    }
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
    ///
    /// Programs for a later link keep these variables to themselves, as others have some of the same names.
    fn text(&self, later: bool) -> String {
        let linkage = if later { "static" } else { "extern \"C\"" };
        let mut text = self.source.clone();
        for (n, expression) in self.expressions.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "\n{linkage} __device__ __attribute__((used)) const void *{NAME}{n}[] = {{(const void *)({expression})}};"
            );
        }
        text.push('\n');
        text
    }

    /// Compiles it: the log, and the code or why there is none.
    pub fn run(&self, options: &[String]) -> (String, Result<Compiled, Trouble>) {
        let options = translated(options);
        let Some(compiler) = compiler_or_tell() else {
            return (NO_COMPILER.to_owned(), Err(Trouble::NoCompiler));
        };
        self.compile(&compiler, &options).unwrap_or_else(|error| {
            let compiler = compiler.display();
            let problem = format!("hipRTC, with {compiler}: {error}");
            log(&problem);
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
        let later = options.iter().any(|option| option == LATER);
        let source = directory.write(&self.file, self.text(later))?;
        let out = directory.0.join("program.co");
        let mut command = Command::new(compiler);
        command.args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"]);
        command.args(["-O3", "-std=c++17", "-include", HIP_HEADER]);
        if !compiler.starts_with("/opt/rocm") && Path::new(DEVICE_LIBRARY).is_dir() {
            command.arg("--rocm-path=/usr");
            command.arg(format!("--rocm-device-lib-path={DEVICE_LIBRARY}"));
        }
        command.arg("-I").arg(&directory.0).args(options);
        if later {
            // As text: it says what the addresses of expressions are called.
            command.args(["-S", "-emit-llvm"]);
        }
        command.arg(&source).arg("-o").arg(&out);
        // The compiler is no program of HIP's, though a library may be loaded into all.
        command.env_remove("LD_PRELOAD").stdin(Stdio::null());
        let done = command.output()?;
        let log = String::from_utf8_lossy(&done.stderr).replace('\0', " ");
        if !done.status.success() {
            return Ok((log, Err(Trouble::Compilation)));
        }
        let code = fs::read(&out)?;
        if !later {
            let names = self.names(&code);
            let code = Code::Object(code);
            return Ok((log, Ok(Compiled { code, names })));
        }
        let names = self.names_in_text(&String::from_utf8_lossy(&code));
        let bitcode = directory.0.join("program.bc");
        if let Err(more) = assemble(compiler, &out, &bitcode)? {
            return Ok((log + &more, Err(Trouble::Compilation)));
        }
        let code = Code::Bitcode(fs::read(&bitcode)?);
        Ok((log, Ok(Compiled { code, names })))
    }

    /// The same of bitcode's text, where each variable is a line: `@_ZL14__gfx906_name_0 = ... [ptr @symbol]`.
    fn names_in_text(&self, text: &str) -> HashMap<String, String> {
        let mut names = HashMap::new();
        for line in text.lines() {
            let Some((variable, value)) = line.split_once(" = ") else {
                continue;
            };
            let number = variable.split_once(NAME).map(|(_, number)| number);
            let number =
                number.and_then(|number| number.trim_end_matches('"').parse::<usize>().ok());
            let expression = number.and_then(|n| self.expressions.get(n));
            let symbol = value.split_once('@').map(|(_, symbol)| symbol_of(symbol));
            if let (Some(expression), Some(symbol)) = (expression, symbol) {
                names.insert(expression.clone(), symbol.to_owned());
            }
        }
        names
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
        assert_eq!(translate(&["-DX=1"]), ["-DX=1", "--offload-arch=gfx906"]);
        assert_eq!(
            translate(&["--gpu-architecture=gfx906:sramecc+:xnack-", " "]),
            ["--offload-arch=gfx906:sramecc+:xnack-"]
        );
    }

    #[test]
    fn names_are_found_in_bitcode() {
        let job = Job {
            file: String::new(),
            source: String::new(),
            headers: Vec::new(),
            expressions: vec!["scale<float>".into(), "&counter".into()],
        };
        let text = "@_ZL15__gfx906_name_1 = internal global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @\"a b\" to ptr)]\n\
                    @_ZL15__gfx906_name_0 = internal global [1 x ptr] [ptr @_Z5scaleIfEvPT_S0_], align 8\n\
                    @__gfx906_name_9 = internal global [1 x ptr] [ptr @x]\nno line of ours";
        let names = job.names_in_text(text);
        assert_eq!(names.len(), 2);
        assert_eq!(names["scale<float>"], "_Z5scaleIfEvPT_S0_");
        assert_eq!(names["&counter"], "a b");
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
