//! A runner for the workflows of docs/ci.md and for the action of this repository. It does what GitHub does with the few features that they
//! use, and panics at any other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use saphyr::{LoadableYamlNode as _, YamlOwned};

/// The action of this repository, by the name that the page has for it.
pub const ACTION: &str = concat!("OWNER/deltanet-check@v", env!("CARGO_PKG_VERSION"));

/// A folder in which workflows run.
///
/// `bin` has programs that precede those of the system in PATH, `repository` is checked out. Jobs leave `jobs/NAME` (their last
/// workspace), `artifacts/NAME`, `temporary` and `summary`.
pub struct Place {
    /// The folder.
    pub root: PathBuf,
}

/// The result of a job.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// All steps of the job succeeded.
    Passed,
    /// A step of the job failed.
    Failed {
        /// The commands of the step.
        step: String,
        /// The exit code of the step.
        code: i32,
    },
}

/// A workflow.
#[derive(Debug)]
pub struct Workflow {
    yaml: YamlOwned,
}

/// A job as it runs: one for each element of a matrix.
struct Job<'a> {
    place: &'a Place,
    workspace: PathBuf,
    /// Values of expressions: `matrix.part`, `runner.temp`, `inputs.kernels`.
    values: BTreeMap<String, String>,
    /// Variables that steps have set for the steps behind them.
    variables: BTreeMap<String, String>,
    /// Directories that steps have added to PATH, the last one first.
    path: Vec<String>,
}

fn text(yaml: &YamlOwned) -> String {
    let text = yaml.as_str().map(str::to_owned);
    let number = || yaml.as_integer().map(|number| number.to_string());
    let truth = || yaml.as_bool().map(|truth| truth.to_string());
    text.or_else(number)
        .or_else(truth)
        .unwrap_or_else(|| panic!("no text: {yaml:?}"))
}

/// The texts of a mapping.
fn texts(yaml: Option<&YamlOwned>) -> BTreeMap<String, String> {
    let entries = yaml.and_then(YamlOwned::as_mapping).into_iter().flatten();
    entries
        .map(|(key, value)| (text(key), text(value)))
        .collect()
}

/// Runs a shell script, which must succeed.
fn shell(folder: &Path, script: &str, arguments: &[&str]) {
    let mut command = Command::new("bash");
    command
        .args(["-euO", "nullglob", "-c", script, "bash"])
        .args(arguments);
    let output = command.current_dir(folder).output().expect("bash starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script} {arguments:?}: {told}");
}

impl Workflow {
    /// Parses a workflow.
    pub fn new(text: &str) -> Workflow {
        let documents = YamlOwned::load_from_str(text);
        let mut documents = documents.unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(documents.len(), 1);
        let yaml = documents.remove(0);
        Workflow { yaml }
    }

    /// Runs the jobs in their order; each with its name, and the value of its matrix behind it.
    pub fn run(&self, place: &Place) -> Vec<(String, Ending)> {
        shell(&place.root, "rm -rf jobs artifacts temporary summary", &[]);
        let mut ended: Vec<(String, Ending)> = Vec::new();
        for (name, job) in self.yaml["jobs"].as_mapping().expect("jobs") {
            let name = text(name);
            if let Some(before) = job.as_mapping_get("needs") {
                let before = text(before);
                let mut runs = ended
                    .iter()
                    .filter(|(name, _)| name.split(' ').next() == Some(&before));
                assert!(
                    runs.clone().count() > 0,
                    "{name} needs {before}, which is not before it"
                );
                assert!(
                    runs.all(|(_, ending)| *ending == Ending::Passed),
                    "{before}: {ended:?}"
                );
            }
            let matrix = job
                .as_mapping_get("strategy")
                .map(|strategy| &strategy["matrix"]["part"]);
            let parts = matrix.map(|parts| parts.as_sequence().expect("a list").iter().map(text));
            match parts {
                None => ended.push((name.clone(), self.job(place, &name, job, None))),
                Some(parts) => {
                    for part in parts {
                        let ending = self.job(place, &name, job, Some(&part));
                        ended.push((format!("{name} {part}"), ending));
                    }
                }
            }
        }
        ended
    }

