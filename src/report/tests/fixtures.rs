//! Runs to be reported on: one where all is well, and one with every verdict and every problem.

use gfx906::machine::Poison;

use crate::compare::{
    Alternative, BufferAfter, NamedInput, OutputCase, ReferenceComparison, judge_buffers,
    judge_output, judge_repeat,
};
use crate::report::RunPlan;
use crate::report::model::{
    self, BytesReport, CardReport, CauseReport, CodeObjectReport, CountersReport, DeviceReport,
    DiagnosisReport, EnvironmentReport, ErrorKind, ExplainedElements, FindingReport, HostReport,
    KernelReport, LaunchReport, OriginReport, OtherReport, OutputReport, Owner, PhaseReport,
    Problem, RelationReport, RunReport, Severity, SiteReport, SmallestCase, SourceReport,
    Tolerance, TrialReport, Verdict,
};
use crate::tensor::Axis;
use crate::tensor::guards::Guards;
use crate::tensor::{Element, ElementKind, encode, guards, poison, with_element};
use crate::text::quoted;

const SEED: u64 = 0x5EED;

pub fn plan(report: &RunReport) -> RunPlan {
    RunPlan {
        environment: report.environment.clone(),
        device: report.device.clone(),
        code_object: report.code_object.clone(),
        seed: Some(report.seed),
        trials: report.totals.total(),
    }
}

fn run(phases: Vec<PhaseReport>) -> RunReport {
    let device = DeviceReport {
        kind: "emulator".into(),
        description: "emulator: gfx906 (MI50), 2 threads".into(),
        card: None,
    };
    let code_object = CodeObjectReport {
        path: "built in".into(),
        sha256: "ab12".repeat(16),
        build: Some("clang 19.1.7 -O3 --offload-arch=gfx906".into()),
    };
    RunReport::new((environment(), device, code_object), SEED, phases, 1.25)
}

fn environment() -> EnvironmentReport {
    let source = |path: &str, byte: &str| SourceReport {
        path: path.into(),
        sha256: byte.repeat(32),
    };
    EnvironmentReport {
        started: "2026-01-31T12:00:00Z".into(),
        host: HostReport {
            name: Some("desk".into()),
            os: "linux".into(),
            architecture: "x86_64".into(),
            threads: 2,
        },
        command: ["deltanet-check", "--phase", "1-8"]
            .map(String::from)
            .to_vec(),
        registry: Some(source("phases.toml", "0f")),
        bindings: vec![source("kernels/triangular.bind.toml", "1e")],
        kernels: vec![KernelReport {
            name: "kernel_tril".into(),
            vgprs: 8,
            sgprs: 16,
            vgpr_spills: 0,
            sgpr_spills: 0,
            lds: 1024,
            scratch: 0,
            code: 212,
            max_work_group: 1024,
        }],
        settings: None,
    }
}

/// Values without symmetry.
fn values(count: usize) -> Vec<f32> {
    (0..count)
        .map(|at| ((at as f32 + 1.0) * 0.618_034).fract() + 0.25)
        .collect()
}

/// An output whose values are those of its reference, changed by `spoil`.
struct Output {
    name: &'static str,
    axes: Vec<Axis>,
    element: ElementKind,
    tolerance: Tolerance,
    spoil: fn(usize, f32) -> f32,
}

impl Output {
    fn matrix(
        name: &'static str,
        rows: usize,
        columns: usize,
        spoil: fn(usize, f32) -> f32,
    ) -> Output {
        let axes = vec![Axis::new("row", rows), Axis::new("column", columns)];
        Output {
            name,
            axes,
            element: ElementKind::F32,
            tolerance: Tolerance::absolute(2.5e-6, 1e-4),
            spoil,
        }
    }

    /// Judged by the places of bf16.
    fn bf16(self, ulp: u32) -> Output {
        Output {
            element: ElementKind::Bf16,
            tolerance: Tolerance {
                ulp: Some(ulp),
                relative_rms: Some(1e-3),
                ..Tolerance::absolute(0.0, 1e-2)
            },
            ..self
        }
    }

