//! Every step of docs/ci.md, run as the page has it: the workflows and the action of this repository by a small runner (`runner.rs`), the job
//! of GitLab by its scripts, the hook by its entry, the Slurm array by a `sbatch` that runs every task at once, and the tests of CMake by
//! CMake, where it is installed.
//!
//! Stand-ins replace what a test cannot have. A `python3` makes an environment whose `pip` installs the program under test, if the
//! package is the one that the action names. `make my.co` copies a code object of this repository. The actions of GitHub copy files.

mod runner;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scratch;
use runner::{ACTION, Ending, Place, Workflow};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PROGRAM: &str = env!("CARGO_BIN_EXE_deltanet-check");
/// The package that the kits install: this version.
const PACKAGE: &str = concat!("deltanet-check==", env!("CARGO_PKG_VERSION"));

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
    let pip = format!(
        "[[ \"${{*: -1}}\" == {PACKAGE} ]] || exit 101\necho installed >>'{}'\nln -sf '{PROGRAM}' \"${{0%/*}}/deltanet-check\"",
        root.join("installed").display()
    );
    stand_in(&bin, "pip", &pip);
    let python = "[[ $1 == -m && $2 == venv ]] || exec /usr/bin/python3 \"$@\"\n\
                  mkdir -p \"$3/bin\" && cp \"${0%/*}/pip\" \"$3/bin/\" && ln -sf /usr/bin/python3 \"$3/bin/python\"";
    stand_in(&bin, "python3", python);
    let tile = bindings.join("tile.co");
    let make = format!("[[ \"$*\" == my.co ]] && cp '{}' my.co", tile.display());
    stand_in(&bin, "make", &make);
    Place { root }
}

/// Returns the number of times that the program was installed in a place.
fn installations(place: &Place) -> usize {
    let built = std::fs::read_to_string(place.root.join("installed"));
    built.map_or(0, |text| text.lines().count())
}

/// The workflows of GitHub on the page: one job, and shards.
fn workflows() -> [Workflow; 2] {
    let blocks = blocks("yaml").into_iter();
    let blocks = blocks.filter(|text| text.starts_with("name: "));
    let all: Vec<Workflow> = blocks.map(|text| Workflow::new(&text)).collect();
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
fn the_one_job_passes_a_right_kernel() {
    let [one_job, _] = workflows();
    let place = place("right", "tile.toml");
    let ended = one_job.run(&place);
    assert_eq!(endings(&ended), [("validate", &Ending::Passed)]);
    let report = place.root.join("artifacts/deltanet-check");
    for name in ["report.json", "report.xml", "report.html"] {
        assert!(report.join(name).exists(), "{name}");
    }
    assert_eq!(installations(&place), 1);
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
    assert!(step.contains("deltanet-check --kernels"), "{step}");
    let report = place.root.join("artifacts/deltanet-check/report.html");
    assert!(report.exists());
    let printed = std::fs::read_to_string(place.root.join("printed")).expect("written");
    assert!(printed.contains("::error "), "{printed}");
}

/// The inputs of the action become flags: several files, checks of the sanitizer, other arguments.
#[test]
fn the_inputs_of_the_action_become_flags() {
    let place = place("inputs", "tile.toml");
    let bin = place.root.join("bin");
    let pip = "printf '#!/bin/bash\\nprintf \"%%s\\\\n\" \"$@\" >arguments\\n' >\"${0%/*}/deltanet-check\"; chmod +x \"${0%/*}/deltanet-check\"";
    stand_in(&bin, "pip", pip);
    let ran = |with: &str| {
        let text = format!(
            "jobs:\n  one:\n    steps:\n      - uses: {ACTION}\n        with: {{ {with} }}\n"
        );
        let ended = Workflow::new(&text).run(&place);
        assert_eq!(endings(&ended), [("one", &Ending::Passed)]);
        std::fs::read_to_string(place.root.join("jobs/one/arguments")).ok()
    };
    let flags = ran(
        r#"kernels: "a b.co", binds: "one.toml\ntwo three.toml\n", contracts: c.toml, sanitize: "race,init", arguments: "--known  known.toml""#,
    );
    let flags = flags.expect("it ran");
    let (own, reports) = flags.split_once("--report\n").expect("reports");
    assert_eq!(
        own.lines().collect::<Vec<_>>(),
        [
            "--kernels",
            "a b.co",
            "--bind",
            "one.toml",
            "--bind",
            "two three.toml",
            "--contract",
            "c.toml",
            "--sanitize=race,init",
            "--known",
            "known.toml",
        ]
    );
    assert_eq!(reports.lines().count(), 7, "{reports}");
    let flags = ran("kernels: a.co, sanitize: true").expect("it ran");
    assert!(flags.starts_with("--kernels\na.co\n--sanitize\n--report\n"));
    assert_eq!(ran("artifact: nothing"), None, "it only installs");
}

#[test]
fn shards_leave_the_verdict_to_the_merge() {
    let [one_job, shards] = workflows();
    for (name, binding) in [("shards", "tile.toml"), ("shards-wrong", "wrong.toml")] {
        let place = place(name, binding);
        let ended = shards.run(&place);
        assert_eq!(installations(&place), 5, "four shards and the merge");
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
        assert_eq!(merged, selected("artifacts/deltanet-check/report.json"));
        assert!(merged > 4);
    }
}

/// Runs a shell script in a folder, with the stand-ins in its PATH.
fn bash(place: &Place, folder: &Path, script: &str) -> i32 {
    let path = format!("{}:/usr/bin:/bin", place.root.join("bin").display());
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
    std::os::unix::fs::symlink(PROGRAM, place.root.join("bin/deltanet-check")).expect("linked");
    assert_eq!(bash(place, &folder, "make my.co"), 0);
    folder
}

/// A file of the kits.
fn kit(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(name)).expect("there")
}

