//! The program as a person sees it: on a pseudo-terminal, and the screen after it.

use std::io::Read;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::scratch;

/// Returns the bytes that were written to a terminal of a number of columns, and the exit code.
fn on_a_terminal(directory: &Path, columns: u16, args: &[&str]) -> (Vec<u8>, i32) {
    on_a_terminal_with(directory, columns, args, &[])
}

/// Does the same with other variables of the environment.
fn on_a_terminal_with(
    directory: &Path,
    columns: u16,
    args: &[&str],
    variables: &[(&str, &str)],
) -> (Vec<u8>, i32) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&ours).expect("granted");
    unlockpt(&ours).expect("unlocked");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty());
    let theirs: OwnedFd = theirs.expect("the other side");
    let size = Winsize {
        ws_row: 50,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&ours, size).expect("sized");
    let side = || Stdio::from(theirs.try_clone().expect("duplicated"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(args)
        .current_dir(directory)
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("LC_ALL")
        .envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8")])
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(side())
        .stderr(side())
        .spawn()
        .expect("the program starts");
    drop(theirs);
    let reader = thread::spawn(move || {
        let (mut all, mut part) = (Vec::new(), [0; 4096]);
        let mut ours = std::fs::File::from(ours);
        // Linux returns EIO when the other side is closed.
        while let Ok(count @ 1..) = ours.read(&mut part) {
            all.extend(&part[..count]);
        }
        all
    });
    let code = child.wait().expect("it ends").code().expect("not killed");
    (reader.join().expect("read"), code)
}

/// The screen of a terminal that is as long as it takes.
fn screen(bytes: &[u8], columns: u16) -> vt100::Parser {
    let size = |side: u16| NonZero::new(side).expect("a side");
    let mut parser = vt100::Parser::new(size(1000), size(columns), 0);
    parser.process(bytes);
    parser
}

/// Returns the lines on a screen without the words that differ from run to run.
fn lines(parser: &vt100::Parser, columns: u16) -> Vec<String> {
    let rows: Vec<String> = parser.screen().rows(0, columns).collect();
    let end = rows
        .iter()
        .rposition(|row| !row.trim().is_empty())
        .map_or(0, |last| last + 1);
    rows.into_iter()
        .take(end)
        .map(|row| row.trim_end().to_owned())
        .collect()
}

/// Tests of a registry of which one fails and one passes.
fn registry(directory: &Path) {
    let text = "schema = 1\n\
        [[phase]]\nnumber = 1\ntitle = \"A phase\"\n\
        [[phase.test]]\nid = \"too strict\"\ncontract = \"exp\"\nshape = { n = 4096 }\n\
        outputs.out = { tolerance = 1e-9 }\n\
        [[phase.test]]\nid = \"fine\"\ncontract = \"gemm_nt\"\nshape = { M = 64, N = 64, K = 32 }\n";
    std::fs::write(directory.join("mine.toml"), text).expect("written");
}

#[test]
fn output_fits_terminals_and_the_bar_leaves_no_trace() {
    let here = scratch("terminal");
    registry(&here);
    for columns in [80, 100, 120] {
        let args = ["--registry", "mine.toml", "--jobs", "1", "--seed", "3"];
        let (bytes, code) = on_a_terminal(&here, columns, &args);
        assert_eq!(code, 1, "{}", String::from_utf8_lossy(&bytes));
        let told = String::from_utf8_lossy(&bytes);
        assert!(told.contains("\x1b[1;31mFAIL\x1b[0m"), "colours: {told}");
        // The wide screen is wider than any line, so that the terminal breaks none.
        let narrow = screen(&bytes, columns);
        let wide = lines(&screen(&bytes, 500), 500);
        let shown = lines(&narrow, columns);
        assert_eq!(shown, wide, "lines fit {columns} columns");
        for row in 0..shown.len() {
            let row = u16::try_from(row).expect("few rows");
            assert!(!narrow.screen().row_wrapped(row), "{shown:#?}");
        }
        let all = shown.join("\n");
        assert!(
            !all.contains("0/2") && !all.contains("1/2 ("),
            "a bar is left: {all}"
        );
        insta::assert_snapshot!(format!("terminal_of_{columns}_columns"), steady(&all));
    }
}

#[test]
fn variables_say_whether_there_are_colours_and_redraws() {
    let here = scratch("terminal-variables");
    registry(&here);
    let args = ["--registry", "mine.toml", "--jobs", "1"];
    for (variables, colour, bar) in [
        (&[][..], true, true),
        (&[("TERM", "dumb")][..], false, false),
        (&[("CLICOLOR", "0")], false, true),
        (&[("CLICOLOR", "1")], true, true),
        (&[("NO_COLOR", "1")], false, true),
        (&[("NO_COLOR", "")], true, true),
        (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false, true),
        (&[("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")], true, true),
        (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], true, false),
    ] {
        let (bytes, code) = on_a_terminal_with(&here, 100, &args, variables);
        let told = String::from_utf8_lossy(&bytes);
        assert_eq!(code, 1, "{told}");
        assert_eq!(
            told.contains("\x1b[1;31mFAIL"),
            colour,
            "{variables:?}: {told}"
        );
        // A redraw goes back to the beginning of its line.
        let plain = told.replace("\r\n", "\n");
        assert_eq!(plain.contains('\r'), bar, "{variables:?}: {told:?}");
        if variables == [("TERM", "dumb")] {
            assert!(!told.contains('\x1b'), "{told:?}");
        }
    }
    // A pipe has colours where they are forced.
    let piped = |value: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(args)
            .current_dir(&here)
            .env_remove("NO_COLOR")
            .env("CLICOLOR_FORCE", value)
            .output()
            .expect("the program starts");
        String::from_utf8(output.stdout)
            .expect("text")
            .contains('\x1b')
    };
    assert!(piped("1") && !piped("0"));
}