    fn judged(&self) -> OutputReport {
        with_element!(self.element, E => self.judged_as::<E>())
    }

    fn judged_as<E: Element>(&self) -> OutputReport {
        // Not by way of a number where there is no need: the poison is to keep its bits.
        let of_type = |values: &[f32]| -> Vec<E> {
            let convert = |value: &f32| match E::KIND {
                ElementKind::F32 => E::from_bits(value.to_bits().into()),
                _ => E::nearest(f64::from(*value)),
            };
            values.iter().map(convert).collect()
        };
        let golden = values(self.axes.iter().map(|axis| axis.length).product());
        let got: Vec<f32> = golden
            .iter()
            .enumerate()
            .map(|(at, &value)| (self.spoil)(at, value))
            .collect();
        let oracle: Vec<f64> = golden
            .iter()
            .map(|&value| f64::from(value) * (1.0 + 3e-8))
            .collect();
        let input: Vec<f32> = golden.iter().map(|value| value * value * 3.0).collect();
        let dropped = || {
            oracle
                .iter()
                .enumerate()
                .map(|(at, v)| if at >= 32 { v - 1.0 } else { *v })
                .collect()
        };
        let owner = |index: &[usize]| {
            let [.., row, column] = *index else {
                return None;
            };
            let (x, y) = (column as u32, row as u32);
            Some(Owner {
                launch: 0,
                work_group: [x / 16, y / 16, 0],
                work_item: [x % 16, y % 16, 0],
            })
        };
        judge_output(&OutputCase {
            name: self.name,
            axes: &self.axes,
            tolerance: &self.tolerance,
            got: &of_type(&got),
            golden: &of_type(&golden),
            oracle: &oracle,
            inputs: &[NamedInput {
                name: "a",
                values: &of_type(&input),
                converted: false,
            }],
            alternatives: Some(&[Alternative {
                name: "state-dropped",
                explanation: "the state is dropped at chunk boundaries",
                values: &dropped,
            }]),
            owner: Some(&owner),
        })
        .expect("the fixture can be judged")
    }
}

/// A trial of phase 2 that ran one kernel.
fn trial(id: &str, outputs: &[Output]) -> TrialReport {
    let outputs: Vec<OutputReport> = outputs.iter().map(Output::judged).collect();
    let passed = outputs.iter().all(|output| output.verdict == Verdict::Pass);
    TrialReport {
        id: id.into(),
        phase: 2,
        title: format!("what {id} computes"),
        contract: id.into(),
        shape: "64x64".into(),
        documented: true,
        verdict: if passed { Verdict::Pass } else { Verdict::Fail },
        problem: None,
        outputs,
        findings: Vec::new(),
        relations: Vec::new(),
        error: None,
        error_kind: None,
        diagnosis: None,
        seed: SEED,
        launches: vec![LaunchReport {
            kernel: format!("kernel_{id}"),
            grid: [4, 4, 1],
            block: [16, 16, 1],
            dynamic_lds: 0,
            wave_instructions: Some(12_345),
            counters: None,
            kernel_seconds: None,
            seconds: 0.000_8,
        }],
        wave_instructions: Some(12_345),
        seconds: 0.001_25,
        rerun: format!(
            "deltanet-check --test {} --seed {SEED} --dump DIR",
            quoted(id)
        ),
    }
}

