//! Every step of docs/ci.md, run as the page has it: the workflows by a small runner (`runner.rs`), the Slurm array by a `sbatch` that runs
//! every task at once, and the tests of CMake by their command lines.
//!
//! Stand-ins replace what a test cannot have. `cargo install --git` copies the program under test, if the command line is the one that the
//! page has. `make my.co` copies a code object of this repository. The actions of GitHub copy files.

mod runner;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scratch;
use runner::{Ending, Place, WORDS, Workflow};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Blocks of a language in docs/ci.md.
fn blocks(language: &str) -> Vec<String> {
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/ci.md")).expect("there");
    let start = format!("```{language}\n");
    let rests = page.split(&start).skip(1);
    let blocks = rests.filter_map(|rest| rest.split("```").next());
    blocks.map(str::to_owned).collect()
}

/// A program in the folder `bin`.
fn stand_in(bin: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let file = bin.join(name);
    std::fs::write(&file, format!("#!/bin/bash\n{script}\n")).expect("written");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("set");
}

/// A folder with a repository of kernels (`repository`), and the stand-ins (`bin`).
fn place(name: &str, binding: &str) -> Place {
    let root = scratch(&format!("ci-docs-{name}"));
    let (bin, repository) = (root.join("bin"), root.join("repository"));
    std::fs::create_dir_all(&bin).expect("made");
    std::fs::create_dir_all(&repository).expect("made");
    let bindings = Path::new(ROOT).join("tests/bindings");
    std::fs::copy(bindings.join(binding), repository.join("my.bind.toml")).expect("copied");
    let program = env!("CARGO_BIN_EXE_deltanet-check");
    let cargo = format!(
        "[[ \"$*\" == \"install --locked --git $TOOL --rev $COMMIT --root tool deltanet-check\" ]] || exit 101\n\
         echo installed >>'{}'\nmkdir -p tool/bin && cp '{program}' tool/bin/deltanet-check",
        root.join("installed").display()
    );
    stand_in(&bin, "cargo", &cargo);
    let tile = bindings.join("tile.co");
    let make = format!("[[ \"$*\" == my.co ]] && cp '{}' my.co", tile.display());
    stand_in(&bin, "make", &make);
    Place { root }
}

/// Returns the number of times that the program was built in a place.
fn builds(place: &Place) -> usize {
    let built = std::fs::read_to_string(place.root.join("installed"));
    built.map_or(0, |text| text.lines().count())
}

fn workflows() -> [Workflow; 2] {
    let all: Vec<Workflow> = blocks("yaml")
        .iter()
        .map(|text| Workflow::new(text))
        .collect();
    all.try_into().expect("two workflows")
}

/// Returns the results of the jobs, by name.
fn endings(ended: &[(String, Ending)]) -> Vec<(&str, &Ending)> {
    ended
        .iter()
        .map(|(name, ending)| (&name[..], ending))
        .collect()
}

#[test]
fn the_one_job_passes_a_right_kernel_and_builds_the_program_once() {
    let [one_job, _] = workflows();
    let place = place("right", "tile.toml");
    for _ in 0..2 {
        let ended = one_job.run(&place);
        assert_eq!(endings(&ended), [("validate", &Ending::Passed)]);
        let report = place.root.join("artifacts/report");
        assert!(report.join("report.json").exists() && report.join("report.html").exists());
    }
    assert_eq!(
        builds(&place),
        1,
        "the second run has the program from the cache"
    );
    let summary = std::fs::read_to_string(place.root.join("summary")).expect("written");
    assert!(summary.starts_with("## deltanet-check: "), "{summary}");
    assert!(summary.contains("my.co on gfx906 emulator"), "{summary}");
}

#[test]
fn the_one_job_fails_a_wrong_kernel_and_keeps_its_report() {
    let [one_job, _] = workflows();
    let place = place("wrong", "wrong.toml");
    let ended = one_job.run(&place);
    let [(_, Ending::Failed { step, code: 1 })] = &ended[..] else {
        panic!("{ended:?}");
    };
    assert!(step.starts_with("deltanet-check --kernels my.co"), "{step}");
    assert!(place.root.join("artifacts/report/report.html").exists());
}

#[test]
fn shards_leave_the_verdict_to_the_merge() {
    let [one_job, shards] = workflows();
    for (name, binding) in [("shards", "tile.toml"), ("shards-wrong", "wrong.toml")] {
        let place = place(name, binding);
        let ended = shards.run(&place);
        assert_eq!(builds(&place), 1);
        let (merge, before) = ended.split_last().expect("jobs");
        let names: Vec<&str> = before.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["build", "shard 1", "shard 2", "shard 3", "shard 4"]);
        assert!(
            before.iter().all(|(_, ending)| *ending == Ending::Passed),
            "{before:?}"
        );
        match (binding, merge) {
            ("tile.toml", (_, Ending::Passed)) => {}
            ("wrong.toml", (_, Ending::Failed { step, code: 1 })) => {
                assert!(step.contains("deltanet-check merge"), "{step}");
            }
            _ => panic!("{binding}: {merge:?}"),
        }
        let selected = |report: &str| {
            let report = std::fs::read_to_string(place.root.join(report)).expect("written");
            let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
            report["selected"].as_u64().expect("a number")
        };
        let merged = selected("jobs/merge/report.json");
        one_job.run(&place);
        assert_eq!(merged, selected("artifacts/report/report.json"));
        assert!(merged > 4);
    }
}

