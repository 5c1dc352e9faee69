//! Compiler of hipRTC: a clang of the host in a temporary directory.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use gfx906::code_object::{CodeObject, SymbolKind};
use tempfile::TempDir;

use super::RtcProgram;
use crate::diagnostics::log;
use crate::settings::{self, UNTRUSTED};

/// Option for bitcode that is linked later.
const LATER: &str = "-fgpu-rdc";
/// Prefix of the variables that hold the addresses of name expressions.
const NAME: &str = "__gfx906_name_";
/// ROCm's compiler, which comes before the compilers in `PATH`. `GFX906_CLANG` comes before both.
const ROCM: &str = "/opt/rocm/llvm/bin/clang++";
const VERSIONS: std::ops::RangeInclusive<u32> = 15..=23;
/// Debian's directory of the device library, which only Debian's own clang finds by itself.
const DEVICE_LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
/// Options that name a directory of headers, as the next option or joined to it.
const INCLUDE_OPTIONS: [&str; 3] = ["-isystem", "-idirafter", "-I"];
/// Header that is included before a program's source. A card's hipRTC declares the same without an `#include`. Constants of mathematics came
/// with HIP 5.3. The groups of HIP 5 have a function that is not inline, which two programs of one link must not both define.
const PRELUDE: &str = "\
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#if !defined(__CLANG_RDC__) || HIP_VERSION_MAJOR > 5
#include <hip/hip_cooperative_groups.h>
#endif
#if __has_include(<hip/hip_math_constants.h>)
#include <hip/hip_math_constants.h>
#endif
";

/// Message for a host without a compiler.
const NO_COMPILER: &str = "hipRTC needs a clang that compiles HIP for gfx906, and its device library: none is installed \
                           (Debian's packages clang-19, lld-19, rocm-device-libs, libamdhip64-dev); GFX906_CLANG names one elsewhere";

/// Message for an untrusted program.
const OFF: &str = "hipRTC is off in an untrusted program (GFX906_UNTRUSTED=1)";

/// Reason for a failed compilation.
pub enum CompileError {
    /// The source does not compile; the log has the errors.
    Compilation,
    /// No compiler is installed.
    NoCompiler,
    /// The host has no room, or denies permission.
    Host,
}

/// Result of a compilation.
pub struct CompiledProgram {
    /// The code.
    pub code: CompiledCode,
    /// Symbols by the expressions that name them.
    pub names: HashMap<String, String>,
}

/// Form of the compiled code.
pub enum CompiledCode {
    /// A code object.
    Object(Vec<u8>),
    /// Bitcode for a later link (`-fgpu-rdc`).
    Bitcode(Vec<u8>),
}

/// Compilation of a program.
pub struct Job {
    file: String,
    source: String,
    headers: Vec<(String, String)>,
    expressions: Vec<String>,
}

/// Temporary directory, which is removed when the value is dropped.
pub struct Directory(TempDir);

impl Directory {
    pub fn new() -> io::Result<Directory> {
        let directory = tempfile::Builder::new()
            .prefix("gfx906-hiprtc-")
            .tempdir()?;
        Ok(Directory(directory))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file whose name must not lead out of the directory.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let parts = Path::new(name).components();
        let plain = |part: &Component<'_>| matches!(part, Component::Normal(_));
        let name: PathBuf = parts.filter(plain).collect();
        let path = self.0.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text)?;
        Ok(path)
    }
}

/// Messages of a compiler or a linker that refused its input.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FailureLog(pub String);

/// Converts LLVM text to bitcode. Returns the compiler's messages if that fails.
pub fn assemble(compiler: &Path, text: &Path, out: &Path) -> io::Result<Result<(), FailureLog>> {
    let mut command = Command::new(compiler);
    // The program's own compilation has optimised the text already.
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
        Err(FailureLog(log()))
    })
}

/// Finds the compiler, or logs and returns why there is none.
pub fn find_or_log_compiler() -> Result<PathBuf, &'static str> {
    let found = match UNTRUSTED.is_on() {
        true => Err(OFF),
        false => compiler().ok_or(NO_COMPILER),
    };
    found.inspect_err(|problem| log(problem))
}

