//! `bench` and `calibrate` without a card: the commands are refused and say what to do. scripts/hip-circle.sh measures on the HIP runtime of `crates/gfx906-hip/`.

use std::path::Path;

use super::run;

#[test]
fn nothing_is_measured_on_the_emulator() {
    let devices: [&[&str]; 3] = [&[], &["--device", "emulator"], &["--device", "auto"]];
    for device in devices {
        let mut args = vec!["bench", "--test", "mul"];
        args.extend(device);
        let done = run(Path::new("."), &args);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{device:?}");
        assert_eq!(
            done.err,
            "error: `bench` measures on a card: add `--device hip`; what the model says alone is `deltanet-check profile`\n"
        );
    }
}

#[test]
fn no_constants_are_measured_on_the_emulator() {
    let done = run(Path::new("."), &["calibrate", "--out", "card.toml"]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert_eq!(
        done.err,
        "error: `calibrate` measures a card: add `--device hip`; the constants of the program's own card are `deltanet-check profile --constants`\n"
    );
    assert!(!Path::new("card.toml").exists());
}

#[test]
fn something_must_be_named() {
    let done = run(Path::new("."), &["bench", "--device", "hip"]);
    assert_eq!(done.code, 2);
    assert_eq!(
        done.err,
        "error: nothing to measure is named: give --test, --phase, --kernel or --bind\n"
    );
}