/// Returns `passing` with counters: a test of two kernels, one of them launched twice, and a test whose kernel has no vector instruction.
pub fn counted() -> RunReport {
    let counters = CountersReport {
        by_kind: [("branch", 4), ("lds", 0), ("valu", 96), ("vmem", 4)]
            .map(|(kind, count)| (kind.to_owned(), count))
            .into(),
        vector_instructions: 100,
        active_lanes: 6000,
        lane_utilisation: Some(6000.0 / 6400.0),
        bytes: [
            ("lds", BytesReport::default()),
            (
                "memory",
                BytesReport {
                    read: 1024,
                    written: 512,
                },
            ),
            (
                "scalar",
                BytesReport {
                    read: 48,
                    written: 0,
                },
            ),
        ]
        .map(|(space, bytes)| (space.to_owned(), bytes))
        .into(),
        barriers: 8,
        branches_taken: 3,
    };
    let mut report = passing();
    let mut trials = report.phases.iter_mut().flat_map(|phase| &mut phase.trials);
    let (Some(two), Some(scalar)) = (trials.next(), trials.next()) else {
        unreachable!("`passing` has several trials");
    };
    let launch = LaunchReport {
        counters: Some(counters),
        ..two.launches[0].clone()
    };
    let other = LaunchReport {
        kernel: "kernel_add".into(),
        ..launch.clone()
    };
    two.launches = vec![launch.clone(), other, launch];
    scalar.launches[0].counters = Some(CountersReport {
        by_kind: [("salu".to_owned(), 7)].into(),
        ..CountersReport::default()
    });
    report
}

/// Returns `passing` on a card that measures its kernels; the process of one test was ended.
pub fn on_a_card() -> RunReport {
    let mut report = passing();
    report.device = DeviceReport {
        kind: "hip".into(),
        description: "AMD Instinct MI50 (gfx906:sramecc+:xnack-), HIP device 0, 60 CUs".into(),
        card: Some(CardReport {
            index: 0,
            name: "AMD Instinct MI50".into(),
            architecture: "gfx906:sramecc+:xnack-".into(),
            compute_units: Some(60),
            memory: None,
            runtime: Some(50_221_153),
            driver: None,
            environment: vec!["HIP_VISIBLE_DEVICES=1".into()],
        }),
    };
    let mut trials = report.phases.iter_mut().flat_map(|phase| &mut phase.trials);
    let Some(lost) = trials.next() else {
        unreachable!("`passing` has several trials");
    };
    for trial in trials {
        trial.wave_instructions = None;
        for launch in &mut trial.launches {
            launch.wave_instructions = None;
            launch.kernel_seconds = Some(0.000_012_5);
        }
    }
    let launch = LaunchReport {
        wave_instructions: None,
        seconds: f64::NAN,
        ..lost.launches[0].clone()
    };
    *lost = TrialReport {
        launches: vec![launch],
        wave_instructions: None,
        ..unrun(
            &lost.id,
            Verdict::Error,
            "the process of the test was ended by SIGABRT before it had reported\nMemory access fault by GPU node-1",
        )
    };
    RunReport::new(
        (report.environment, report.device, report.code_object),
        report.seed,
        report.phases,
        report.seconds,
    )
}

/// Returns a run in which everything passes.
pub fn passing() -> RunReport {
    let nudged = |_: usize, value: f32| value.next_up();
    let exact = Output {
        tolerance: Tolerance {
            zero_signs_equal: true,
            ..Tolerance::absolute(0.0, 1e-6)
        },
        ..Output::matrix("out", 32, 32, |_, value| value)
    };
    let limited = Output {
        tolerance: Tolerance {
            relative: 1e-6,
            relative_rms: Some(1e-5),
            ..Tolerance::absolute(1e-6, 1e-2)
        },
        ..Output::matrix("state", 16, 16, nudged)
    };
    // A small share of an ulp of f32 is one of bf16 where it crosses a tie.
    let one_off = Output::matrix("o", 16, 16, |at, value| {
        if at == 5 {
            value * (1.0 + 1.0 / 256.0)
        } else {
            value
        }
    });
    let slack = Output::matrix("o", 16, 16, |_, value| value).bf16(2);
    let slack = Output {
        tolerance: Tolerance {
            absolute: 1e-6,
            ..slack.tolerance
        },
        ..slack
    };
    let mut extra = trial(
        "transpose:rows=17,columns=33",
        &[Output::matrix("out", 17, 33, |_, value| value)],
    );
    extra.documented = false;
    extra.wave_instructions = None;
    extra.shape = "rows=17 columns=33".into();
    run(vec![
        PhaseReport {
            number: 0,
            title: "kernels the registry never tests".into(),
            note: None,
            trials: vec![extra],
        },
        PhaseReport {
            number: 2,
            title: "triangular operations".into(),
            note: None,
            trials: vec![
                trial("tril", &[exact]),
                trial("solve_tri_64", &[Output::matrix("x", 64, 64, nudged)]),
                trial(
                    "deltanet_full",
                    &[Output::matrix("o", 16, 16, |_, value| value), limited],
                ),
            ],
        },
        PhaseReport {
            number: 11,
            title: "GDR operators".into(),
            note: None,
            trials: vec![
                trial("gdr_utils_tk bf16↔float", &[one_off.bf16(1)]),
                trial("op_tk (8 elementwise ops)", &[slack]),
            ],
        },
    ])
}

