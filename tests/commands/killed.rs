//! Reports of commands that are killed outright: whole, or not there yet.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::schemas::valid_file;
use crate::scratch;
use crate::soak::WRONG;

/// Kills of all commands together; `DELTANET_CHECK_KILLS` says otherwise.
const KILLS: u32 = 20;

/// Commands that take a few tenths of a second and write JSON, each with true if it can write a page as well.
const COMMANDS: [(&str, bool); 6] = [
    ("--phase 1-3 --counters --jobs 1", true),
    ("mutate --test mul --per-kernel 60 --jobs 1", true),
    ("profile --phase 1-2 --jobs 1", true),
    (
        "soak --minutes 0.003 --test mul,add --bind wrong.toml --jobs 1",
        false,
    ),
    ("--seeds 3 --test mul --bind wrong.toml --jobs 1", false),
    ("self-test --test mul,neg --jobs 1", false),
];

/// The counts of what was left after the kills of a command.
#[derive(Default)]
struct LeftoverCounts {
    kills: u32,
    /// No report: the command had not begun to write.
    none: u32,
    /// A report of a command that goes on.
    unfinished: u32,
    /// A report of one that is through.
    complete: u32,
    /// Commands that had ended before they were killed; their reports are complete.
    ended: u32,
    /// Kills that hit a command while it wrote: half a file lies beside the report.
    writing: u32,
}

impl fmt::Display for LeftoverCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeftoverCounts {
            kills,
            none,
            unfinished,
            complete,
            ended,
            writing,
        } = self;
        write!(
            f,
            "{kills} kills: {none} before a report, {unfinished} reports not complete, {complete} complete, {ended} had ended; {writing} while it wrote"
        )
    }
}

fn sum<'l>(all: impl Iterator<Item = &'l LeftoverCounts>) -> LeftoverCounts {
    all.fold(LeftoverCounts::default(), |sum, one| LeftoverCounts {
        kills: sum.kills + one.kills,
        none: sum.none + one.none,
        unfinished: sum.unfinished + one.unfinished,
        complete: sum.complete + one.complete,
        ended: sum.ended + one.ended,
        writing: sum.writing + one.writing,
    })
}

/// Half a file of a command that was killed.
fn half_written(here: &Path) -> bool {
    let names = fs::read_dir(here).expect("a directory").flatten();
    let mut names = names.map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().ends_with(".deltanet-check.tmp"))
}

/// Starts a command whose words nobody reads.
fn quiet(here: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(args)
        .current_dir(here)
        .env(crate::ALLOW_PATH, "/")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// The moment at which a command is killed.
struct Moment {
    /// True if the command has a report before it is killed.
    report: bool,
    /// The time between the report, or else the start, and the kill.
    after: Duration,
    /// True if the kill waits until the command is writing.
    writing: bool,
}

/// Starts a command and kills it. Returns the time that the command took if it ended before the kill.
fn killed(here: &Path, args: &[&str], moment: &Moment) -> Option<Duration> {
    let started = Instant::now();
    let mut child = quiet(here, args);
    let mut since = (!moment.report).then_some(started);
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
            return Some(started.elapsed());
        }
        if since.is_none() && here.join("r.json").exists() {
            since = Some(Instant::now());
        }
        let left = since.map(|since| moment.after.saturating_sub(since.elapsed()));
        let left = left.unwrap_or(Duration::from_millis(1));
        if left.is_zero() && (!moment.writing || half_written(here)) {
            break;
        }
        // A file is half written for a moment only.
        let pause = match left.is_zero() {
            true => Duration::from_micros(50),
            false => left.min(Duration::from_millis(5)),
        };
        std::thread::sleep(pause);
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    None
}

/// The state of the reports that a command has left.
fn look(here: &Path, page: bool, left: &mut LeftoverCounts, ended: bool) {
    let place = here.join("r.json");
    left.kills += 1;
    left.ended += u32::from(ended);
    left.writing += u32::from(half_written(here));
    if page && let Ok(text) = fs::read_to_string(here.join("r.html")) {
        assert!(text.starts_with("<!doctype html>"), "{text}");
        assert!(text.trim_end().ends_with("</html>"), "{text}");
    }
    if !place.exists() {
        assert!(!ended, "it ended and left nothing");
        left.none += 1;
        return;
    }
    let report = valid_file(&place);
    if report["complete"] == true {
        left.complete += 1;
    } else {
        assert!(!ended, "it ended, and its report is not complete");
        left.unfinished += 1;
    }
}

#[test]
fn killed_runs_leave_no_torn_file() {
    let kills = std::env::var("DELTANET_CHECK_KILLS").ok();
    let kills: u32 = kills.and_then(|count| count.parse().ok()).unwrap_or(KILLS);
    let here = scratch("killed");
    fs::write(here.join("wrong.toml"), WRONG).expect("written");
    let mut all = Vec::new();
    for (args, page) in COMMANDS {
        let mut args: Vec<&str> = args.split(' ').collect();
        args.extend(["--report", "r.json"]);
        if page {
            args.extend(["--report", "r.html"]);
        }
        // An undisturbed run takes this long.
        let started = Instant::now();
        let status = quiet(&here, &args).wait().expect("it ends");
        assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
        all.push((args, page, started.elapsed(), LeftoverCounts::default()));
    }
    for kill in 0..kills {
        let at = kill as usize % all.len();
        let (args, page, takes, left) = &mut all[at];
        for entry in fs::read_dir(&here).expect("a directory").flatten() {
            if entry.file_name() != "wrong.toml" {
                fs::remove_file(entry.path()).expect("removed");
            }
        }
        // Some kills are timed from the start, most from the first report; every fourth waits for the next writing. The golden ratio spreads
        // any number of moments evenly.
        let (round, share) = (kill / 6, (f64::from(kill) * 0.618_034).fract());
        let moment = Moment {
            report: round % 4 != 0,
            after: takes.mul_f64(if round % 4 == 0 { share } else { 0.6 * share }),
            writing: round % 4 == 3,
        };
        let ended = killed(&here, args, &moment);
        look(&here, *page, left, ended.is_some());
        // Others may come to use the machine, or go.
        *takes = match ended {
            Some(took) => took,
            None if share > 0.9 => takes.mul_f64(1.1),
            None => *takes,
        };
        if (kill + 1) % 100 == 0 {
            println!("{}", sum(all.iter().map(|(.., left)| left)));
        }
    }
    for (args, _, takes, left) in &all {
        println!("{:.2} s  {left}: {}", takes.as_secs_f64(), args.join(" "));
    }
    let sum = sum(all.iter().map(|(.., left)| left));
    println!("{sum}");
    assert_eq!(sum.none + sum.unfinished + sum.complete, kills);
    assert!(sum.none <= kills.div_ceil(24) * 6, "{sum}");
    // The next writer removes files that killed commands have left.
    let last = quiet(&here, &all[0].0).wait().expect("it ends");
    assert_eq!(last.code(), Some(0));
    assert!(!half_written(&here));
}
