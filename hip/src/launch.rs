//! Launches: shape and arguments checked, the kernel run to its end, a failure told.

use std::cell::RefCell;
use std::sync::LazyLock;

use gfx906::code_object::{ArgKind, HiddenArg, Kernel, MAX_LDS, MAX_WORK_GROUP};
use gfx906::machine::{Launch, LaunchError, Limits, TrapKind};

use crate::boundary::{Address, In, Out, host_bytes};
use crate::error::{HipError, Outcome};
use crate::module::{self, Function};
use crate::runtime::{queue, state};
use crate::{event, stream};

/// Wave instructions of a launch, unless `GFX906_BUDGET` says otherwise: ten minutes and more.
const BUDGET: u64 = 100_000_000_000;

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dim3 {
    /// Width.
    pub x: u32,
    /// Height.
    pub y: u32,
    /// Depth.
    pub z: u32,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Work-groups.
    pub grid: [u32; 3],
    /// Work-items of a group.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS.
    pub lds: usize,
}

/// What the environment says about launches.
struct Settings {
    limits: Limits,
    threads: usize,
}

static SETTINGS: LazyLock<Settings> = LazyLock::new(|| Settings {
    limits: Limits {
        instructions: number("GFX906_BUDGET").unwrap_or(BUDGET),
        seconds: f64::INFINITY,
    },
    threads: number("GFX906_THREADS").unwrap_or(0) as usize,
});

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let value = text.trim().parse().ok();
    if value.is_none() {
        eprintln!("gfx906-hip: {variable}={text} is no number: it is not used");
    }
    value
}

impl From<Dim3> for [u32; 3] {
    fn from(d: Dim3) -> [u32; 3] {
        [d.x, d.y, d.z]
    }
}

/// Checks a shape as HIP does.
fn check(kernel: &Kernel, shape: &Shape) -> Outcome {
    let Shape { grid, block, lds } = *shape;
    let refuse = |what: String, code| {
        eprintln!("gfx906-hip: kernel `{}`: {what}", kernel.name);
        Err(code)
    };
    if grid.contains(&0) || block.contains(&0) {
        return refuse(
            format!("grid {grid:?} of blocks {block:?} is empty"),
            HipError::InvalidValue,
        );
    }
    let items = block.iter().try_fold(1u32, |n, &b| n.checked_mul(b));
    let items = match items {
        Some(items) if items <= MAX_WORK_GROUP => items,
        _ => {
            return refuse(
                format!("block {block:?} has more than {MAX_WORK_GROUP} work-items"),
                HipError::InvalidConfiguration,
            );
        }
    };
    if items > kernel.max_flat_work_group_size {
        return refuse(
            format!(
                "block {block:?} has {items} work-items, __launch_bounds__ allow {}",
                kernel.max_flat_work_group_size
            ),
            HipError::LaunchFailure,
        );
    }
    if (0..3).any(|d| grid[d] as u64 * block[d] as u64 > u32::MAX as u64) {
        return refuse(
            format!("grid {grid:?} of blocks {block:?} exceeds 2^32 work-items"),
            HipError::InvalidConfiguration,
        );
    }
    if lds > (MAX_LDS - kernel.lds_size.min(MAX_LDS)) as usize {
        return refuse(
            format!(
                "{lds} bytes of dynamic and {} of static LDS, a work-group has {MAX_LDS}",
                kernel.lds_size
            ),
            HipError::InvalidValue,
        );
    }
    Ok(())
}

/// Runs a kernel to its end.
fn run(function: &Function, shape: &Shape, kernarg: &[u8]) -> Outcome {
    let launch = Launch {
        grid: shape.grid,
        block: shape.block,
        dynamic_lds: shape.lds as u32,
        kernarg,
        limits: SETTINGS.limits,
        threads: SETTINGS.threads,
    };
    let gpu = state().gpu.clone();
    match gpu.launch(&function.loaded.module, &function.name, &launch) {
        Ok(_) => Ok(()),
        Err(LaunchError::Invalid(what)) => {
            eprintln!("gfx906-hip: {what}");
            Err(HipError::InvalidConfiguration)
        }
        Err(LaunchError::Trap(trap)) => {
            eprintln!("gfx906-hip: {trap}");
            if let Ok(kernel) = function.kernel()
                && let TrapKind::MemoryFault { .. } = trap.kind
                && calls_host(kernel)
                && trap.address.is_some_and(|a| a < 1 << 16)
            {
                eprintln!(
                    "gfx906-hip: the kernel asks the host for something (printf, assert, malloc): no host answers here. \
                     Build with -DNDEBUG and without printf in kernels"
                );
            }
            if trap.is_hang() {
                eprintln!("gfx906-hip: GFX906_BUDGET=N allows N wave instructions a launch");
            }
            state().failure = Some(HipError::LaunchFailure);
            Err(HipError::LaunchFailure)
        }
    }
}

