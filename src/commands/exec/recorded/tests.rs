//! Launches of launch files as data.

use std::path::Path;

use super::*;

/// A directory of files for a launch file: `whole.bin` of 64 bytes, and `after.bin`, which differs from it in byte 40.
fn directory(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("recorded-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("made");
    let mut bytes = vec![7; 64];
    std::fs::write(directory.join("whole.bin"), &bytes).expect("written");
    bytes[40] = 8;
    std::fs::write(directory.join("after.bin"), bytes).expect("written");
    directory
}

fn read_text(
    directory: &Path,
    buffers: &str,
    args: &str,
    expect: &str,
) -> anyhow::Result<RecordedLaunch> {
    let text = format!(
        r#"{{"code_object": "x.co", "buffers": {{{buffers}}}, "expect": {{{expect}}},
            "launches": [{{"kernel": "k", "grid": [4, 1, 1], "block": [64, 1, 1], "args": [{args}]}}]}}"#
    );
    let path = directory.join("launch.json");
    std::fs::write(&path, text).expect("written");
    read(&path)
}

#[test]
fn pointers_cut_buffers_into_regions() {
    let here = directory("regions");
    let found = read_text(
        &here,
        r#""a": {"file": "whole.bin"}, "new": {"bytes": 16, "fill": "poison"}, "nothing": {"bytes": 16, "fill": "zero"}"#,
        r#""$a + 32", "$a", "$new", {"i32": 5}, "$a + 32", ["$nothing", {"raw": "00"}]"#,
        r#""a": {"file": "after.bin", "tolerance": 0}"#,
    )
    .expect("a launch");
    std::fs::remove_dir_all(&here).expect("removed");
    let region = |buffer: &str, offset, size, changed| Region {
        buffer: buffer.into(),
        offset,
        size,
        changed,
    };
    assert_eq!(
        found.regions,
        [
            region("a", 32, 32, Some(true)),
            region("a", 0, 32, Some(false)),
            region("new", 0, 16, Some(true)),
            region("nothing", 0, 16, None),
        ]
    );
    assert_eq!(
        found.args,
        [
            Argument::Pointer(0),
            Argument::Pointer(1),
            Argument::Pointer(2),
            Argument::Bytes(vec![5, 0, 0, 0]),
            Argument::Pointer(0),
            Argument::Structure(vec![Argument::Pointer(3), Argument::Bytes(vec![0])]),
        ]
    );
}

/// One allocation may hold many tensors: what the launch read and wrote tells their sizes.
#[test]
fn regions_end_where_the_launch_stopped_reading_and_writing() {
    let here = directory("touched");
    let found = read_text(
        &here,
        r#""pool": {"file": "whole.bin", "bytes": 4096, "pieces": [[0, 32], [1024, 32]],
                    "read": [[0, 24]], "written": [[4, 8], [1024, 16]]}"#,
        r#""$pool", "$pool + 1024", "$pool + 2048""#,
        "",
    )
    .expect("a launch");
    std::fs::remove_dir_all(&here).expect("removed");
    let found: Vec<_> = found
        .regions
        .iter()
        .map(|region| (region.offset, region.size, region.changed))
        .collect();
    assert_eq!(
        found,
        [
            (0, 24, Some(true)),
            (1024, 16, Some(true)),
            (2048, 0, Some(false))
        ]
    );
}

#[test]
fn what_a_buffer_holds_must_fit_itself() {
    let here = directory("refused");
    let error = |buffers: &str, args: &str, expect: &str| {
        let error = read_text(&here, buffers, args, expect).expect_err("unusable");
        format!("{error:#}").replace(&format!("{}/", crate::text::shown(&here)), "")
    };
    let whole = r#""a": {"file": "whole.bin"}"#;
    assert_eq!(
        error(whole, r#""$a - 4""#, ""),
        "launch.json: an argument points to byte -4 of buffer `a`, which has 64: no tensor begins there"
    );
    assert_eq!(
        error(
            r#""a": {"bytes": 32, "fill": "zero"}"#,
            r#""$a""#,
            r#""a": {"file": "after.bin", "tolerance": 0}"#
        ),
        "launch.json: buffer `a`: 32 bytes before the launch, 64 after it"
    );
    std::fs::remove_dir_all(&here).expect("removed");
}
