//! Tests of launches by single instructions.

use super::super::gpu::Gpu;
use super::super::launch::Limits;
use super::super::observer::Observer;
use super::super::schedule::Schedule;
use super::super::trap::TrapKind;
use super::*;
use crate::code_object::CodeObject;

/// Groups, waves and addresses of all instructions of a launch, in their order.
#[derive(Default)]
struct Order {
    group: [u32; 3],
    instructions: Vec<([u32; 3], u32, u64)>,
}

impl Observer for Order {
    fn fork(&self) -> Option<Order> {
        None
    }
    fn join(&mut self, _: Order) {}
    fn group(&mut self, group: &super::super::observer::Group) {
        self.group = group.id;
    }
    fn before(&mut self, wave: &Wave, _: &Op, pc: u64) {
        self.instructions.push((self.group, wave.index, pc));
    }
}

/// A kernel whose groups have four waves, LDS and barriers, on memory of its own.
struct Reduction {
    gpu: Gpu,
    module: Arc<Module>,
    output: u64,
    kernarg: Vec<u8>,
}

const GROUPS: u32 = 3;

fn reduction() -> Reduction {
    let bytes = include_bytes!("../../../tests/data/v5.co");
    let object = CodeObject::parse(bytes).expect("a code object");
    let gpu = Gpu::new();
    let module = gpu.load(&object).expect("memory");
    let count = 256 * GROUPS;
    let input = gpu.alloc("input", 4 * u64::from(count)).expect("memory");
    let output = gpu.alloc("output", 4 * u64::from(GROUPS)).expect("memory");
    let values: Vec<u8> = (0..count).flat_map(|n| (n as f32).to_le_bytes()).collect();
    gpu.write(input, &values).expect("allocated");
    let kernel = object.kernel("reduce").expect("the kernel");
    let arguments = kernel.arguments().with(input).with(output).finish();
    Reduction {
        gpu,
        module: Arc::new(module),
        output,
        kernarg: arguments.expect("two pointers"),
    }
}

impl Reduction {
    fn launch(&self, schedule: Schedule) -> Launch<'_> {
        Launch {
            limits: Limits {
                schedule,
                turn: 7,
                ..Limits::default()
            },
            threads: 1,
            dynamic_lds: 1024,
            ..Launch::new([GROUPS, 1, 1], [256, 1, 1], &self.kernarg)
        }
    }

    fn stepper(&self, schedule: Schedule) -> Stepper {
        let stepper = self
            .gpu
            .stepper(&self.module, "reduce", &self.launch(schedule));
        stepper.expect("a launch")
    }

    fn output(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4 * GROUPS as usize];
        self.gpu.read(self.output, &mut bytes).expect("allocated");
        bytes
    }
}

fn run(stepper: &mut Stepper, until: u64) -> Vec<([u32; 3], u32, u64)> {
    let mut instructions = Vec::new();
    while let StepperState::Ready { wave } = *stepper.state()
        && stepper.instructions() < until
    {
        let at = &stepper.waves()[wave];
        instructions.push((stepper.group(), at.index, at.pc));
        stepper.step();
    }
    instructions
}

#[test]
fn single_steps_take_the_order_of_a_launch_on_one_thread() {
    for schedule in [Schedule::InOrder, Schedule::Reverse, Schedule::Random(3)] {
        let reference = reduction();
        let mut order = Order::default();
        let launch = reference.launch(schedule);
        let (gpu, module) = (&reference.gpu, &reference.module);
        let counters = gpu.launch_observed(module, "reduce", &launch, &mut order);
        let counters = counters.expect("a right kernel");

        let stepped = reduction();
        let mut stepper = stepped.stepper(schedule);
        let instructions = run(&mut stepper, u64::MAX);
        assert_eq!(*stepper.state(), StepperState::Ended);
        assert_eq!(stepper.instructions(), counters.instructions);
        assert!(instructions == order.instructions, "{schedule}");
        assert_eq!(stepped.output(), reference.output());
    }
}

#[test]
fn a_launch_that_is_set_back_takes_the_same_steps_again() {
    let reduction = reduction();
    let mut stepper = reduction.stepper(Schedule::Random(1));
    let before = reduction.output();
    run(&mut stepper, 500);
    let saved = stepper.save();
    assert_eq!(saved.instructions(), 500);
    let registers = stepper.waves()[2].v.clone();
    let lds = stepper.lds().words().to_vec();
    let rest = run(&mut stepper, u64::MAX);
    let output = reduction.output();
    assert_ne!(output, before);
    for _ in 0..2 {
        stepper.restore(&saved);
        assert_eq!(reduction.output(), before);
        assert!(stepper.waves()[2].v == registers);
        assert_eq!(stepper.lds().words(), lds);
        assert!(run(&mut stepper, u64::MAX) == rest);
        assert_eq!(reduction.output(), output);
    }
}

#[test]
fn a_trap_leaves_the_wave_at_its_instruction() {
    let mut reduction = reduction();
    // The pointer to the output is null.
    reduction.kernarg[8..16].fill(0);
    let mut stepper = reduction.stepper(Schedule::InOrder);
    run(&mut stepper, u64::MAX);
    let StepperState::Trapped(trap) = stepper.state().clone() else {
        panic!("{:?}", stepper.state());
    };
    assert!(matches!(
        trap.kind,
        TrapKind::MemoryFault { write: true, .. }
    ));
    let wave = &stepper.waves()[trap.wave as usize];
    assert_eq!(wave.pc - stepper.base(), trap.pc);
    let steps = stepper.instructions();
    stepper.step();
    assert_eq!(stepper.instructions(), steps);
}

#[test]
fn memory_is_read_where_an_allocation_covers_it() {
    let reduction = reduction();
    let stepper = reduction.stepper(Schedule::InOrder);
    let mut bytes = [1; 4];
    assert!(stepper.read(reduction.output, &mut bytes));
    assert_eq!(bytes, [0; 4]);
    assert!(!stepper.read(reduction.output + 4 * u64::from(GROUPS), &mut bytes));
    assert!(!stepper.read(u64::MAX, &mut bytes));
    assert_eq!(stepper.scratch_byte(0, 0, 0), None);
}