/// Returns a run with one trial of every verdict and every kind of problem.
pub fn mixed() -> RunReport {
    let whole = || Output::matrix("out", 64, 64, |_, value| value);
    let poisoned = |at: usize, value: f32| {
        if at >= 64 {
            poison::element()
        } else {
            value + 0.5
        }
    };
    let not_numbers = |at: usize, value: f32| match at {
        70 => f32::from_bits(poison::POISON | 1 << 22),
        71 => f32::from_bits(Poison::Register.word()),
        72..75 => f32::from_bits(Poison::Lds.word()),
        80 => f32::from_bits(Poison::Scratch.word()),
        99 => f32::NAN,
        4000 => f32::NEG_INFINITY,
        _ => value,
    };
    let one_nan = |at: usize, value: f32| match at {
        1200 => f32::NAN,
        1024..1585 => -value,
        _ => value,
    };
    let flipped = |at: usize, value: f32| match at {
        1200 => f32::NAN,
        1201 => f32::INFINITY,
        _ => -value,
    };
    let doubled = |at: usize, value: f32| {
        if at == 130 {
            value * 2.0 + 0.001
        } else {
            value * 2.0
        }
    };
    let chunks = Output {
        axes: vec![
            Axis::new("chunk", 2),
            Axis::new("row", 4),
            Axis::new("column", 8),
        ],
        ..Output::matrix(
            "state",
            1,
            1,
            |at, value| if at >= 32 { value - 1.0 } else { value },
        )
    };
    let rms = Output {
        tolerance: Tolerance {
            relative_rms: Some(1e-7),
            ..Tolerance::absolute(1.0, 1.0)
        },
        ..Output::matrix("o", 8, 8, |_, value| value + 0.01)
    };

    let axes = [Axis::new("row", 8), Axis::new("column", 8)];
    let half_written = |at: usize, value: f32| {
        if at % 64 >= 32 {
            poison::element()
        } else {
            value
        }
    };
    let exact = Output {
        tolerance: Tolerance::absolute(0.0, 0.0),
        ..Output::matrix(
            "out",
            16,
            16,
            |at, value| if at % 17 == 0 { 0.0 } else { value },
        )
    };
    let two_off = Output::matrix("Ai", 16, 16, |at, value| {
        if at / 16 == 3 {
            value * (1.0 + 1.0 / 64.0)
        } else {
            value
        }
    });
    let mut several = trial("deltanet_full", &[whole(), chunks]);
    let launch = several.launches[0].clone();
    several.launches.push(LaunchReport {
        kernel: "kernel_add".into(),
        dynamic_lds: 2048,
        ..launch
    });
    let mut many = trial("intra_chunk", &[rms]);
    many.launches = several.launches.iter().cycle().take(9).cloned().collect();
    let mut guard = trial("overrun", &[whole()]);
    let mut image = guards::frame(&encode(&values(64)), Guards::FULL);
    image[guards::GUARD_BYTES + 256..guards::GUARD_BYTES + 272].fill(0);
    guard.verdict = Verdict::Fail;
    guard.problem = judge_buffers(&[buffer(&axes, "out", &image, None)]);

    let mut changed = trial("scribble", &[whole()]);
    let was = encode(&values(64));
    let mut is = values(64);
    is[9] = -0.0;
    changed.verdict = Verdict::Fail;
    changed.problem = judge_buffers(&[buffer(
        &axes,
        "a",
        &guards::frame(&encode(&is), Guards::FULL),
        Some(&was),
    )]);

    let mut lawless = trial("lawless", &[whole()]);
    lawless.verdict = Verdict::Fail;
    lawless.relations = relations(&axes);

    let mut racy = trial("racy", &[whole()]);
    let mut second = values(64);
    second[63] = 7.0;
    racy.verdict = Verdict::Fail;
    racy.problem = judge_repeat("out", &[Axis::new("element", 64)], 2, &values(64), &second);

    let mut forgotten = trial("gate", &[Output::matrix("o", 64, 64, doubled)]);
    forgotten.diagnosis = Some(diagnosis());

    let mut found = trial("unsynchronised", &[whole()]);
    found.verdict = Verdict::Fail;
    found.findings = findings();
    let mut warned = trial("warned", &[whole()]);
    warned.findings = findings();

    run(vec![
        PhaseReport {
            number: 2,
            title: "triangular operations".into(),
            note: None,
            trials: vec![
                trial("tril", &[whole()]),
                trial("causal_mask", &[Output::matrix("mask", 64, 64, poisoned)]),
                trial("transpose", &[Output::matrix("out", 64, 64, half_written)]),
                trial("eye", &[exact]),
                trial("gemm_nt", &[Output::matrix("c", 64, 64, not_numbers)]),
                trial("neg", &[Output::matrix("out", 64, 64, one_nan)]),
                trial("sub", &[Output::matrix("out", 64, 64, flipped)]),
                trial("scale", &[Output::matrix("out", 64, 64, doubled)]),
                trial("chunk_tk solve_tril (in-place)", &[two_off.bf16(1)]),
                several,
                many,
                guard,
                changed,
                lawless,
                racy,
                forgotten,
                found,
                warned,
                unrun(
                    "hang",
                    Verdict::Error,
                    "kernel kernel_hang: stopped after 1000 instructions\n  at pc 0x1040: s_branch 65535\n\x1b[31mred",
                ),
            ],
        },
        PhaseReport {
            number: 9,
            title: "the rule itself".into(),
            note: Some("Not the\u{1b} rule.".into()),
            trials: vec![
                unrun(
                    "later",
                    Verdict::Skip,
                    "needs a second kernel file; give one with --kernels",
                ),
                unrun(
                    "matrix_core",
                    Verdict::Unsupported,
                    "the device has no matrix instructions",
                ),
            ],
        },
    ])
}