/// Names of hundreds of characters are shortened in the middle, and whole for programs.
#[test]
fn tables_with_very_long_names_fit_terminals() {
    let here = scratch("terminal-names");
    let long = format!("a_test_{}_of_mine", "long".repeat(80));
    let text = format!(
        "schema = 1\n[[phase]]\nnumber = 1\ntitle = \"A phase\"\n\
         [[phase.test]]\nid = \"{long}\"\ncontract = \"exp\"\nshape = {{ n = 64 }}\n"
    );
    std::fs::write(here.join("mine.toml"), text).expect("written");
    let args = ["--registry", "mine.toml", "--jobs", "1", "--counters"];
    for columns in [80, 100, 120] {
        let (bytes, code) = on_a_terminal(&here, columns, &args);
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&bytes));
        let narrow = screen(&bytes, columns);
        let shown = lines(&narrow, columns);
        assert_eq!(shown, lines(&screen(&bytes, 500), 500), "{columns}");
        let all = shown.join("");
        assert!(!all.contains(&"long".repeat(30)), "{all}");
        let table = all.split_once("status").expect("a table").1;
        assert!(table.contains("..."), "{all}");
    }
    let json = crate::run(&here, &[&args[..], &["--format", "json"]].concat());
    assert!(json.out.contains(&long));
}

/// Replaces times, hashes, versions and numbers of threads in a text.
fn steady(text: &str) -> String {
    let word = |word: &str| {
        let hash = word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit());
        if hash {
            "HASH".to_owned()
        } else {
            word.to_owned()
        }
    };
    let line = |line: &str| {
        let line = line.replace(env!("CARGO_PKG_VERSION"), "VERSION");
        if line.starts_with("time  ")
            || line.starts_with("device  ")
            || line.starts_with("built by")
        {
            return line.split("  ").next().unwrap_or_default().to_owned();
        }
        // The rule under a header is as wide as the longest time.
        if !line.is_empty() && line.chars().all(|c| c == '-') {
            return "-".repeat(20);
        }
        if line.starts_with("status  ") {
            let columns = line.trim_end_matches("time").trim_end();
            return format!("{columns} TIME");
        }
        let words: Vec<String> = line.split(' ').map(word).collect();
        let line = words.join(" ");
        // The last column of a table is a time.
        match line.starts_with("PASS ") || line.starts_with("FAIL ") && line.contains(" x ") {
            true if line.ends_with(" s") || line.ends_with("ms") || line.ends_with("us") => {
                let cut = line.trim_end_matches(|c: char| c != ' ').trim_end();
                let cut = cut.trim_end_matches(|c: char| c != ' ').trim_end();
                format!("{cut} TIME")
            }
            _ => line,
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn help_is_in_groups_and_has_examples() {
    let here = scratch("help");
    let run = crate::run(&here, &["--help"]);
    assert_eq!(run.code, 0);
    for heading in [
        "Which tests run:",
        "What is tested:",
        "Where they run:",
        "How they run:",
        "What is looked for:",
        "What is observed:",
        "Reports:",
        "Examples:",
    ] {
        assert_eq!(
            run.out.matches(heading).count(),
            1,
            "{heading}\n{}",
            run.out
        );
    }
    let options = run
        .out
        .split_once("\nOptions:")
        .expect("those of every program")
        .1;
    let own = options.split("\n\n").next().expect("a group");
    assert!(
        !own.contains("--seed") && !own.contains("--report"),
        "{own}"
    );
}

/// An example that nobody had run named a test that was not there.
#[test]
fn examples_of_the_help_are_command_lines() {
    let here = scratch("help-examples");
    for name in ["tile.co", "tile.toml"] {
        let bindings = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");
        let mine = name.replace("tile", "my");
        std::fs::copy(format!("{bindings}/{name}"), here.join(mine)).expect("copied");
    }
    let help = crate::run(&here, &["--help"]).out;
    let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
    let (examples, _) = examples.split_once("\n\n").expect("an end");
    for line in examples.lines() {
        let (command, what) = line.trim().split_once("  ").expect("two columns");
        assert!(!what.trim().is_empty(), "{line}");
        let words = command.split_whitespace().skip(1).chain(["--list"]);
        let run = crate::run(&here, &words.collect::<Vec<_>>());
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        assert!(!run.out.is_empty(), "{command}");
    }
    assert_eq!(examples.lines().count(), 6);
}
