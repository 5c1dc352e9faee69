//! The launch file: which kernels run on which buffers with which arguments.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gfx906::machine::Limits;

use super::json::{Json, Node};
use super::value::{self, Value};
use crate::commands::{did_you_mean, read_file};
use crate::npy::{DTYPES, Dtype};

/// Buffers together may take this much of the host's memory.
const MAX_BUFFERS: u64 = 4 << 30;

/// A launch file; paths are resolved against its directory.
#[derive(Debug)]
pub(super) struct LaunchFile {
    pub(super) code_object: PathBuf,
    pub(super) buffers: Vec<Buffer>,
    pub(super) launches: Vec<LaunchSpec>,
    pub(super) limits: Limits,
}

#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) save: Option<PathBuf>,
    /// The type of the elements of a saved `.npy`, where it is given.
    pub(super) dtype: Option<Dtype>,
}

/// What a buffer holds before the first launch.
#[derive(Debug)]
pub(super) enum Source {
    File(PathBuf),
    Poison(u64),
    Zero(u64),
}

#[derive(Debug)]
pub(super) struct LaunchSpec {
    pub(super) kernel: String,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) dynamic_lds: u32,
    pub(super) args: Vec<ArgSpec>,
}

#[derive(Debug)]
pub(super) enum ArgSpec {
    /// The index of a buffer.
    Buffer(usize),
    Value(Value),
}

/// Reads a launch file.
pub(super) fn read(path: &Path) -> anyhow::Result<LaunchFile> {
    let bytes = read_file(path)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    parse(&bytes, directory).with_context(|| path.display().to_string())
}

fn parse(bytes: &[u8], directory: &Path) -> anyhow::Result<LaunchFile> {
    let json: Json = serde_json::from_slice(bytes).context("not a launch file")?;
    let root = Node::root(&json).object(&["code_object", "buffers", "launches", "limits"])?;
    let code_object = directory.join(file_name(root.require("code_object")?)?);
    let buffers = match root.get("buffers") {
        Some(node) => buffers(node, directory)?,
        None => Vec::new(),
    };
    let node = root.require("launches")?;
    let launches: Vec<_> = node
        .array()?
        .iter()
        .map(|node| launch(node, &buffers))
        .collect::<Result<_, _>>()?;
    if launches.is_empty() {
        return Err(node.error("empty: name a kernel to run"));
    }
    let limits = root
        .get("limits")
        .map_or_else(|| Ok(Limits::default()), limits)?;
    Ok(LaunchFile {
        code_object,
        buffers,
        launches,
        limits,
    })
}

fn file_name<'a>(node: &Node<'a>) -> anyhow::Result<&'a str> {
    match node.string()? {
        "" => Err(node.error("empty: name a file")),
        name => Ok(name),
    }
}

fn buffers(node: &Node<'_>, directory: &Path) -> anyhow::Result<Vec<Buffer>> {
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut total = 0u64;
    for (name, node) in node.entries()? {
        if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(node.error("the name of a buffer is one word"));
        }
        let buffer = buffer(name, &node, directory)?;
        if let Source::Poison(bytes) | Source::Zero(bytes) = buffer.source {
            total = total.saturating_add(bytes);
            if total > MAX_BUFFERS {
                return Err(node.error(format_args!(
                    "buffers of {total} bytes together are over the limit of {MAX_BUFFERS}"
                )));
            }
        }
        if let Some(other) = buffers
            .iter()
            .find(|other| other.save.is_some() && other.save == buffer.save)
        {
            return Err(node.error(format_args!("saved to the same file as `{}`", other.name)));
        }
        buffers.push(buffer);
    }
    Ok(buffers)
}

fn buffer(name: &str, node: &Node<'_>, directory: &Path) -> anyhow::Result<Buffer> {
    let object = node.object(&["file", "bytes", "fill", "save", "dtype"])?;
    let source = match (object.get("file"), object.get("bytes"), object.get("fill")) {
        (Some(file), None, None) => Source::File(directory.join(file_name(file)?)),
        (None, Some(bytes), fill) => {
            let bytes = bytes.u64()?;
            match fill
                .map(|fill| Ok::<_, anyhow::Error>((fill, fill.string()?)))
                .transpose()?
            {
                None | Some((_, "poison")) => Source::Poison(bytes),
                Some((_, "zero")) => Source::Zero(bytes),
                Some((fill, other)) => {
                    return Err(fill.error(format_args!(
                        "unknown fill `{}`; there is: poison, zero",
                        other.escape_debug()
                    )));
                }
            }
        }
        (Some(_), _, _) => {
            return Err(node.error(
                "has `file`, so its size and content are known: remove `bytes` and `fill`",
            ));
        }
        (None, None, _) => return Err(node.error("needs `file`, or `bytes` and `fill`")),
    };
    let save = object
        .get("save")
        .map(|save| Ok::<_, anyhow::Error>(directory.join(file_name(save)?)))
        .transpose()?;
    let dtype = object.get("dtype").map(dtype).transpose()?;
    Ok(Buffer {
        name: name.to_owned(),
        source,
        save,
        dtype,
    })
}