#[test]
fn the_slurm_array_runs_all_parts_and_merges_them() {
    let scripts = blocks("sh");
    let array = kit("ci/slurm-array.sh");
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
        std::fs::write(folder.join("slurm-array.sh"), &array).expect("written");
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
    grep -q '^#SBATCH --cpus-per-task=4$' "$3" || exit 1
    IFS=- read -r first last <<<"${2#--array=}"
    for task in $(seq "$first" "$last"); do
        export SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) SLURM_CPUS_PER_TASK=4
        bash "${@:3}" >/dev/null
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

/// The job of GitLab: its scripts, with the variables of the page in place of the defaults.
#[test]
fn the_job_of_gitlab_fails_where_a_kernel_is_wrong() {
    use saphyr::{LoadableYamlNode as _, YamlOwned};
    let parse = |text: &str| YamlOwned::load_from_str(text).expect("YAML").remove(0);
    let page = blocks("yaml")
        .into_iter()
        .find(|text| text.starts_with("include:"));
    let page = parse(&page.expect("on the page"));
    assert_eq!(page["include"][0]["file"].as_str(), Some("ci/gitlab.yml"));
    let template = parse(&kit("ci/gitlab.yml"));
    let name = page["kernels"]["extends"].as_str().expect("a name");
    let job = &template[name];
    for (name, binding, wanted) in [
        ("gitlab", "tile.toml", 0),
        ("gitlab-wrong", "wrong.toml", 1),
    ] {
        let place = place(name, binding);
        let folder = folder(&place);
        let mut script = String::new();
        for variables in [&job["variables"], &page["kernels"]["variables"]] {
            for (name, value) in variables.as_mapping().expect("variables") {
                let (name, value) = (name.as_str(), value.as_str());
                script += &format!(
                    "export {}='{}'\n",
                    name.expect("a name"),
                    value.expect("a text")
                );
            }
        }
        // The installation links the program into the folder of `pip`, which has it already.
        for lines in [&job["before_script"], &job["script"]] {
            for line in lines.as_sequence().expect("lines") {
                script += &format!("{}\n", line.as_str().expect("a line"));
            }
        }
        assert_eq!(bash(&place, &folder, &script), wanted);
        assert_eq!(installations(&place), 1);
        for name in ["report.json", "report.xml", "report.html"] {
            assert!(folder.join(name).exists(), "{name}");
        }
        let artifacts = &job["artifacts"];
        assert_eq!(artifacts["reports"]["junit"].as_str(), Some("report.xml"));
        assert_eq!(artifacts["when"].as_str(), Some("always"));
    }
}