/// Finds the compiler.
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

/// Translates options to clang's. The processor is the device's unless the program names one.
///
/// Some programs name the resource directory of the clang that hipcc uses. Its headers fit that clang alone, and each clang finds its own,
/// so these options are left out.
fn translate_options(options: &[String]) -> Vec<String> {
    let mut flags = Vec::new();
    let mut named = false;
    let mut options = options.iter().map(|option| option.trim()).peekable();
    while let Some(option) = options.next() {
        if INCLUDE_OPTIONS.contains(&option) {
            if options
                .next_if(|value| is_resource_directory(value))
                .is_none()
            {
                flags.push(option.to_owned());
            }
            continue;
        }
        let joined = INCLUDE_OPTIONS
            .iter()
            .find_map(|name| option.strip_prefix(name));
        if joined.is_some_and(is_resource_directory) {
            continue;
        }
        let target = ["--gpu-architecture=", "--offload-arch=", "-arch="];
        let target = target.iter().find_map(|name| option.strip_prefix(name));
        match (target, option) {
            (Some(target), _) => {
                named = true;
                flags.push(format!("--offload-arch={target}"));
            }
            (None, "") => {}
            (None, other) => flags.push(other.to_owned()),
        }
    }
    if !named {
        flags.push("--offload-arch=gfx906".to_owned());
    }
    flags
}

/// Returns true for the resource directory of a clang, or a directory in it: `/usr/lib/llvm-15/lib/clang/15.0.6/include`.
fn is_resource_directory(path: &str) -> bool {
    let path = Path::new(path);
    // A link such as `/usr/lib/clang/15` may lead there.
    let real = path.canonicalize();
    let path = real.as_deref().unwrap_or(path);
    let parts: Vec<&str> = path.iter().filter_map(OsStr::to_str).collect();
    let versioned = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    parts
        .windows(3)
        .any(|part| part[0].starts_with("lib") && part[1] == "clang" && versioned(part[2]))
}