fn dtype(node: &Node<'_>) -> anyhow::Result<Dtype> {
    let name = node.string()?;
    Dtype::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = DTYPES.iter().map(|row| row.0).collect();
        node.error(format_args!(
            "unknown type `{}`; there is: {}",
            name.escape_debug(),
            names.join(" ")
        ))
    })
}

fn launch(node: &Node<'_>, buffers: &[Buffer]) -> anyhow::Result<LaunchSpec> {
    let object = node.object(&["kernel", "grid", "block", "dynamic_lds", "args"])?;
    let args = match object.get("args") {
        Some(args) => args
            .array()?
            .iter()
            .map(|node| arg(node, buffers))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(LaunchSpec {
        kernel: object.require("kernel")?.string()?.to_owned(),
        grid: counts(object.require("grid")?)?,
        block: counts(object.require("block")?)?,
        dynamic_lds: object.get("dynamic_lds").map_or(Ok(0), Node::u32)?,
        args,
    })
}

fn counts(node: &Node<'_>) -> anyhow::Result<[u32; 3]> {
    let items = node.array()?;
    let [x, y, z] = items.as_slice() else {
        return Err(node.error(format_args!(
            "should be three counts (x, y, z), has {}",
            items.len()
        )));
    };
    let counts = [x.u32()?, y.u32()?, z.u32()?];
    if counts.contains(&0) {
        return Err(node.error(format_args!("{counts:?} has a 0: nothing would run")));
    }
    Ok(counts)
}

fn arg(node: &Node<'_>, buffers: &[Buffer]) -> anyhow::Result<ArgSpec> {
    let Json::String(text) = node.json else {
        return Ok(ArgSpec::Value(value::parse(node)?));
    };
    let Some(name) = text.strip_prefix('$') else {
        let text = text.escape_debug();
        return Err(node.error(format_args!(
            "`{text}` is neither a buffer (`${text}`) nor a value (as {{\"i32\": 5}})"
        )));
    };
    buffers
        .iter()
        .position(|buffer| buffer.name == name)
        .map(ArgSpec::Buffer)
        .ok_or_else(|| {
            let nearest = did_you_mean(name, buffers.iter().map(|buffer| buffer.name.as_str()));
            node.error(format_args!("no buffer `{}`{nearest}", name.escape_debug()))
        })
}

fn limits(node: &Node<'_>) -> anyhow::Result<Limits> {
    let object = node.object(&["instructions", "seconds"])?;
    let mut limits = Limits::default();
    if let Some(node) = object.get("instructions") {
        limits.instructions = node.u64()?;
        if limits.instructions == 0 {
            return Err(node.error("0: nothing could run"));
        }
    }
    if let Some(node) = object.get("seconds") {
        limits.seconds = node.f64()?;
        if limits.seconds.is_nan() || limits.seconds <= 0.0 {
            return Err(node.error("should be more than 0"));
        }
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        format!(
            "{:#}",
            parse(text.as_bytes(), Path::new("/dir")).expect_err("unusable")
        )
    }

    /// A launch file with these buffers and arguments, otherwise right.
    fn with(buffers: &str, args: &str) -> String {
        format!(
            r#"{{"code_object": "x.co", "buffers": {{{buffers}}},
                "launches": [{{"kernel": "k", "grid": [4, 1, 1], "block": [64, 1, 1], "args": [{args}]}}]}}"#
        )
    }

    #[test]
    fn the_whole_of_it() {
        let text = r#"{ "code_object": "x.co",
          "buffers": { "in": {"file": "in.bin"}, "out": {"bytes": 4096, "fill": "poison", "save": "/abs/out.bin"} },
          "launches": [ {"kernel": "k", "grid": [4,2,1], "block": [64,1,1], "dynamic_lds": 16,
                         "args": ["$in", "$out", {"i32": 5}, {"f32": 1.0}, {"raw": "00ff"}]} ],
          "limits": {"instructions": 1000000000, "seconds": 6.5} }"#;
        let file = parse(text.as_bytes(), Path::new("/dir")).expect("usable");
        assert_eq!(file.code_object, Path::new("/dir/x.co"));
        assert!(
            matches!(&file.buffers[0].source, Source::File(path) if path == Path::new("/dir/in.bin"))
        );
        assert!(matches!(&file.buffers[1].source, Source::Poison(4096)));
        assert_eq!(
            file.buffers[1].save.as_deref(),
            Some(Path::new("/abs/out.bin"))
        );
        let launch = &file.launches[0];
        assert_eq!(
            (
                launch.kernel.as_str(),
                launch.grid,
                launch.block,
                launch.dynamic_lds
            ),
            ("k", [4, 2, 1], [64, 1, 1], 16)
        );
        assert!(matches!(
            launch.args[..2],
            [ArgSpec::Buffer(0), ArgSpec::Buffer(1)]
        ));
        let ArgSpec::Value(raw) = &launch.args[4] else {
            panic!("a value")
        };
        assert_eq!(raw.bytes, [0, 0xff]);
        assert_eq!(
            (file.limits.instructions, file.limits.seconds),
            (1_000_000_000, 6.5)
        );
    }

    #[test]
    fn keys() {
        assert!(error("").starts_with("not a launch file: EOF while parsing"));
        assert!(error("[]").starts_with("the launch file: should be an object, is an array"));
        assert_eq!(
            error(r#"{"launches": []}"#),
            "the launch file: has no `code_object`"
        );
        assert_eq!(
            error(r#"{"code_object": "x", "launches": []}"#),
            "launches: empty: name a kernel to run"
        );
        assert_eq!(
            error(r#"{"code_object": "x", "lanches": []}"#),
            "the launch file: unknown key `lanches` (did you mean `launches`?); there is: code_object, buffers, launches, limits"
        );
        assert!(
            error(r#"{"code_object": "x", "code_object": "y"}"#)
                .contains("key `code_object` given twice at line 1")
        );
        assert!(
            error(&with(r#""a": {"bytes": 4}, "a": {"bytes": 8}"#, ""))
                .contains("key `a` given twice")
        );
    }

    #[test]
    fn buffers() {
        let buffer = |text: &str| error(&with(&format!(r#""out": {{{text}}}"#), ""));
        assert_eq!(
            buffer(r#""byts": 4"#),
            "buffers.out: unknown key `byts` (did you mean `bytes`?); there is: file, bytes, fill, save, dtype"
        );
        assert_eq!(
            buffer(""),
            "buffers.out: needs `file`, or `bytes` and `fill`"
        );
        assert!(
            buffer(r#""file": "a", "bytes": 4"#)
                .starts_with("buffers.out: has `file`, so its size")
        );
        assert_eq!(
            buffer(r#""bytes": 4, "fill": "ones""#),
            "buffers.out.fill: unknown fill `ones`; there is: poison, zero"
        );
        assert_eq!(
            buffer(r#""bytes": -4"#),
            "buffers.out.bytes: should be a whole number, not negative, is -4"
        );
        assert!(
            buffer(r#""bytes": 1e30"#).starts_with("buffers.out.bytes: should be a whole number")
        );
        assert!(
            buffer(r#""bytes": 18446744073709551615"#).contains("are over the limit of 4294967296")
        );
        assert!(
            buffer(r#""bytes": 4, "dtype": "float""#)
                .starts_with("buffers.out.dtype: unknown type `float`; there is: i8")
        );
        let twice = r#""a": {"bytes": 4, "save": "o"}, "b": {"bytes": 4, "save": "o"}"#;
        assert_eq!(
            error(&with(twice, "")),
            "buffers.b: saved to the same file as `a`"
        );
    }

    #[test]
    fn launches() {
        let launch = |text: &str| {
            error(&format!(
                r#"{{"code_object": "x", "launches": [{{"kernel": "k", {text}}}]}}"#
            ))
        };
        assert_eq!(
            launch(r#""grid": [1, 1, 1]"#),
            "launches[0]: has no `block`"
        );
        assert_eq!(
            launch(r#""grid": [1, 1], "block": [1, 1, 1]"#),
            "launches[0].grid: should be three counts (x, y, z), has 2"
        );
        assert_eq!(
            launch(r#""grid": [1, 0, 1], "block": [1, 1, 1]"#),
            "launches[0].grid: [1, 0, 1] has a 0: nothing would run"
        );
        assert_eq!(
            launch(r#""grid": [1, 4294967296, 1]"#),
            "launches[0].grid[1]: 4294967296 is more than 4294967295"
        );
        assert_eq!(
            launch(r#""grid": 1"#),
            "launches[0].grid: should be an array, is a number"
        );
    }

    #[test]
    fn arguments() {
        let arg = |text: &str| error(&with(r#""input": {"bytes": 4}"#, text));
        assert_eq!(
            arg(r#""$inptu""#),
            "launches[0].args[0]: no buffer `inptu` (did you mean `input`?)"
        );
        assert!(arg(r#""input""#).starts_with(
            "launches[0].args[0]: `input` is neither a buffer (`$input`) nor a value"
        ));
        assert!(arg("5").contains("should be"));
    }
}
