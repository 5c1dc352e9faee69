//! The result of a self-test.

/// The result of a self-test.
pub struct SelfTest {
    /// The device that ran the kernels.
    pub device: String,
    /// The seed of the inputs.
    pub seed: u64,
    /// True if the result contains all tests.
    pub complete: bool,
    /// The number of selected tests.
    pub selected: usize,
    /// Every test, in the registry's order.
    pub tests: Vec<TestResult>,
}

/// The result of one test.
pub struct TestResult {
    /// The test's id.
    pub id: String,
    /// Number of its phase.
    pub phase: u32,
    /// Its cases.
    pub cases: Vec<CaseResult>,
    /// True if each case must catch a planted bug. Cases of bindings need not, and a design does not
    /// know which bugs show in which case.
    pub each: bool,
    /// Its planted bugs.
    pub planted: Vec<PlantResult>,
}

/// The result of one case.
pub struct CaseResult {
    /// The case's id.
    pub id: String,
    /// The problem of the honest kernels; none if they pass, which implies that zeros and echoes are
    /// rejected.
    pub honest: Option<String>,
    /// The description of how a run without launches was rejected; none if that run passed.
    pub silent: Option<String>,
    /// The number of planted bugs that the case caught.
    pub caught: usize,
}

/// The result of one planted bug.
pub struct PlantResult {
    /// The mistake in words.
    pub name: String,
    /// True if the test must catch the bug.
    pub due: bool,
    /// The description of how the first catching case caught it; none if no case did.
    pub caught: Option<String>,
    /// The number of cases that caught it.
    pub by: usize,
    /// The number of cases that tried it.
    pub tried: usize,
    /// True if any case launched it.
    pub launched: bool,
}

impl SelfTest {
    /// Returns every violation of the self-test's demands, one line each.
    pub fn complaints(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for test in &self.tests {
            for case in &test.cases {
                if let Some(what) = &case.honest {
                    lines.push(format!(
                        "{}: the honest kernels do not pass: {what}",
                        case.id
                    ));
                }
                if case.silent.is_none() {
                    lines.push(format!("{}: passes without a single launch", case.id));
                }
                if case.caught == 0 && test.each {
                    lines.push(format!("{}: catches no planted bug of its test", case.id));
                }
            }
            let missed = |plant: &&PlantResult| plant.due && plant.caught.is_none();
            for plant in test.planted.iter().filter(missed) {
                let why = if plant.launched {
                    "was not caught"
                } else {
                    "was never launched"
                };
                lines.push(format!("{}: planted bug `{}` {why}", test.id, plant.name));
            }
        }
        lines
    }

    /// Returns the number of planted bugs that were caught or must be, and the number that were caught.
    pub fn planted(&self) -> (usize, usize) {
        let all = self.tests.iter().flat_map(|test| &test.planted);
        let caught = |plant: &&PlantResult| plant.caught.is_some();
        let counted: Vec<&PlantResult> = all.filter(|one| one.due || caught(one)).collect();
        let found = counted.iter().filter(|plant| caught(plant)).count();
        (counted.len(), found)
    }
}