/// Returns the symbol at the beginning of a text, which may be quoted.
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
    /// Collects the compiler's inputs from a program.
    pub fn new(program: &RtcProgram) -> Job {
        let file = Path::new(&program.name).file_name();
        let file = file.and_then(OsStr::to_str).unwrap_or("program");
        Job {
            // The suffix makes clang compile the file as HIP.
            file: format!("{file}.hip"),
            source: program.source.clone(),
            headers: program.headers.clone(),
            expressions: program.expressions.clone(),
        }
    }

    /// Returns the source with a variable for each name expression behind it. The variable holds an address, and the address has a symbol.
    ///
    /// These variables are static in programs for a later link, as several programs have variables of the same name.
    fn text(&self, later: bool) -> String {
        let linkage = if later { "static" } else { "extern \"C\"" };
        let mut text = self.source.clone();
        for (n, expression) in self.expressions.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\n{linkage} __device__ __attribute__((used)) const void *{NAME}{n}[] = {{(const void *)({expression})}};"
            );
        }
        text.push('\n');
        text
    }

    /// Compiles the program. Returns the log, and the code or the reason for the failure.
    pub fn run(&self, options: &[String]) -> (String, Result<CompiledProgram, CompileError>) {
        let options = translate_options(options);
        let compiler = match find_or_log_compiler() {
            Ok(compiler) => compiler,
            Err(problem) => return (problem.to_owned(), Err(CompileError::NoCompiler)),
        };
        self.compile(&compiler, &options).unwrap_or_else(|error| {
            let compiler = compiler.display();
            let problem = format!("hipRTC, with {compiler}: {error}");
            log(&problem);
            (problem, Err(CompileError::Host))
        })
    }

    fn compile(
        &self,
        compiler: &Path,
        options: &[String],
    ) -> io::Result<(String, Result<CompiledProgram, CompileError>)> {
        let directory = Directory::new()?;
        for (name, text) in &self.headers {
            directory.write(name, text)?;
        }
        let later = options.iter().any(|option| option == LATER);
        let source = directory.write(&self.file, self.text(later))?;
        let prelude = directory.write("__gfx906_prelude.h", PRELUDE)?;
        let out = directory.path().join("program.co");
        let mut command = Command::new(compiler);
        command.args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"]);
        command.args(["-O3", "-std=c++17", "-include"]).arg(prelude);
        if !compiler.starts_with("/opt/rocm") && Path::new(DEVICE_LIBRARY).is_dir() {
            command.arg("--rocm-path=/usr");
            command.arg(format!("--rocm-device-lib-path={DEVICE_LIBRARY}"));
        }
        command.arg("-I").arg(directory.path()).args(options);
        if later {
            // LLVM's text names the addresses of the expressions.
            command.args(["-S", "-emit-llvm"]);
        }
        command.arg(&source).arg("-o").arg(&out);
        // A HIP library that is preloaded into all programs is of no use to the compiler.
        command.env_remove("LD_PRELOAD").stdin(Stdio::null());
        let done = command.output()?;
        let log = String::from_utf8_lossy(&done.stderr).replace('\0', " ");
        if !done.status.success() {
            let log = format!("{log}hipRTC compiled with {}\n", compiler.display());
            return Ok((log, Err(CompileError::Compilation)));
        }
        let code = fs::read(&out)?;
        if !later {
            let names = self.names(&code);
            let code = CompiledCode::Object(code);
            return Ok((log, Ok(CompiledProgram { code, names })));
        }
        let names = self.names_in_text(&String::from_utf8_lossy(&code));
        let bitcode = directory.path().join("program.bc");
        if let Err(FailureLog(assembler_log)) = assemble(compiler, &out, &bitcode)? {
            return Ok((log + &assembler_log, Err(CompileError::Compilation)));
        }
        let code = CompiledCode::Bitcode(fs::read(&bitcode)?);
        Ok((log, Ok(CompiledProgram { code, names })))
    }

    /// Returns the symbols of the name expressions from LLVM's text, where each variable is a line: `@_ZL14__gfx906_name_0 = ... [ptr
    /// @symbol]`.
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

    /// Returns the symbols of the name expressions from a code object.
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
        let symbols = named.filter_map(|(n, expression)| {
            Some((expression.clone(), symbol(address(n)?)?.name.clone()))
        });
        symbols.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_clangs_and_name_a_processor() {
        let translate = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|&o| o.to_owned()).collect();
            translate_options(&options)
        };
        assert_eq!(translate(&["-DX=1"]), ["-DX=1", "--offload-arch=gfx906"]);
        assert_eq!(
            translate(&["--gpu-architecture=gfx906:sramecc+:xnack-", " "]),
            ["--offload-arch=gfx906:sramecc+:xnack-"]
        );
    }

    #[test]
    fn resource_directories_of_compilers_are_left_out() {
        let resources = "/usr/lib/llvm-15/lib/clang/15.0.6/include";
        let others = ["/usr/include", "/opt/clang/15/include", "include/lib/clang"];
        let translate = |options: &[String]| {
            let mut flags = translate_options(options);
            assert_eq!(flags.pop().as_deref(), Some("--offload-arch=gfx906"));
            flags
        };
        for option in INCLUDE_OPTIONS {
            let (apart, joined) = (
                |path: &str| vec![option.to_owned(), path.into()],
                |path: &str| vec![format!("{option}{path}")],
            );
            assert!(translate(&apart(resources)).is_empty());
            assert!(translate(&joined(&format!("{resources}/cuda_wrappers"))).is_empty());
            for other in others {
                assert_eq!(translate(&apart(other)), apart(other));
                assert_eq!(translate(&joined(other)), joined(other));
            }
        }
        // An option without its directory is the compiler's to refuse.
        assert_eq!(translate(&["-I".to_owned()]), ["-I"]);
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
        assert_eq!(path, directory.path().join("a/b.h"));
        let kept = directory.path().to_owned();
        drop(directory);
        assert!(!kept.exists());
    }
}
