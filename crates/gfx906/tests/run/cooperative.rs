//! Tests of cooperative launches: every group is resident and takes turns, and kernels that do not wait for other groups compute the same
//! as in other launches.

use gfx906::code_object::CodeObject;
use gfx906::machine::{Counters, Gpu, Launch, Nobody, Observer};
use gfx906::observe::sanitize::{Checks, Sanitizer};

const DELTANET: &[u8] = include_bytes!("../../../../kernels/built/deltanet.co");
const N: usize = 100 * 256 - 3;

/// Runs the sigmoid of 100 groups. Returns the results and the counters.
fn sigmoid(cooperative: bool, observer: &mut impl Observer) -> (Vec<u8>, Counters) {
    let object = CodeObject::parse(DELTANET).expect("a gfx906 code object");
    let gpu = Gpu::new();
    let module = gpu.load(&object).expect("memory for the code");
    let bytes = 4 * 100 * 256;
    let from = gpu.alloc("in", bytes).expect("memory");
    let to = gpu.alloc("out", bytes).expect("memory");
    let values: Vec<u8> = (0..N)
        .flat_map(|i| (i as f32 / 5000.0 - 2.0).to_le_bytes())
        .collect();
    gpu.write(from, &values).expect("within the allocation");
    let kernel = object.kernel("kernel_sigmoid").expect("the kernel");
    let kernarg = kernel.arguments().with(from).with(to).with(N as i32);
    let kernarg = kernarg.finish().expect("its arguments");
    let launch = Launch::new([100, 1, 1], [256, 1, 1], &kernarg);
    let counters = if cooperative {
        gpu.launch_cooperative(&module, "kernel_sigmoid", &launch, observer)
    } else {
        gpu.launch_observed(&module, "kernel_sigmoid", &launch, observer)
    };
    let mut left = vec![0; bytes as usize];
    gpu.read(to, &mut left).expect("within the allocation");
    (left, counters.expect("it runs"))
}

#[test]
fn resident_groups_leave_what_groups_leave() {
    let (usual, counted) = sigmoid(false, &mut Nobody);
    let (resident, together) = sigmoid(true, &mut Nobody);
    assert!(usual == resident);
    assert!(usual[..4 * N].iter().any(|&byte| byte != 0));
    let figures = |c: &Counters| (c.instructions, c.waves, c.work_groups);
    assert_eq!(figures(&together), figures(&counted));
}

/// Each group has its own observer, so that the observers do not confuse the waves of different groups.
#[test]
fn the_checks_know_resident_groups_apart() {
    let mut sanitizer = Sanitizer::new(Checks::ALL);
    sigmoid(true, &mut sanitizer);
    let found: Vec<String> = sanitizer.findings().iter().map(|f| f.to_string()).collect();
    assert!(found.is_empty(), "{found:?}");
}

/// Observer that counts groups that begin or continue, and sees all of a dispatch.
#[derive(Default)]
struct Alone(u64);

impl Observer for Alone {
    fn fork(&self) -> Option<Alone> {
        None
    }
    fn join(&mut self, _: Alone) {}
    fn group(&mut self, _: &gfx906::machine::Group) {
        self.0 += 1;
    }
}

#[test]
fn an_observer_that_is_alone_is_told_which_group_goes_on() {
    let mut alone = Alone::default();
    let (left, _) = sigmoid(true, &mut alone);
    assert!(left == sigmoid(false, &mut Nobody).0);
    assert!(alone.0 >= 100, "{} times", alone.0);
}