/// Runs a shell script in a folder, with the stand-ins and `tool/bin` in its PATH.
fn bash(place: &Place, folder: &Path, script: &str) -> i32 {
    let path = format!(
        "{}:{}/tool/bin:/usr/bin:/bin",
        place.root.join("bin").display(),
        folder.display()
    );
    let mut command = Command::new("bash");
    command
        .args(["-e", "-c", script])
        .current_dir(folder)
        .env("PATH", path);
    let output = command.output().expect("bash starts");
    output.status.code().expect("not killed")
}

/// The folder of a user who has installed the program and built a code object.
fn folder(place: &Place) -> PathBuf {
    let folder = place.root.join("repository");
    let install = "cargo install --locked --git \"$TOOL\" --rev \"$COMMIT\" --root tool deltanet-check; make my.co";
    assert_eq!(
        bash(
            place,
            &folder,
            &format!("TOOL=a COMMIT=b; export TOOL COMMIT; {install}")
        ),
        0
    );
    folder
}

#[test]
fn the_slurm_array_runs_all_parts_and_merges_them() {
    let scripts = blocks("sh");
    let is_array = |text: &&String| text.contains("#SBATCH");
    let array = scripts.iter().find(is_array).expect("the array");
    let submit = scripts
        .iter()
        .find(|text| text.contains("sbatch --parsable"));
    let submit = submit.expect("how it is submitted");
    for (name, binding, code) in [
        ("slurm", "tile.toml", "0"),
        ("slurm-wrong", "wrong.toml", "1"),
    ] {
        let place = place(name, binding);
        stand_in(&place.root.join("bin"), "sbatch", SBATCH);
        let folder = folder(&place);
        std::fs::write(folder.join("array.sh"), array).expect("written");
        assert_eq!(bash(&place, &folder, submit), 0);
        let tasks = std::fs::read_to_string(folder.join("tasks")).expect("written");
        let failed = tasks.lines().filter(|line| *line != "0").count();
        assert_eq!(
            (tasks.lines().count(), failed > 0),
            (8, code == "1"),
            "{tasks}"
        );
        let merged = std::fs::read_to_string(folder.join("merged")).expect("written");
        assert_eq!(merged.trim(), code);
        assert!(folder.join("report.json").exists());
    }
}

/// A `sbatch` that runs its script at once, and writes the exit codes into files.
const SBATCH: &str = r#"case $1 in
--parsable)
    read -r first last <<<"$(sed -nE 's/^#SBATCH --array=([0-9]+)-([0-9]+) .*/\1 \2/p' "$2")"
    for task in $(seq "$first" "$last"); do
        export SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) SLURM_CPUS_PER_TASK=4
        bash "$2" >/dev/null
        echo $? >>tasks
    done
    echo 17
    ;;
--dependency=afterany:17)
    [[ $2 == --wrap ]] || exit 1
    sh -c "$3" >/dev/null
    echo $? >merged
    ;;
*) exit 1 ;;
esac"#;

#[test]
fn the_command_of_the_cmake_tests_fails_where_a_part_fails() {
    let blocks = blocks("cmake");
    let [block] = &blocks[..] else {
        panic!("{blocks:?}");
    };
    let command = block
        .split("COMMAND ")
        .nth(1)
        .and_then(|rest| rest.split(")\n").next());
    let command = command.expect("a command");
    for (name, binding) in [("cmake", "tile.toml"), ("cmake-wrong", "wrong.toml")] {
        let place = place(name, binding);
        let folder = folder(&place);
        let codes = (1..=4).map(|part| {
            let values = [
                ("${DELTANET_CHECK}", "deltanet-check"),
                ("$<TARGET_FILE:my_kernels>", "my.co"),
                ("${CMAKE_SOURCE_DIR}", "."),
                ("${part}", &part.to_string()),
            ];
            let mut line = command.replace('\n', " ");
            for (from, to) in values {
                line = line.replace(from, to);
            }
            bash(&place, &folder, &line)
        });
        let codes: Vec<i32> = codes.collect();
        let failed = codes.iter().filter(|code| **code == 1).count();
        let passed = codes.iter().filter(|code| **code == 0).count();
        assert_eq!(
            (failed + passed, failed > 0),
            (4, binding == "wrong.toml"),
            "{codes:?}"
        );
    }
}

/// The address and the commit are visibly none, so that nobody runs somebody else's program.
#[test]
fn placeholders_are_placeholders() {
    for workflow in workflows() {
        let [tool, commit] = WORDS.map(|name| workflow.variable(name));
        assert!(tool.contains("/OWNER/"), "{tool}");
        assert!(
            commit.len() == 40 && commit.bytes().all(|byte| byte == b'0'),
            "{commit}"
        );
    }
}
