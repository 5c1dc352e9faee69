//! Launches of a random program.

use gfx906_hip::api::*;
use gfx906_hip::boundary::In;

use super::*;

/// Launches a kernel that is valid, has a wrong launch shape, or writes beyond the end of its output. A kernel's failure affects all
/// threads, so only a thread that is alone launches a failing kernel.
pub fn launch(held: &mut LiveObjects, random: &mut Random, stream: u64, alone: bool) {
    let (Some((_, function)), Some(input), Some(output)) = (
        random.pick(&held.functions),
        random.pick(&held.blocks),
        random.pick(&held.blocks),
    ) else {
        return;
    };
    // The last dword is mapped as a whole.
    let most = input.size.min(output.size).div_ceil(4);
    let n = match random.below(600) as u32 {
        n if n as usize > most && !alone => most as u32,
        n => n,
    };
    let parameters = [input.address, output.address, n as u64];
    let pointers = [0, 1, 2].map(|at| &raw const parameters[at] as u64);
    let (grid, block) = match random.below(8) {
        0 => (0, 64),
        1 => (1, 2000),
        _ => (n.div_ceil(64).max(1), 64),
    };
    let arguments = array(&pointers);
    let launched = if random.below(3) == 0 {
        call!(hipModuleLaunchCooperativeKernel(
            function, grid, 1, 1, block, 1, 1, 0, stream, arguments
        ))
    } else {
        call!(hipModuleLaunchKernel(
            function,
            grid,
            1,
            1,
            block,
            1,
            1,
            0,
            stream,
            arguments,
            In::null()
        ))
    };
    match (grid, block) {
        (0, _) => assert_eq!(launched, INVALID_VALUE),
        (_, 2000) => assert_eq!(launched, 9),
        _ if n as usize <= most => assert_eq!(launched, SUCCESS),
        _ => {
            // The kernel's failure is reported later, and stays.
            assert_eq!(launched, SUCCESS);
            let done = call!(hipDeviceSynchronize());
            assert_eq!(
                done, LAUNCH_FAILURE,
                "{n} elements from {:#x?} to {:#x?}",
                input, output
            );
            let mut address = 0;
            assert_eq!(call!(hipMalloc(out(&mut address), 4)), LAUNCH_FAILURE);
            assert_eq!(call!(hipGetLastError()), LAUNCH_FAILURE);
            assert_eq!(call!(hipDeviceReset()), SUCCESS);
            held.forget();
            // Host memory was freed too.
            assert_eq!(call!(hipGetLastError()), SUCCESS);
        }
    }
}