    fn job(&self, place: &Place, name: &str, job: &YamlOwned, part: Option<&str>) -> Ending {
        let workspace = place.root.join("jobs").join(name);
        let fresh = "rm -rf \"$1\"; mkdir -p \"$1\" artifacts temporary";
        shell(&place.root, fresh, &[workspace.to_str().expect("UTF-8")]);
        let temporary = place.root.join("temporary").display().to_string();
        let mut values = BTreeMap::from([("runner.temp".to_owned(), temporary)]);
        if let Some(part) = part {
            values.insert("matrix.part".into(), part.into());
        }
        let mut running = Job {
            place,
            workspace,
            values,
            variables: BTreeMap::new(),
            path: Vec::new(),
        };
        running.steps(job["steps"].as_sequence().expect("steps"))
    }
}

impl Job<'_> {
    fn steps(&mut self, steps: &[YamlOwned]) -> Ending {
        let mut ending = Ending::Passed;
        for step in steps {
            let condition = step.as_mapping_get("if").map(text);
            if !self.holds(condition.as_deref(), &ending) {
                continue;
            }
            let expanded = |name: &str| -> BTreeMap<String, String> {
                let entries = texts(step.as_mapping_get(name)).into_iter();
                entries
                    .map(|(name, value)| (name, self.expanded(&value)))
                    .collect()
            };
            let (with, environment) = (expanded("with"), expanded("env"));
            let ended = match (step.as_mapping_get("uses"), step.as_mapping_get("run")) {
                (Some(action), None) if text(action) == ACTION => self.own_action(&with),
                (Some(action), None) => {
                    self.action(&text(action), &with);
                    Ending::Passed
                }
                (None, Some(script)) => {
                    let script = self.expanded(&text(script));
                    match self.script(&script, &environment) {
                        0 => Ending::Passed,
                        code => Ending::Failed { step: script, code },
                    }
                }
                _ => panic!("neither an action nor a script: {step:?}"),
            };
            if ending == Ending::Passed {
                ending = ended;
            }
        }
        ending
    }

    /// Runs the steps of the action of this repository, with these inputs.
    fn own_action(&mut self, with: &BTreeMap<String, String>) -> Ending {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
        let action = Workflow::new(&std::fs::read_to_string(file).expect("there")).yaml;
        let inputs = action["inputs"].as_mapping().expect("inputs");
        for name in with.keys() {
            assert!(
                inputs.keys().any(|input| text(input) == *name),
                "no input {name}"
            );
        }
        for (name, input) in inputs {
            let name = text(name);
            let value = with.get(&name).cloned();
            let value = value.unwrap_or_else(|| text(&input["default"]));
            self.values.insert(format!("inputs.{name}"), value);
        }
        assert_eq!(text(&action["runs"]["using"]), "composite");
        let steps = action["runs"]["steps"].as_sequence().expect("steps");
        for step in steps.iter().filter(|step| step.contains_mapping_key("run")) {
            assert_eq!(text(&step["shell"]), "bash");
        }
        self.steps(steps)
    }

    /// True if a step runs. After a failure only a step that always runs does.
    fn holds(&self, condition: Option<&str>, ending: &Ending) -> bool {
        let parts = condition.into_iter().flat_map(|text| text.split(" && "));
        let (always, comparisons): (Vec<&str>, Vec<&str>) =
            parts.partition(|part| *part == "always()");
        let holds = comparisons.iter().all(|comparison| {
            let (name, value) = comparison.split_once(" != ").expect("a comparison");
            let have = self.values.get(name).unwrap_or_else(|| panic!("no {name}"));
            *have != value.trim_matches('\'')
        });
        holds && (!always.is_empty() || *ending == Ending::Passed)
    }

    /// A text with the values of its expressions.
    fn expanded(&self, text: &str) -> String {
        let mut parts = text.split("${{ ");
        let mut expanded = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once(" }}").expect("the end of an expression");
            expanded += self.values.get(name).unwrap_or_else(|| panic!("no {name}"));
            expanded += rest;
        }
        expanded
    }

    /// Runs a script as GitHub does; its exit code.
    fn script(&mut self, script: &str, environment: &BTreeMap<String, String>) -> i32 {
        let root = &self.place.root;
        std::fs::write(root.join("script"), script).expect("written");
        for file in ["path", "environment", "output"] {
            std::fs::write(root.join(file), "").expect("written");
        }
        let bin = root.join("bin").display().to_string();
        let path = self
            .path
            .iter()
            .map(String::as_str)
            .chain([&bin[..], "/usr/bin", "/bin"]);
        let path: Vec<&str> = path.collect();
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(root.join("script"))
            .current_dir(&self.workspace);
        command
            .env_clear()
            .envs(&self.variables)
            .envs(environment)
            .env("PATH", path.join(":"));
        command.env("GITHUB_ACTIONS", "true").env("HOME", root);
        command.env("GITHUB_PATH", root.join("path"));
        command.env("GITHUB_ENV", root.join("environment"));
        command.env("GITHUB_OUTPUT", root.join("output"));
        command.env("GITHUB_STEP_SUMMARY", root.join("summary"));
        let output = command.output().expect("bash starts");
        let code = output.status.code().expect("not killed");
        if code > 1 {
            let told = String::from_utf8_lossy(&output.stderr);
            eprintln!("{script}\n{told}");
        }
        // What the program printed, for annotations.
        std::fs::write(root.join("printed"), &output.stdout).expect("written");
        let added = std::fs::read_to_string(root.join("path")).expect("there");
        for directory in added.lines() {
            self.path.insert(0, directory.to_owned());
        }
        let set = std::fs::read_to_string(root.join("environment")).expect("there");
        let set = set
            .lines()
            .map(|line| line.split_once('=').expect("NAME=VALUE"));
        self.variables
            .extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
        code
    }

    fn action(&mut self, action: &str, with: &BTreeMap<String, String>) {
        let root = self.place.root.to_str().expect("UTF-8").to_owned();
        let asked = |name: &str| {
            with.get(name)
                .unwrap_or_else(|| panic!("{action} without {name}"))
        };
        match action {
            "actions/checkout@v4" => {
                shell(&self.workspace, "cp -r \"$1\"/repository/. .", &[&root])
            }
            "actions/cache@v4" => {
                assert!(asked("key").len() > "deltanet-check ".len());
                let downloads = Path::new(asked("path"));
                assert!(downloads.is_absolute(), "{}", downloads.display());
            }
            "actions/upload-artifact@v4" => {
                // Files keep their places below the workspace, and lose that they are programs.
                let keep = "to=$1; shift; mkdir -p \"$to\"; for pattern; do files=($pattern); [[ ${files[@]} && -e ${files[0]} ]]
                            cp --parents \"${files[@]}\" \"$to\"; done; find \"$to\" -type f -exec chmod 644 {} +";
                let to = format!("{root}/artifacts/{}", asked("name"));
                let path = asked("path");
                if Path::new(path).is_absolute() {
                    shell(
                        &self.workspace,
                        "mkdir -p \"$1\"; cp -r \"$2\"/. \"$1\"",
                        &[&to, path],
                    );
                    return;
                }
                let patterns: Vec<&str> = path.lines().collect();
                let here = |pattern: &&str| !pattern.contains('/');
                assert!(
                    patterns.iter().any(here),
                    "whose places would begin further down: {patterns:?}"
                );
                shell(&self.workspace, keep, &[&[&to[..]], &patterns[..]].concat());
            }
            "actions/download-artifact@v4" => {
                // Otherwise each artifact that matches a pattern gets a folder of its own.
                let merged = with
                    .get("merge-multiple")
                    .is_some_and(|value| value == "true");
                let wanted = if merged {
                    asked("pattern")
                } else {
                    asked("name")
                };
                let take = "for artifact in \"$1\"/artifacts/$2; do cp -r \"$artifact\"/. .; found=yes; done; [[ $found ]]";
                shell(&self.workspace, take, &[&root, wanted]);
            }
            _ => panic!("no stand-in for {action}"),
        }
    }
}
