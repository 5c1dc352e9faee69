//! Linker of hipRTC: links bitcode of several programs to one code object, by the lld that belongs to the compiler.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::compiler::{Directory, FailureLog, assemble, find_or_log_compiler};
use crate::boundary::{Address, In, Text, host_bytes, host_value};
use crate::calls::module::read;
use crate::diagnostics;
use crate::handles::{Handles, Tag};
use crate::image::bundled;

/// Supported kinds of input (`hipJitInputType`): bitcode or its text, bundles of bitcode, archives of either.
const BITCODE: u32 = 100;
const BUNDLE: u32 = 101;
const ARCHIVE: u32 = 102;

/// Supported options (`hipJitOption`): the optimisation level, the compiler's options, and their number.
const LEVEL: u32 = 7;
const OPTIONS: u32 = 10_000;
const OPTION_COUNT: u32 = 10_001;

const AR_MAGIC: &[u8] = b"!<arch>\n";

/// Problem of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// Invalid argument.
    Argument,
    /// Handle of no linker object.
    Handle,
    /// Unsupported kind of input.
    Kind,
    /// No data.
    Nothing,
    /// Data of another kind than stated, or unreadable data.
    Input,
    /// Unsupported option.
    Option,
    /// Failed link. The linker's messages have been logged.
    Link,
    /// Missing compiler, or a compiler without a linker.
    NoCompiler,
}

type Result<T = ()> = std::result::Result<T, LinkError>;

/// Inputs of a link, and their results.
#[derive(Default)]
struct Link {
    inputs: Vec<Vec<u8>>,
    options: Vec<String>,
    /// Code objects that the caller has pointers to, kept until the linker object is destroyed.
    linked: Vec<Box<[u8]>>,
}

static LINKS: LazyLock<Mutex<Handles<Link>>> =
    LazyLock::new(|| Mutex::new(Handles::new(Tag::Link)));

fn links() -> MutexGuard<'static, Handles<Link>> {
    LINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads options. Each value has as many bits as a pointer.
fn options(count: u32, names: In<u32>, values: In<Address>) -> Result<Vec<String>> {
    let mut level = None;
    let (mut texts, mut text_count) = (0, 0);
    for n in 0..count as usize {
        let value = values.nth(n).map_err(|_| LinkError::Argument)?;
        match names.nth(n).map_err(|_| LinkError::Argument)? {
            LEVEL if value <= 3 => level = Some(format!("--lto-O{value}")),
            LEVEL => return Err(LinkError::Argument),
            OPTIONS => texts = value,
            OPTION_COUNT => text_count = value,
            // Other options are for other compilers.
            _ => {}
        }
    }
    let mut flags = Vec::new();
    for n in 0..text_count {
        let at = texts
            .checked_add(n.saturating_mul(8))
            .ok_or(LinkError::Argument)?;
        let text = host_value::<Text>(at).and_then(Text::get);
        flags.push(text.map_err(|_| LinkError::Argument)?);
    }
    let mut flags = translate_options(&flags)?;
    flags.extend(level);
    Ok(flags)
}

/// Translates the compiler's options to its linker's.
fn translate_options(options: &[String]) -> Result<Vec<String>> {
    let mut flags = Vec::new();
    let mut options = options.iter().map(|option| option.trim());
    while let Some(option) = options.next() {
        match option {
            "" => {}
            "-mllvm" => {
                let what = options.next().ok_or(LinkError::Option)?;
                flags.extend(["-mllvm".to_owned(), what.to_owned()]);
            }
            "-O0" | "-O1" | "-O2" | "-O3" => flags.push(format!("--lto{option}")),
            other => {
                diagnostics::log(format!("the linker of hipRTC has no option {other}"));
                return Err(LinkError::Option);
            }
        }
    }
    Ok(flags)
}

pub fn create(count: u32, names: In<u32>, values: In<Address>) -> Result<Address> {
    if count > 0 && (names.is_null() || values.is_null()) {
        return Err(LinkError::Argument);
    }
    let link = Link {
        options: options(count, names, values)?,
        ..Link::default()
    };
    Ok(links().insert(link))
}

pub fn destroy(link: Address) -> Result {
    links().remove(link).map(drop).ok_or(LinkError::Handle)
}

/// Fails for a link that does not exist, whatever its input is.
fn find(link: Address) -> Result {
    links().get(link).map(drop).ok_or(LinkError::Handle)
}

