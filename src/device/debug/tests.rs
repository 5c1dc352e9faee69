//! Tests of timelines and stops, on kernels of `tests/data/debug.hip`.

use super::*;
use crate::tensor::Axis;
use crate::tensor::npy::Dtype;

/// A driver that is a function.
struct Script<F>(F);

impl<F: FnMut(&mut Timeline) + Send> Driver for Script<F> {
    fn drive(&mut self, timeline: &mut Timeline) -> DeviceResult {
        (self.0)(timeline);
        Ok(())
    }
    fn skipped(&mut self, _: &str, _: &str) {}
}

const GROUPS: u32 = 2;
const OUTPUTS: usize = 128 * GROUPS as usize;

/// Launches `smooth` as often as `counts` has numbers, each with another `n`, under a driver. Returns the outputs.
fn smooth(counts: &[i32], driver: impl FnMut(&mut Timeline) + Send + 'static) -> Vec<f32> {
    let bytes = include_bytes!("../../../tests/data/debug.co").to_vec();
    let program = Program::parse("debug.co", bytes, None).expect("a code object");
    let device = DebugDevice::new(Arc::new(Mutex::new(Script(driver))));
    let session = device.open(0, Limits::default(), &crate::device::NOTHING);
    let mut session = session.expect("a session");
    let module = session.load(&program).expect("memory");
    let input = session.alloc("x", 512).expect("memory").address;
    let output = session
        .alloc("o", 4 * OUTPUTS as u64)
        .expect("memory")
        .address;
    let values: Vec<u8> = (0..128).flat_map(|n| (n as f32).to_le_bytes()).collect();
    session.upload(input, &values).expect("allocated");
    let axes = vec![Axis::new("group", GROUPS as usize), Axis::new("item", 128)];
    session.describe(TensorView::plain("o", output, Dtype::F32, axes));
    for count in counts {
        let mut kernarg = [input.to_le_bytes(), output.to_le_bytes()].concat();
        kernarg.extend(count.to_le_bytes());
        let launch = Launch {
            kernel: "smooth",
            grid: [GROUPS, 1, 1],
            block: [128, 1, 1],
            dynamic_lds: 0,
            kernarg: &kernarg,
            cooperative: false,
        };
        session.launch(module, &launch).expect("a right kernel");
    }
    let mut bytes = vec![0; 4 * OUTPUTS];
    session.download(output, &mut bytes).expect("allocated");
    crate::tensor::decode(&bytes)
}

/// Halves of the sums that `smooth` computes.
fn expected(count: i32) -> Vec<f32> {
    let item = |item: usize| {
        let mut sum = 0.0;
        for k in 0..count as usize {
            sum += ((item + k) % 128) as f32 * k as f32 + 1.0;
        }
        sum * 0.5
    };
    (0..OUTPUTS).map(|at| item(at % 128)).collect()
}

fn end(timeline: &mut Timeline) {
    while timeline.step().is_some() {}
}

fn never() -> bool {
    false
}

/// The bits of all registers of the group, and of its LDS.
fn image(timeline: &Timeline) -> Vec<u32> {
    let stepper = timeline.stepper().expect("a launch");
    let mut image = stepper.lds().words().to_vec();
    for wave in stepper.waves() {
        image.extend(wave.v.iter().flatten());
        image.extend(wave.s);
        image.push(wave.pc as u32);
    }
    image
}

fn number(timeline: &Timeline, text: &str) -> f64 {
    let wave = timeline.wave(0);
    let item = evaluate(timeline, Some((wave, 0)), text).expect("a value");
    item.number.expect("a number")
}

