//! Launch files, right and wrong.

use super::*;
use crate::commands::exec::argument::{Part, Pointer};
use crate::commands::exec::buffer::Source;

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
          "buffers": { "in": {"file": "in.bin"}, "out": {"bytes": 4096, "fill": "poison", "save": "sub/out.bin"} },
          "launches": [ {"kernel": "k", "grid": [4,2,1], "block": [64,1,1], "dynamic_lds": 16, "cooperative": true,
                         "args": ["$in", "$out", {"i32": 5}, {"f32": 1.0}, {"raw": "00ff"}]} ],
          "limits": {"instructions": 1000000000, "seconds": 6.5} }"#;
    let file = parse(text.as_bytes(), Path::new("/dir")).expect("usable");
    assert_eq!(file.code_object, Path::new("/dir/x.co"));
    assert!(
        matches!(&file.buffers[0].source, Source::File(file) if file.path == Path::new("/dir/in.bin"))
    );
    assert!(matches!(&file.buffers[1].source, Source::Poison(4096)));
    assert_eq!(
        file.buffers[1].save.as_deref(),
        Some(Path::new("/dir/sub/out.bin"))
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
    assert!(launch.cooperative);
    let pointers: Vec<_> = launch.args.iter().map(ArgSpec::pointers).collect();
    let start = |buffer| vec![Pointer { buffer, offset: 0 }];
    assert_eq!(pointers[..3], [start(0), start(1), vec![]]);
    let ArgSpec::One(Part::Value(raw)) = &launch.args[4] else {
        panic!("a value")
    };
    assert_eq!(raw.bytes, [0, 0xff]);
    assert_eq!(
        (file.limits.instructions, file.limits.seconds),
        (Some(1_000_000_000), Some(6.5))
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
        "the launch file: unknown key `lanches` (did you mean `launches`?); there is: code_object, buffers, variables, launches, expect, limits"
    );
    assert!(
        error(r#"{"code_object": "x", "code_object": "y"}"#)
            .contains("key `code_object` given twice at line 1")
    );
    assert!(
        error(&with(r#""a": {"bytes": 4}, "a": {"bytes": 8}"#, "")).contains("key `a` given twice")
    );
}

#[test]
fn buffers() {
    let buffer = |text: &str| error(&with(&format!(r#""out": {{{text}}}"#), ""));
    let pieces = |text: &str| buffer(&format!(r#""bytes": 64, {text}"#));
    assert!(
        pieces(r#""pieces": [[0, 4]]"#).ends_with(
            "needs the `file` of the pieces and the `bytes` of the buffer, and no `fill`"
        )
    );
    assert!(
        pieces(r#""file": "a.npy", "pieces": [[0, 4]]"#)
            .ends_with("needs a file of raw bytes, and no `shape`")
    );
    for wrong in ["[60, 8]", "[0, 0]", "[8, 8], [12, 4]"] {
        let text = format!(r#""file": "a.bin", "pieces": [{wrong}]"#);
        assert!(
            pieces(&text).ends_with(
                "is empty, beyond the end of the buffer, or not behind the part before it"
            ),
            "{wrong}"
        );
    }
    assert!(
        pieces(r#""file": "a.bin", "pieces": [[0]]"#)
            .ends_with("should be an offset and a size: [4096, 256]")
    );
    assert_eq!(
        buffer(r#""byts": 4"#),
        "buffers.out: unknown key `byts` (did you mean `bytes`?); there is: file, tensor, bytes, fill, save, dtype, shape, read_only, pieces, read, written"
    );
    assert_eq!(
        buffer(""),
        "buffers.out: needs `file`, or `bytes` and `fill`"
    );
    assert!(
        buffer(r#""file": "a", "bytes": 4"#).starts_with("buffers.out: has `file`, so its size")
    );
    assert_eq!(
        buffer(r#""bytes": 4, "fill": "ones""#),
        "buffers.out.fill: unknown fill `ones`; there is: poison, zero"
    );
    assert_eq!(
        buffer(r#""bytes": -4"#),
        "buffers.out.bytes: should be a whole number, not negative, is -4"
    );
    assert!(buffer(r#""bytes": 1e30"#).starts_with("buffers.out.bytes: should be a whole number"));
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
    assert_eq!(
        launch(r#""grid": [1, 1, 1], "block": [1, 1, 1], "cooperative": 1"#),
        "launches[0].cooperative: should be true or false, is a number"
    );
}

#[test]
fn arguments() {
    let arg = |text: &str| error(&with(r#""input": {"bytes": 4}"#, text));
    assert_eq!(
        arg(r#""$inptu""#),
        "launches[0].args[0]: no buffer `inptu` (did you mean `input`?)"
    );
    assert!(
        arg(r#""input""#)
            .starts_with("launches[0].args[0]: `input` is neither a buffer (`$input`) nor a value")
    );
    assert!(arg("true").contains("should be"));
    assert!(arg("5.5").contains("should be a whole number"));
    assert_eq!(
        arg(r#""$inptu + 4""#),
        "launches[0].args[0]: no buffer `inptu` (did you mean `input`?)"
    );
    for offset in ["+", "+ x", "* 4", "+ 1.5", "+ 99999999999999999999"] {
        let line = arg(&format!(r#""$input {offset}""#));
        let refused = line.ends_with(&format!(
            "`{offset}` is no offset in bytes, as in \"$input + 4096\""
        ));
        assert!(refused || line.contains("no buffer `input * 4`"), "{line}");
    }
    assert_eq!(
        arg("[]"),
        "launches[0].args[0]: empty: a structure has parts, as [\"$buffer\", {\"i32\": 5}]"
    );
    assert!(arg(r#"["$inptu"]"#).starts_with("launches[0].args[0][0]: no buffer `inptu`"));
}

/// The longest name that is known is meant, so that a sign in a name is no offset.
#[test]
fn pointers_have_offsets() {
    let buffers = r#""a": {"bytes": 64}, "a-1": {"bytes": 64}, "a-10": {"bytes": 64}"#;
    for (text, buffer, offset) in [
        ("$a", 0, 0),
        (" $a + 16 ", 0, 16),
        ("$a+0x10-8", 0, 8),
        ("$a - 1", 0, -1),
        ("$a-1", 1, 0),
        ("$a-1 -1", 1, -1),
        ("$a-10", 2, 0),
        ("$a-10+4", 2, 4),
    ] {
        let text = with(buffers, &format!("\"{text}\""));
        let file = parse(text.as_bytes(), Path::new("")).expect("usable");
        let want = vec![Pointer { buffer, offset }];
        assert_eq!(file.launches[0].args[0].pointers(), want, "{text}");
    }
}

#[test]
fn a_structure_is_its_parts() {
    let text = with(
        r#""a": {"bytes": 64}"#,
        r#"[{"u8": 7}, {"raw": "000000 "}, "$a + 8"]"#,
    );
    let text = text.replace("000000 ", "00000000000000");
    let file = parse(text.as_bytes(), Path::new("")).expect("usable");
    let arg = &file.launches[0].args[0];
    assert_eq!(arg.size(), 16);
    assert_eq!(
        arg.bytes(&[0x1000]),
        [7u64.to_le_bytes(), 0x1008u64.to_le_bytes()].concat()
    );
}

#[test]
fn expectations() {
    let expect = |text: &str| {
        let launch = with(r#""output": {"bytes": 4}"#, "");
        error(&launch.replacen('{', &format!(r#"{{"expect": {{{text}}}, "#), 1))
    };
    assert_eq!(
        expect(r#""ouptut": {}"#),
        "expect.ouptut: no buffer `ouptut` (did you mean `output`?)"
    );
    assert_eq!(
        expect(r#""output": {"tolerance": 1}"#),
        "expect.output: has no `file`: name the one that holds the right values"
    );
    let unlimited = "expect.output: does not say how far off an element may be: give `tolerance` (0: bit for bit), `relative` or `ulp`";
    assert_eq!(expect(r#""output": {"file": "g.npy"}"#), unlimited);
    assert_eq!(
        expect(r#""output": {"file": "g.npy", "relative_rms": 1e-5}"#),
        unlimited
    );
    assert_eq!(
        expect(r#""output": {"file": "g.npy", "tolerance": -1e-5}"#),
        "expect.output.tolerance: -1e-5 is less than 0"
    );
    assert_eq!(
        expect(r#""output": {"file": "g.npy", "ulp": 1.5}"#),
        "expect.output.ulp: should be a whole number, not negative, is 1.5"
    );
    assert_eq!(
        expect(r#""output": {"file": "g.npy", "tensor": "golden.y", "ulp": 1}"#),
        "expect.output.tensor: is for a `file` whose name ends in .safetensors"
    );
    assert_eq!(
        expect(r#""output": {"file": "g.npy", "tolerence": 1}"#),
        "expect.output: unknown key `tolerence` (did you mean `tolerance`?); there is: file, tensor, tolerance, relative, relative_rms, ulp"
    );
}