/// Fails for an unsupported kind of input.
fn check(kind: u32) -> Result {
    match kind {
        BITCODE | BUNDLE | ARCHIVE => Ok(()),
        _ => Err(LinkError::Kind),
    }
}

pub fn add_data(link: Address, kind: u32, data: Address, bytes: usize) -> Result {
    if data == 0 || bytes == 0 {
        return Err(LinkError::Nothing);
    }
    check(kind)?;
    find(link)?;
    add(
        link,
        kind,
        host_bytes(data, bytes).map_err(|_| LinkError::Argument)?,
    )
}

pub fn add_file(link: Address, kind: u32, path: Text) -> Result {
    let path = path.get().map_err(|_| LinkError::Argument)?;
    check(kind)?;
    find(link)?;
    let data = read("the linker of hipRTC", &path).map_err(|_| LinkError::Input)?;
    add(link, kind, &data)
}

fn add(link: Address, kind: u32, data: &[u8]) -> Result {
    let wrong = |what: &str| {
        diagnostics::log(format!("the linker of hipRTC: {what}"));
        LinkError::Input
    };
    let unbundled = |data| bundled(data).map_err(|_| LinkError::Input);
    let inputs = match kind {
        BITCODE => vec![data],
        BUNDLE => vec![unbundled(data)?],
        _ => members(data)
            .ok_or_else(|| wrong("what is said to be an archive is none, or cut short"))?
            .into_iter()
            .map(|member| match is_bitcode(member) {
                true => Ok(member),
                false => unbundled(member),
            })
            .collect::<Result<_>>()?,
    };
    let inputs = inputs.into_iter().map(|input| match is_bitcode(input) {
        true => Ok(input.to_vec()),
        false => text(input).ok_or_else(|| wrong("an input is neither bitcode nor its text")),
    });
    let inputs: Vec<Vec<u8>> = inputs.collect::<Result<_>>()?;
    let mut links = links();
    let link = links.get_mut(link).ok_or(LinkError::Handle)?;
    link.inputs.extend(inputs);
    Ok(())
}

fn is_bitcode(data: &[u8]) -> bool {
    const MAGIC: &[u8] = b"BC\xc0\xde";
    const WRAPPER: &[u8] = b"\xde\xc0\x17\x0b";
    data.starts_with(MAGIC) || data.starts_with(WRAPPER)
}

/// Returns the text of bitcode without the NUL at its end, or none for binary data.
fn text(data: &[u8]) -> Option<Vec<u8>> {
    let end = data.iter().rposition(|&byte| byte != 0)? + 1;
    std::str::from_utf8(&data[..end]).ok()?;
    (!data[..end].contains(&0)).then(|| data[..end].to_vec())
}

/// Returns the members of an archive, except for its tables.
fn members(archive: &[u8]) -> Option<Vec<&[u8]>> {
    const HEADER: usize = 60;
    let mut rest = archive.strip_prefix(AR_MAGIC)?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let header = rest.get(..HEADER)?;
        let size = std::str::from_utf8(&header[48..58]).ok()?.trim();
        let size: usize = size.parse().ok()?;
        let end = HEADER.checked_add(size)?;
        let member = rest.get(HEADER..end)?;
        // Tables of symbols and of long names.
        let table = [&b"/ "[..], b"// ", b"/SYM64/ "];
        if !table.iter().any(|name| header.starts_with(name)) {
            members.push(member);
        }
        // Members begin at even offsets.
        rest = rest.get(end.next_multiple_of(2)..).unwrap_or_default();
    }
    Some(members)
}

/// Links all inputs. Returns address and size of the code object.
pub fn complete(link: Address) -> Result<(Address, usize)> {
    let (inputs, options) = {
        let links = links();
        let link = links.get(link).ok_or(LinkError::Handle)?;
        (link.inputs.clone(), link.options.clone())
    };
    if inputs.is_empty() {
        return Err(LinkError::Link);
    }
    // The lock is free meanwhile, so that other threads can link.
    let linked = run(&inputs, &options)?.into_boxed_slice();
    let place = (linked.as_ptr().expose_provenance() as Address, linked.len());
    let mut links = links();
    let link = links.get_mut(link).ok_or(LinkError::Handle)?;
    link.linked.push(linked);
    Ok(place)
}