fn buffer<'a>(
    axes: &'a [Axis],
    name: &'a str,
    image: &'a [u8],
    unchanged: Option<&'a [u8]>,
) -> BufferAfter<'a> {
    BufferAfter {
        name,
        kind: ElementKind::F32,
        axes,
        image,
        guards: Guards::FULL,
        unchanged,
    }
}

/// Returns three laws: one is kept, one is broken, and one could not be tried.
fn relations(axes: &[Axis]) -> Vec<RelationReport> {
    let of = |name: &str, verdict| RelationReport {
        name: name.into(),
        verdict,
        reason: None,
        problem: None,
        damage: None,
    };
    let broken = Problem::RelationBroken {
        relation: "scaled-by-two".into(),
        says: "with v twice as large, so are the outputs".into(),
        output: "out".into(),
        element: "f32".into(),
        runs: 2,
        count: 8,
        total: 64,
        axes: axes.to_vec(),
        worst: model::Element {
            index: vec![3, 1],
            got: 0.75,
            want: 1.0,
            allowed: 0.0,
            owner: None,
        },
        pattern: Some("row 3".into()),
    };
    let wrong: Vec<bool> = (0..64).map(|at| at / 8 == 3).collect();
    let error = |at: usize| if wrong[at] { 0.25 } else { 0.0 };
    let damage = ReferenceComparison {
        axes,
        wrong: &wrong,
        got: &|at| 1.0 - error(at),
        want: &|_| 1.0,
        allowed: &|_| 0.0,
        error: &error,
    }
    .damage();
    vec![
        of("negated", Verdict::Pass),
        RelationReport {
            problem: Some(broken),
            damage: Some(damage),
            ..of("scaled-by-two", Verdict::Fail)
        },
        RelationReport {
            reason: Some("the binding is for T of 64 alone".into()),
            ..of("padded", Verdict::Skip)
        },
    ]
}

