//! What a self-test found.

/// The result of a self-test.
pub struct SelfTest {
    /// What the kernels ran on.
    pub device: String,
    /// The seed of the inputs.
    pub seed: u64,
    /// Whether all tests are in it.
    pub complete: bool,
    /// How many there are to be.
    pub selected: usize,
    /// Every test, in the registry's order.
    pub tests: Vec<TestResult>,
}

/// What became of one test.
pub struct TestResult {
    /// The test's id.
    pub id: String,
    /// Number of its phase.
    pub phase: u32,
    /// Its cases.
    pub cases: Vec<CaseResult>,
    /// Whether each case must catch a planted bug: those of bindings need not, and a design does not know where each is wrong.
    pub each: bool,
    /// Its planted bugs.
    pub planted: Vec<PlantResult>,
}

/// What became of one case.
pub struct CaseResult {
    /// The case's id.
    pub id: String,
    /// The honest kernels: nothing where they pass, and so zeros and echoes are rejected; otherwise what is wrong.
    pub honest: Option<String>,
    /// How the output of no launch at all was rejected; nothing if it passed.
    pub silent: Option<String>,
    /// How many planted bugs it caught.
    pub caught: usize,
}

/// What became of one planted bug.
pub struct PlantResult {
    /// What is wrong in it.
    pub name: String,
    /// Whether the test must catch it.
    pub due: bool,
    /// How it was caught, in the first case that did; nothing if none did.
    pub caught: Option<String>,
    /// How many cases caught it.
    pub by: usize,
    /// In how many it was tried.
    pub tried: usize,
    /// Whether any case launched it.
    pub launched: bool,
}

impl SelfTest {
    /// Everything that is not as it must be, one line each.
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

    /// How many planted bugs there are that were caught or must be, and how many were.
    pub fn planted(&self) -> (usize, usize) {
        let all = self.tests.iter().flat_map(|test| &test.planted);
        let caught = |plant: &&PlantResult| plant.caught.is_some();
        let counted: Vec<&PlantResult> = all.filter(|one| one.due || caught(one)).collect();
        let found = counted.iter().filter(|plant| caught(plant)).count();
        (counted.len(), found)
    }
}