fn run(inputs: &[Vec<u8>], options: &[String]) -> Result<Vec<u8>> {
    let Ok(compiler) = find_or_log_compiler() else {
        return Err(LinkError::NoCompiler);
    };
    let failed = |error: io::Error| {
        diagnostics::log(format!("the linker of hipRTC: {error}"));
        LinkError::Link
    };
    let Some(linker) = linker(&compiler).map_err(failed)? else {
        diagnostics::log(format!(
            "the linker of hipRTC needs the lld of {}: it is not installed (Debian's packages lld-19 and so on)",
            compiler.display()
        ));
        return Err(LinkError::NoCompiler);
    };
    match link(&compiler, &linker, inputs, options).map_err(failed)? {
        Ok(code) => Ok(code),
        Err(FailureLog(log)) => {
            diagnostics::log(format!("the linker of hipRTC: {}", log.trim_end()));
            Err(LinkError::Link)
        }
    }
}

/// Returns the linker of a compiler. The compiler is asked once.
fn linker(compiler: &Path) -> io::Result<Option<PathBuf>> {
    static FOUND: Mutex<Option<HashMap<PathBuf, Option<PathBuf>>>> = Mutex::new(None);
    let mut linkers = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let linkers = linkers.get_or_insert_with(HashMap::new);
    if let Some(linker) = linkers.get(compiler) {
        return Ok(linker.clone());
    }
    let answer = Command::new(compiler)
        .arg("-print-prog-name=ld.lld")
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .output()?;
    let path = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
    let linker = path.is_file().then_some(path);
    linkers.insert(compiler.to_owned(), linker.clone());
    Ok(linker)
}

/// Links inputs. Returns the linker's messages on failure.
fn link(
    compiler: &Path,
    linker: &Path,
    inputs: &[Vec<u8>],
    options: &[String],
) -> io::Result<std::result::Result<Vec<u8>, FailureLog>> {
    let directory = Directory::new()?;
    let mut command = Command::new(linker);
    command.args(["-shared", "--no-undefined", "-plugin-opt=mcpu=gfx906"]);
    command.arg("--lto-O3").args(options);
    for (n, input) in inputs.iter().enumerate() {
        let file = if is_bitcode(input) {
            directory.write(&format!("{n}.bc"), input)?
        } else {
            let text = directory.write(&format!("{n}.ll"), input)?;
            let file = text.with_extension("bc");
            match assemble(compiler, &text, &file)? {
                Ok(()) => file,
                Err(log) => return Ok(Err(log)),
            }
        };
        command.arg(file);
    }
    let out = directory.path().join("linked.co");
    command.arg("-o").arg(&out);
    let done = command
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .output()?;
    if !done.status.success() {
        let log = String::from_utf8_lossy(&done.stderr).into_owned();
        return Ok(Err(FailureLog(log)));
    }
    std::fs::read(&out).map(Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_the_linkers() {
        let translate = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|&o| o.to_owned()).collect();
            translate_options(&options)
        };
        assert_eq!(
            translate(&["-O1", "", "-mllvm", "-x=1"]),
            Ok(vec!["--lto-O1".into(), "-mllvm".into(), "-x=1".into()])
        );
        assert_eq!(translate(&["-mllvm"]), Err(LinkError::Option));
        assert_eq!(translate(&["--version"]), Err(LinkError::Option));
    }

    #[test]
    fn archives_are_read_and_no_byte_of_them_is_trusted() {
        let member = |name: &str, data: &[u8]| {
            let mut bytes = format!("{name:<16}{:<32}{:<10}`\n", 0, data.len()).into_bytes();
            bytes.extend_from_slice(data);
            bytes.resize(bytes.len().next_multiple_of(2), b'\n');
            bytes
        };
        let parts = [
            AR_MAGIC.to_vec(),
            member("/", b"symbols"),
            member("a.bc/", b"one"),
            member("b.bc/", b"four"),
        ];
        let archive = parts.concat();
        assert_eq!(members(&archive), Some(vec![&b"one"[..], b"four"]));
        assert_eq!(members(b"no archive"), None);
        for end in AR_MAGIC.len() + 1..archive.len() {
            // No length panics, and an archive that ends within a member is refused.
            let cut = members(&archive[..end]);
            assert!(cut.is_none_or(|found| found.len() < 2 || end + 1 >= archive.len()));
        }
    }

    #[test]
    fn text_ends_before_its_nul() {
        assert_eq!(text(b"define\0\0"), Some(b"define".to_vec()));
        assert_eq!(text(b"a\0b"), None);
        assert_eq!(text(&[0xff, 0xfe]), None);
        assert_eq!(text(b"\0"), None);
    }
}
