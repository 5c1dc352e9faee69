//! A runner for the workflows of docs/ci.md. It does what GitHub does with the few features that they use, and panics at any other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use saphyr::{LoadableYamlNode as _, YamlOwned};

/// The variables that the page asks its reader to set.
pub const WORDS: [&str; 2] = ["TOOL", "COMMIT"];

/// A folder in which workflows run.
///
/// `bin` has programs that precede those of the system in PATH, `repository` is checked out. Jobs leave `jobs/NAME` (their last
/// workspace), `artifacts/NAME`, `cache/KEY` and `summary`.
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
    /// Values of expressions: `matrix.part`, `env.COMMIT`, `runner.os`, `steps.tool.outputs.cache-hit`.
    values: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
    /// Directories that steps have added to PATH, the last one first.
    path: Vec<String>,
    /// The path and key that go into the cache when the job has ended.
    cached: Vec<(String, String)>,
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

    /// A variable of the workflow.
    pub fn variable(&self, name: &str) -> String {
        text(&self.yaml["env"][name])
    }

    /// Runs the jobs in their order; each with its name, and the value of its matrix behind it.
    pub fn run(&self, place: &Place) -> Vec<(String, Ending)> {
        shell(&place.root, "rm -rf jobs artifacts summary", &[]);
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
        let fresh = "rm -rf \"$1\"; mkdir -p \"$1\" artifacts cache";
        shell(&place.root, fresh, &[workspace.to_str().expect("UTF-8")]);
        let variables = texts(self.yaml.as_mapping_get("env"));
        let mut values: BTreeMap<String, String> = variables
            .iter()
            .map(|(name, value)| (format!("env.{name}"), value.clone()))
            .collect();
        values.insert("runner.os".into(), "Linux".into());
        if let Some(part) = part {
            values.insert("matrix.part".into(), part.into());
        }
        let mut running = Job {
            place,
            workspace,
            values,
            variables,
            path: Vec::new(),
            cached: Vec::new(),
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
            let with = texts(step.as_mapping_get("with"));
            let with = with
                .into_iter()
                .map(|(name, value)| (name, self.expanded(&value)))
                .collect();
            match (step.as_mapping_get("uses"), step.as_mapping_get("run")) {
                (Some(action), None) => {
                    self.action(&text(action), step.as_mapping_get("id"), &with)
                }
                (None, Some(script)) => {
                    let script = self.expanded(&text(script));
                    let code = self.script(&script);
                    if code != 0 && ending == Ending::Passed {
                        ending = Ending::Failed { step: script, code };
                    }
                }
                _ => panic!("neither an action nor a script: {step:?}"),
            }
        }
        for (path, key) in std::mem::take(&mut self.cached) {
            if ending == Ending::Passed {
                let cache = self.place.root.join("cache").join(key);
                let keep = "[[ -e $2 ]] || cp -r \"$1\" \"$2\"";
                shell(
                    &self.workspace,
                    keep,
                    &[&path, cache.to_str().expect("UTF-8")],
                );
            }
        }
        ending
    }

    /// True if a step runs. After a failure only a step that always runs does.
    fn holds(&self, condition: Option<&str>, ending: &Ending) -> bool {
        let well = *ending == Ending::Passed;
        match condition {
            None => well,
            Some("always()") => true,
            Some(condition) => {
                let (name, value) = condition.split_once(" != ").expect("a comparison");
                let have = self.values.get(name).unwrap_or_else(|| panic!("no {name}"));
                well && *have != value.trim_matches('\'')
            }
        }
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
    fn script(&mut self, script: &str) -> i32 {
        let root = &self.place.root;
        std::fs::write(root.join("script"), script).expect("written");
        std::fs::write(root.join("path"), "").expect("written");
        let bin = root.join("bin").display().to_string();
        let path = self
            .path
            .iter()
            .map(String::as_str)
            .chain([&bin[..], "/usr/bin", "/bin"]);
        let path: Vec<&str> = path.collect();
        let mut command = Command::new("bash");
        command
            .arg("-e")
            .arg(root.join("script"))
            .current_dir(&self.workspace);
        command
            .env_clear()
            .envs(&self.variables)
            .env("PATH", path.join(":"));
        command.env("GITHUB_ACTIONS", "true").env("HOME", root);
        command.env("GITHUB_PATH", root.join("path"));
        command.env("GITHUB_STEP_SUMMARY", root.join("summary"));
        let output = command.output().expect("bash starts");
        let code = output.status.code().expect("not killed");
        if code > 1 {
            let told = String::from_utf8_lossy(&output.stderr);
            eprintln!("{script}\n{told}");
        }
        let added = std::fs::read_to_string(root.join("path")).expect("there");
        for directory in added.lines() {
            self.path.insert(0, directory.to_owned());
        }
        code
    }

    fn action(&mut self, action: &str, id: Option<&YamlOwned>, with: &BTreeMap<String, String>) {
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
                let (path, key) = (asked("path"), asked("key"));
                let hit = Path::new(&root).join("cache").join(key).exists();
                if hit {
                    shell(
                        &self.workspace,
                        "cp -r \"$1\" \"$2\"",
                        &[&format!("{root}/cache/{key}"), path],
                    );
                }
                let id = text(id.expect("a cache that a condition asks"));
                let said = if hit { "true" } else { "" };
                self.values
                    .insert(format!("steps.{id}.outputs.cache-hit"), said.into());
                self.cached.push((path.clone(), key.clone()));
            }
            "actions/upload-artifact@v4" => {
                // Files keep their places below the workspace, and lose that they are programs.
                let keep = "to=$1; shift; mkdir -p \"$to\"; for pattern; do files=($pattern); [[ ${files[@]} && -e ${files[0]} ]]
                            cp --parents \"${files[@]}\" \"$to\"; done; find \"$to\" -type f -exec chmod 644 {} +";
                let to = format!("{root}/artifacts/{}", asked("name"));
                let patterns: Vec<&str> = asked("path").lines().collect();
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