/// The hook's entry, with files behind it as pre-commit runs it.
#[test]
fn the_hook_fails_where_lint_finds_something() {
    use saphyr::{LoadableYamlNode as _, YamlOwned};
    let hooks = YamlOwned::load_from_str(&kit(".pre-commit-hooks.yaml")).expect("YAML");
    let hook = &hooks[0][0];
    let page = blocks("yaml").join("");
    let id = hook["id"].as_str().expect("an id");
    assert!(page.contains(&format!("- id: {id}\n")));
    let entry = hook["entry"].as_str().expect("a command");
    let place = place("hook", "tile.toml");
    let folder = folder(&place);
    let root = Path::new(ROOT).display();
    let planted = format!("{root}/kernels/built/sanitizer.co");
    let right = format!("{root}/tests/bindings/tile.co");
    for (files, wanted) in [
        (vec![&right], 0),
        (vec![&planted, &right], 1),
        (vec![&right, &planted], 1),
    ] {
        let files: Vec<String> = files.iter().map(|file| format!("'{file}'")).collect();
        let script = format!("{entry} {}", files.join(" "));
        assert_eq!(bash(&place, &folder, &script), wanted, "{files:?}");
    }
}

/// The tests of CMake, by CMake where it is installed: `find_package`, the parts, what they write, and their failures.
#[test]
fn the_tests_of_cmake_fail_where_a_part_fails() {
    if Command::new("ctest").arg("--version").output().is_err() {
        // The gate installs it.
        assert!(std::env::var_os("CI").is_none(), "no CMake");
        return;
    }
    let blocks = blocks("cmake");
    let [block] = &blocks[..] else {
        panic!("{blocks:?}");
    };
    for (name, binding) in [("cmake", "tile.toml"), ("cmake-wrong", "wrong.toml")] {
        let place = place(name, binding);
        let folder = folder(&place);
        // As an installation has it, beside the folder of the program.
        let module = place.root.join("share/cmake/DeltanetCheck");
        std::fs::create_dir_all(&module).expect("made");
        let file = "DeltanetCheckConfig.cmake";
        std::fs::write(module.join(file), kit(&format!("ci/{file}"))).expect("written");
        let project = format!(
            "cmake_minimum_required(VERSION 3.16)\nproject(kernels NONE)\nenable_testing()\n{block}"
        );
        std::fs::write(folder.join("CMakeLists.txt"), project).expect("written");
        let cmake = "PATH=\"$PATH:$CMAKE_PLACES\"; cmake -S . -B built >&2";
        let places = std::env::var("PATH").expect("set");
        let with = |script: &str| format!("CMAKE_PLACES='{places}'; {script}");
        assert_eq!(bash(&place, &folder, &with(cmake)), 0);
        let run = "PATH=\"$PATH:$CMAKE_PLACES\"; cd built; ctest -j 2 >&2";
        let code = bash(&place, &folder, &with(run));
        assert_eq!(code != 0, binding == "wrong.toml");
        for part in 1..=4 {
            for extension in ["html", "xml"] {
                let file = folder.join(format!("built/kernels-{part}.{extension}"));
                assert!(file.exists(), "{}", file.display());
            }
        }
    }
}

/// The kits install this version, and the owner is visibly none, so that nobody runs somebody else's program.
#[test]
fn the_kits_have_the_version_of_the_program() {
    assert!(kit("action.yml").contains(&format!("default: {PACKAGE}\n")));
    assert!(kit("ci/gitlab.yml").contains(&format!("DELTANET_CHECK: {PACKAGE}\n")));
    let version = format!("version = \"{}\"\n", env!("CARGO_PKG_VERSION"));
    assert!(kit("python/pyproject.toml").contains(&version));
    assert!(
        kit("python/src/deltanet_check/__init__.py")
            .contains(&format!("__{}", version.replacen(" =", "__ =", 1)))
    );
    let page = kit("docs/ci.md");
    let tag = concat!("v", env!("CARGO_PKG_VERSION"));
    for word in ["ref: ", "rev: ", "OWNER/deltanet-check@"] {
        let versions = page.split(word).skip(1);
        let versions: Vec<&str> = versions.filter_map(|rest| rest.lines().next()).collect();
        assert!(!versions.is_empty() && versions.iter().all(|version| *version == tag));
    }
    assert!(page.contains(&format!("`{PACKAGE}`, which is the default")));
}
