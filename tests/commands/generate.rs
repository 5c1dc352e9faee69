//! Files that are generated from the command line's own description.

use std::process::Command;

use crate::{refused, run, scratch};

#[test]
fn every_shell_has_completions_and_bash_takes_them() {
    let here = scratch("completions");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let made = run(&here, &["completions", shell]);
        assert_eq!((made.code, made.err.as_str()), (0, ""), "{shell}");
        for word in ["partition", "merge", "fail-if"] {
            assert!(made.out.contains(word), "{shell}: {word}");
        }
        std::fs::write(here.join(shell), made.out).expect("written");
    }
    assert_eq!(run(&here, &["completions", "cmd"]).code, 2);
    // The words that a user types before TAB, and the words that bash offers.
    for (typed, offered) in [
        ("me", "merge"),
        ("merge --o", "--output"),
        ("--part", "--partition"),
        ("compare a.json b.json --fa", "--fail-if"),
    ] {
        let word = typed.rsplit(' ').next().unwrap_or(typed);
        let script = format!(
            "source ./bash\nCOMP_WORDS=(deltanet-check {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             _deltanet__check deltanet-check {word} before\necho \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(&here)
            .output()
            .expect("bash starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), offered);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let here = scratch("man");
    let made = run(&here, &["man", "man1"]);
    assert_eq!((made.code, made.err.as_str()), (0, ""));
    let commands = run(&here, &["--help"]).out;
    let (_, commands) = commands.split_once("Commands:\n").expect("commands");
    let (commands, _) = commands.split_once("\n\n").expect("an end");
    let names = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&name| name != "help")
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let page = std::fs::read_to_string(here.join(format!("man1/deltanet-check-{name}.1")))
            .expect(name);
        assert!(
            page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"),
            "{name}"
        );
    }
    assert!(here.join("man1/deltanet-check.1").is_file());
    assert!(
        !here.join("man1/deltanet-check-run-one-trial.1").exists(),
        "hidden"
    );
    std::fs::write(here.join("file"), "x").expect("written");
    assert!(refused(&here, &["man", "file"]).contains("cannot write manual pages to file"));
}
