//! Launch files, right and wrong.

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
        error(&with(r#""a": {"bytes": 4}, "a": {"bytes": 8}"#, "")).contains("key `a` given twice")
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
    assert!(arg("5").contains("should be"));
}