#[test]
fn a_moment_is_the_same_however_it_is_reached() {
    let output = smooth(&[3, 60_000], |timeline| {
        if timeline.launches() == 1 {
            return end(timeline);
        }
        let mut images = Vec::new();
        // Moments before, at and behind saved moments, which are 100,000 instructions apart.
        let wanted = [7, 99_999, 100_000, 100_001, 1_234_567];
        while timeline.step().is_some() {
            if wanted.contains(&timeline.now().instruction) {
                images.push((timeline.now(), image(timeline)));
            }
        }
        assert_eq!(images.len(), wanted.len());
        let last = timeline.now();
        let earlier = Moment {
            launch: 0,
            instruction: 40,
        };
        for (moment, image_then) in images.iter().rev().chain(&images) {
            timeline.go_to(earlier);
            assert_eq!(timeline.now(), earlier);
            timeline.go_to(*moment);
            assert_eq!(timeline.now(), *moment);
            assert!(image(timeline) == *image_then, "{moment:?}");
        }
        timeline.go_to(last);
    });
    assert!(output.iter().all(|value| value.is_finite()));
    assert_eq!(smooth(&[3], end), expected(3));
}

#[test]
fn time_goes_back_into_an_earlier_launch_and_forward_again() {
    let output = smooth(&[1, 2], |timeline| {
        if timeline.launches() == 1 {
            return end(timeline);
        }
        let mut stops = Stops::default();
        let address = timeline.tensors()[0].address + 4 * 130;
        stops.watchpoints = vec![Watchpoint::new(1, "o[1,2]", Place::Memory(address), 4)];
        let value = |timeline: &Timeline| number(timeline, "o[1,2]");
        let after_first = value(timeline);
        assert_eq!(after_first, f64::from(expected(1)[2]));
        let is_change = |stop: &Stop| matches!(stop, Stop::Change { ids, .. } if *ids == [1]);

        let stop = stops.backward(timeline, &mut never);
        assert!(is_change(&stop), "{stop:?}");
        assert_eq!((timeline.now().launch, value(timeline)), (0, after_first));
        let stop = stops.backward(timeline, &mut never);
        assert_eq!((stop, timeline.now()), (Stop::Beginning, Moment::default()));
        assert_eq!(value(timeline), 0.0);

        for (launch, count) in [(0, 1), (1, 2)] {
            let stop = stops.forward(timeline, &mut never);
            assert!(is_change(&stop), "{stop:?}");
            let found = (timeline.now().launch, value(timeline));
            assert_eq!(found, (launch, f64::from(expected(count)[2])));
        }
        assert_eq!(stops.forward(timeline, &mut never), Stop::End);
    });
    assert_eq!(output, expected(2));
}

#[test]
fn a_step_back_undoes_a_step() {
    smooth(&[3], |timeline| {
        let mut stops = Stops::default();
        let wave = timeline.wave(1);
        for kind in [StepKind::Instruction, StepKind::In] {
            timeline.go_to(Moment::default());
            let mut addresses = Vec::new();
            while !timeline.is_over(wave) {
                if timeline.next_wave() == Some(wave) {
                    addresses.push(timeline.address(wave));
                }
                stops.begin_step(timeline, Some((wave, kind)));
                assert_eq!(stops.forward(timeline, &mut never), Stop::Step(wave));
            }
            assert!(addresses.len() > 15, "{kind:?}: {}", addresses.len());
            // The steps forwards stop when the wave has run, which may be before its next turn.
            let mut back = Vec::new();
            while stops.step_back(timeline, wave, kind, &mut never) == Stop::Step(wave) {
                assert_eq!(timeline.next_wave(), Some(wave));
                back.push(timeline.address(wave));
            }
            let known = addresses.iter().filter(|address| back.contains(address));
            assert_eq!(known.count(), addresses.len(), "{kind:?}");
            assert!(back.len() >= addresses.len(), "{kind:?}");
        }
        end(timeline);
    });
}