/// Whether a kernel was compiled to send requests to the host.
fn calls_host(kernel: &Kernel) -> bool {
    let buffer = ArgKind::Hidden(HiddenArg::HostcallBuffer);
    kernel.args.iter().any(|arg| arg.kind == buffer)
}

/// The explicit arguments, each behind a pointer of its own.
fn gather(kernel: &Kernel, parameters: In<Address>) -> Outcome<Vec<u8>> {
    let mut kernarg = vec![0; kernel.explicit_kernarg_size() as usize];
    for (n, arg) in kernel.explicit_args().enumerate() {
        let at = parameters.nth(n)?;
        let value = host_bytes(at, arg.size as usize)?;
        kernarg[arg.offset as usize..][..value.len()].copy_from_slice(value);
    }
    Ok(kernarg)
}

/// The explicit arguments, laid out by the program: address and size, each behind a number that says which.
fn unpack(kernel: &Kernel, extra: In<Address>) -> Outcome<Vec<u8>> {
    const POINTER: Address = 1;
    const SIZE: Address = 2;
    const END: Address = 3;
    let (mut buffer, mut size) = (0, 0);
    let mut at = 0;
    loop {
        match extra.nth(at)? {
            POINTER => buffer = extra.nth(at + 1)?,
            SIZE => size = crate::boundary::host_value::<usize>(extra.nth(at + 1)?)?,
            END => break,
            _ => return Err(HipError::NotInitialized),
        }
        at += 2;
    }
    let wanted = kernel.explicit_kernarg_size() as usize;
    if wanted == 0 {
        return Ok(Vec::new());
    }
    if size < wanted {
        eprintln!(
            "gfx906-hip: kernel `{}` takes {wanted} bytes of arguments, the launch gives {size}",
            kernel.name
        );
        return Err(HipError::InvalidValue);
    }
    Ok(host_bytes(buffer, wanted)?.to_vec())
}

/// Everything that a launch function may be given besides the kernel.
#[derive(Clone, Copy)]
pub struct Request {
    /// The shape.
    pub shape: Shape,
    /// The stream.
    pub stream: Address,
    /// Pointers to arguments.
    pub parameters: In<Address>,
    /// Or arguments laid out.
    pub extra: In<Address>,
    /// Events to record before and after; 0: none.
    pub events: [Address; 2],
}