/// Returns a diagnosis of two causes and a smaller case. One text is as long as a sentence may get.
fn diagnosis() -> DiagnosisReport {
    let scale = CauseReport {
        kind: "scale".into(),
        output: None,
        tensor: None,
        kernel: None,
        text: "the results are\u{1b} twice the reference".into(),
        explains: None,
    };
    DiagnosisReport {
        causes: vec![
            CauseReport {
                kind: "not-applied".into(),
                output: Some("o".into()),
                tensor: Some("beta".into()),
                kernel: None,
                text: "the kernel does not read `beta`; its results are those of a `beta` of 1 for every token and head"
                    .into(),
                explains: Some(ExplainedElements {
                    right: 4090,
                    wrong: 4096,
                }),
            },
            scale,
        ],
        origins: vec![OriginReport {
            kernel: "gate".into(),
            at: SiteReport {
                pc: 0x108,
                text: "v_exp_f32_e32 v3, v2".into(),
                source: Some("gate.hip:7".into()),
            },
            tensor: None,
            value: "inf".into(),
            text: "gate.hip:7: `v_exp_f32_e32 v3, v2` made inf of v2 = 128.0".into(),
            place: "work-group (1,2,3), wave 0, lane 32".into(),
        }],
        smallest: Some(SmallestCase {
            case: "gate:T=1,H=1".into(),
            rerun: "deltanet-check --test gate:T=1,H=1 --seed 0".into(),
        }),
        launches: 87,
        cut_short: true,
        far_elsewhere: false,
    }
}

/// Returns a finding of two waves, and a finding of a single instruction.
fn findings() -> Vec<FindingReport> {
    let site = |pc: u64, text: &str, source: Option<&str>| SiteReport {
        pc,
        text: text.into(),
        source: source.map(Into::into),
    };
    let race = FindingReport {
        check: "race".into(),
        kind: "LDS is read while it is written".into(),
        severity: Severity::Mistake,
        kernel: "_Z6kernelPf".into(),
        at: site(0x1a40, "ds_read_b32 v2, v1", Some("kernel.hip:12")),
        work_group: [0, 3, 1],
        wave: 2,
        lanes: "0-15, 32".into(),
        what: "byte 260 of LDS is read here and written by another of the waves".into(),
        other: Some(OtherReport {
            did: "writes it".into(),
            at: Some(site(0x1a20, "ds_write_b32 v1, v0", None)),
            work_group: None,
            wave: Some(1),
        }),
        cure: "`__syncthreads()` between the two instructions".into(),
        count: 640,
    };
    let alone = FindingReport {
        check: "memory".into(),
        kind: "misaligned".into(),
        severity: Severity::Hint,
        lanes: "7".into(),
        what: "LDS is read at \u{1b}byte 4".into(),
        other: None,
        count: 1,
        ..race.clone()
    };
    vec![race, alone]
}

fn unrun(id: &str, verdict: Verdict, reason: &str) -> TrialReport {
    TrialReport {
        verdict,
        error: Some(reason.into()),
        error_kind: (verdict == Verdict::Error).then_some(match id {
            "hang" => ErrorKind::Hang,
            _ => ErrorKind::Fault,
        }),
        launches: Vec::new(),
        ..trial(id, &[])
    }
}