#[test]
fn breakpoints_have_conditions_and_counts() {
    smooth(&[3], |timeline| {
        let source = timeline.code().and_then(Code::source).expect("-g");
        let addresses = source.addresses("./debug.hip", 29);
        assert!(!addresses.is_empty());
        let breakpoint = |condition: Option<&str>, skip| Breakpoint {
            id: 5,
            addresses: addresses.clone(),
            condition: condition.map(|text| Condition::parse(text).expect("a condition")),
            skip,
            hits: 0,
        };
        for (condition, skip, hits) in [
            (None, 1, 4),
            (None, 3, 2),
            (Some("wave == 1"), 1, 2),
            (Some("wave == 1 && group.x == 1 && args.n == 3"), 1, 1),
            (Some("group.x > 1"), 1, 0),
            (Some("nothing == 0"), 1, 0),
        ] {
            timeline.go_to(Moment::default());
            let mut stops = Stops::default();
            stops.breakpoints = vec![breakpoint(condition, skip)];
            let mut found = 0;
            while stops.forward(timeline, &mut never) == Stop::Breakpoint(vec![5]) {
                found += 1;
            }
            assert_eq!(found, hits, "{condition:?} {skip}");
        }
    });
}

#[test]
fn a_run_that_somebody_interrupts_stops_between_instructions() {
    smooth(&[60_000], |timeline| {
        let mut stops = Stops::default();
        assert_eq!(stops.forward(timeline, &mut || true), Stop::Pause);
        let paused = timeline.now().instruction;
        assert!((1..100_000).contains(&paused), "{paused}");
        end(timeline);
        assert_eq!(stops.backward(timeline, &mut || true), Stop::Pause);
        end(timeline);
    });
}

#[test]
fn values_have_names() {
    smooth(&[3], |timeline| {
        let mut stops = Stops::default();
        let source = timeline.code().and_then(Code::source).expect("-g");
        stops.breakpoints = vec![Breakpoint {
            id: 1,
            addresses: source.addresses("./debug.hip", 30),
            condition: None,
            skip: 1,
            hits: 0,
        }];
        assert_eq!(
            stops.forward(timeline, &mut never),
            Stop::Breakpoint(vec![1])
        );
        let wave = timeline.next_wave().expect("a wave");
        let frame = Some((wave, 0));
        for (text, value) in [
            ("result[5]", f64::from(expected(3)[5])),
            ("tile[5]", 5.0),
            ("lds[20]", f64::from(5.0f32.to_bits())),
            ("args.n", 3.0),
            ("wave", 0.0),
            ("exec", u64::MAX as f64),
            ("o[1, 0x7f]", 0.0),
        ] {
            let item = evaluate(timeline, frame, text).expect("a value");
            assert_eq!(item.number, Some(value), "{text}: {}", item.text);
            assert_eq!(item.name, item.expression);
        }
        for (text, told) in [
            ("", "nothing is named ``"),
            ("v0[64]", "`v0` has one index, a lane below 64"),
            ("v0[", "no closing `]`"),
            ("v300", "no register `v300`"),
            ("s102", "no register `s102`"),
            ("s[4:6]", "a pair of scalar registers"),
            ("o[2,0]", "lengths 2, 128"),
            ("o[0,0,0]", "lengths 2, 128"),
            ("o[x]", "`x` in `o[x]` is no index"),
            ("o[99999999999999999999]", "is no index"),
            ("lds[512]", "512 bytes of LDS"),
            ("lds[1,2]", "LDS has one index"),
            ("result[64]", "one index below 64"),
            ("n[0]", "`n` has no place in the debug information at this"),
            ("args.m", "nothing is named"),
        ] {
            let error = evaluate(timeline, frame, text)
                .expect_err("no value")
                .to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
        for node in [
            Node::Locals(wave, 0),
            Node::Arguments,
            Node::Special(wave),
            Node::Sgprs(wave),
            Node::Vgprs(wave),
            Node::Lds,
            Node::Tensors,
            Node::Tensor(0, vec![1]),
        ] {
            let all = length(timeline, &node);
            assert!(all > 0, "{node:?}");
            assert_eq!(items(timeline, &node, 0, usize::MAX).len(), all, "{node:?}");
            assert!(items(timeline, &node, all, 10).is_empty());
            assert!(items(timeline, &node, usize::MAX, usize::MAX).is_empty());
        }
        end(timeline);
    });
}