/// Launches a kernel, and waits for its end.
pub fn launch(function: &Function, request: &Request) -> Outcome {
    let kernel = function.kernel()?;
    stream::check(request.stream)?;
    if !request.parameters.is_null() && !request.extra.is_null() {
        return Err(HipError::InvalidValue);
    }
    check(kernel, &request.shape)?;
    let kernarg = if request.extra.is_null() {
        gather(kernel, request.parameters)?
    } else {
        unpack(kernel, request.extra)?
    };
    let _device = queue();
    // Another thread's kernel may have failed meanwhile.
    let failure = state().failure;
    failure.map_or(Ok(()), Err)?;
    let [start, stop] = request.events;
    if start != 0 {
        event::mark(start)?;
    }
    run(function, &request.shape, &kernarg)?;
    if stop != 0 {
        event::mark(stop)?;
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn module_launch(
    function: Address,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    lds: u32,
    stream: Address,
    parameters: In<Address>,
    extra: In<Address>,
) -> Outcome {
    if function == 0 {
        return Err(HipError::InvalidImage);
    }
    let request = Request {
        shape: Shape {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            lds: lds as usize,
        },
        stream,
        parameters,
        extra,
        events: [0; 2],
    };
    launch(&module::function(function)?, &request)
}

/// `hipExtModuleLaunchKernel`: work-items of the whole grid instead of work-groups, and events.
#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn ext_module_launch(
    function: Address,
    items_x: u32,
    items_y: u32,
    items_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    lds: usize,
    stream: Address,
    parameters: In<Address>,
    extra: In<Address>,
    start: Address,
    stop: Address,
    _flags: u32,
) -> Outcome {
    if function == 0 {
        return Err(HipError::InvalidImage);
    }
    let block = [block_x, block_y, block_z];
    let items = [items_x, items_y, items_z];
    if block.contains(&0) {
        return Err(HipError::InvalidValue);
    }
    if (0..3).any(|d| items[d] % block[d] != 0) {
        eprintln!(
            "gfx906-hip: {items:?} work-items are no whole number of blocks {block:?}: not supported"
        );
        return Err(HipError::NotSupported);
    }
    let request = Request {
        shape: Shape {
            grid: [0, 1, 2].map(|d| items[d] / block[d]),
            block,
            lds,
        },
        stream,
        parameters,
        extra,
        events: [start, stop],
    };
    launch(&module::function(function)?, &request)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn hcc_module_launch(
    function: Address,
    items_x: u32,
    items_y: u32,
    items_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    lds: usize,
    stream: Address,
    parameters: In<Address>,
    extra: In<Address>,
    start: Address,
    stop: Address,
) -> Outcome {
    ext_module_launch(
        function, items_x, items_y, items_z, block_x, block_y, block_z, lds, stream, parameters,
        extra, start, stop, 0,
    )
}

/// `hipLaunchKernel`: the kernel behind the host function that `<<<>>>` names.
pub fn host_launch(
    host: Address,
    grid: Dim3,
    block: Dim3,
    parameters: In<Address>,
    lds: usize,
    stream: Address,
) -> Outcome {
    ext_host_launch(host, grid, block, parameters, lds, stream, 0, 0, 0)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn ext_host_launch(
    host: Address,
    grid: Dim3,
    block: Dim3,
    parameters: In<Address>,
    lds: usize,
    stream: Address,
    start: Address,
    stop: Address,
    _flags: i32,
) -> Outcome {
    let function = state().function_of(host)?;
    let request = Request {
        shape: Shape {
            grid: grid.into(),
            block: block.into(),
            lds,
        },
        stream,
        parameters,
        extra: In::null(),
        events: [start, stop],
    };
    launch(&function, &request)
}

/// A launch that is being put together: shape, stream, arguments so far.
type Pending = (Shape, Address, Vec<u8>);

thread_local! {
    static PENDING: RefCell<Vec<Pending>> = const { RefCell::new(Vec::new()) };
}

/// What `<<<>>>` says, until the function between takes it up.
pub fn configure(grid: Dim3, block: Dim3, lds: usize, stream: Address) -> Outcome {
    let shape = Shape {
        grid: grid.into(),
        block: block.into(),
        lds,
    };
    PENDING.with_borrow_mut(|pending| pending.push((shape, stream, Vec::new())));
    Ok(())
}

pub fn pop(grid: Out<Dim3>, block: Out<Dim3>, lds: Out<usize>, stream: Out<Address>) -> Outcome {
    let pending = PENDING.with_borrow_mut(Vec::pop);
    let (shape, on, _) = pending.ok_or(HipError::MissingConfiguration)?;
    let dim = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
    grid.put(dim(shape.grid))?;
    block.put(dim(shape.block))?;
    lds.put(shape.lds)?;
    stream.put(on)
}

pub fn set_up_argument(value: Address, bytes: usize, offset: usize) -> Outcome {
    /// More than any kernel takes.
    const MOST: usize = 1 << 16;
    let end = offset.checked_add(bytes).filter(|&end| end <= MOST);
    let end = end.ok_or(HipError::InvalidValue)?;
    let value = host_bytes(value, bytes)?;
    PENDING.with_borrow_mut(|pending| {
        let (_, _, arguments) = pending.last_mut().ok_or(HipError::MissingConfiguration)?;
        arguments.resize(arguments.len().max(end), 0);
        arguments[offset..end].copy_from_slice(value);
        Ok(())
    })
}

pub fn launch_by_pointer(host: Address) -> Outcome {
    let pending = PENDING.with_borrow_mut(Vec::pop);
    let (shape, stream, arguments) = pending.ok_or(HipError::MissingConfiguration)?;
    let function = state().function_of(host)?;
    let size = arguments.len();
    let buffer = arguments.as_ptr().expose_provenance() as Address;
    let extra = [
        1,
        buffer,
        2,
        (&raw const size).expose_provenance() as Address,
        3,
    ];
    let request = Request {
        shape,
        stream,
        parameters: In::null(),
        // The array and what it points to outlive the launch.
        extra: In::of(&extra),
        events: [0; 2],
    };
    launch(&function, &request)
}
