//! States of strangers' kernels: in layouts that a file spells in any way, in place, and in fewer bits than can be judged.

use std::path::{Path, PathBuf};

use crate::{Run, run, scratch};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");

fn written(here: &Path, changes: &[(&str, &str)]) -> PathBuf {
    let good = std::fs::read_to_string(Path::new(HERE).join("state.toml")).expect("a file");
    let text = changes.iter().fold(good, |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    });
    let file = here.join("bind.toml");
    std::fs::write(&file, text).expect("written");
    file
}

fn bound(here: &Path, changes: &[(&str, &str)], more: &[&str]) -> Run {
    written(here, changes);
    let kernels = format!("{HERE}/state.co");
    let args = [&["--kernels", &kernels, "--bind", "bind.toml"], more].concat();
    run(here, &args)
}

/// A launch that makes the state begin, in place of `start`.
const BEGUN: [(&str, &str); 2] = [
    ("start = { final = \"initial\" }\n", ""),
    (
        "for = \"t in 0..T\"",
        "[[binding.launch]]\nsymbol = \"begin\"\ngrid = [\"ceil(count(final) / 256)\"]\nblock = [256]\n\
         args = [\"final\", \"state == zero ? null : initial\", \"i32 count(final)\"]\n[[binding.launch]]\nfor = \"t in 0..T\"",
    ),
];

/// Letters took the axes of another combination of choices: a right kernel failed as one that stores its state transposed.
#[test]
fn every_spelling_of_a_layout_passes() {
    let here = scratch("states-spelled");
    for spelled in [
        "HV B V K",
        "head sequence value_channel key_channel",
        "HV sequence V key_channel",
    ] {
        let layout = format!("final = \"{spelled}\", initial = \"{spelled}\"");
        let changes = [BEGUN[0], BEGUN[1], ("final = \"HV B V K\"", &layout)];
        let more = ["--test", "gdn_recurrent_domain", "--seeds", "3"];
        let run = bound(&here, &changes, &more);
        assert_eq!(
            (run.code, run.err.as_str()),
            (0, ""),
            "{spelled}: {}",
            run.out
        );
    }
}

#[test]
fn a_state_in_place_begins_as_an_input() {
    let here = scratch("states-in-place");
    let test = ["--test", "gdn_recurrent_domain"];
    let right = bound(&here, &[], &[&test[..], &["--relations"]].concat());
    assert_eq!((right.code, right.err.as_str()), (0, ""), "{}", right.out);
    // Of the buffers of several tensors a part begins so too.
    let whole = [
        ("start", "buffers = { both = [\"final\", \"o\"] }\nstart"),
        (
            "\"final\", \"o\"]\n",
            "\"both\", \"both + bytes(final)\"]\n",
        ),
    ];
    let whole = bound(&here, &whole, &test);
    assert_eq!((whole.code, whole.err.as_str()), (0, ""), "{}", whole.out);
    let told = bound(&here, &[("start = { final = \"initial\" }\n", "")], &test);
    assert_eq!(told.code, 1, "{}", told.out);
    let checked = bound(&here, &[], &[&test[..], &["--self-test"]].concat());
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
}

#[test]
fn what_is_wrong_in_a_start_is_told_with_its_place() {
    let here = scratch("states-told");
    let mut told = String::new();
    for start in [
        "start = \"initial\"",
        "start = { final = 0 }",
        "start = { finale = \"initial\" }",
        "start = { final = \"initail\" }",
        "start = { final = \"q\" }",
        "start = { q = \"k\" }",
        "start = { final = \"final\" }",
    ] {
        let changes = [("start = { final = \"initial\" }", start)];
        let run = bound(&here, &changes, &["--test", "gdn_recurrent_domain"]);
        assert_eq!(
            (run.code, run.out.as_str()),
            (3, ""),
            "{start}: {}",
            run.err
        );
        told += &format!("{start}\n{}\n\n", run.err.trim_end());
    }
    insta::assert_snapshot!(told);
}

/// A state that is rounded at each token is passed on to the next token: a right kernel failed.
#[test]
fn a_state_in_fewer_bits_is_refused() {
    let here = scratch("states-narrow");
    let test = ["--test", "gdn_recurrent_domain"];
    let narrow = [
        ("start", "types = { final = \"bf16\" }\nstart"),
        ("token_f32", "token_bf16"),
    ];
    let run = bound(&here, &narrow, &test);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{}", run.err);
    assert!(
        run.err.contains("`final` holds states: in bf16"),
        "{}",
        run.err
    );
    assert!(run.err.contains("bind.toml:"), "{}", run.err);
    let kept = [
        (
            "start = { final = \"initial\" }",
            "scratch = { kept = \"bf16[HV, B, V, K]\" }",
        ),
        (
            "\"final\", \"o\"]\n",
            "\"t < T - 1 ? kept : final\", \"o\"]\n",
        ),
        ("token_f32", "token_bf16"),
    ];
    let run = bound(&here, &kept, &test);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{}", run.err);
    assert!(
        run.err.contains("`kept` hands states on in bf16"),
        "{}",
        run.err
    );
    // An input is rounded before the references see it.
    let input = [("start", "types = { initial = \"bf16\" }\nstart")];
    let run = bound(&here, &input, &test);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
}
