//! Commands and files by which programs ask a machine for its card, beside HIP: ROCm's tools on `PATH`, and the kernel driver's list of
//! devices below `/sys/class/kfd`.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Commands of ROCm and LLVM that name the card, with what they print. Arguments are ignored.
const COMMANDS: [(&str, &str); 4] = [
    // The first agent is the processor.
    ("rocm_agent_enumerator", "gfx000\ngfx906\n"),
    ("amdgpu-arch", "gfx906\n"),
    ("offload-arch", "gfx906\n"),
    ("rocminfo", include_str!("rocminfo.txt")),
];

/// Files of the kernel driver that name the card. The properties have the names of the driver's own, and node 0 is the processor.
const FILES: [(&str, &str); 10] = [
    ("dev/kfd", ""),
    ("sys/class/kfd/kfd/topology/generation_id", "1\n"),
    (
        "sys/class/kfd/kfd/topology/system_properties",
        "platform_oem 0\nplatform_id 0\nplatform_rev 0\n",
    ),
    ("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n"),
    ("sys/class/kfd/kfd/topology/nodes/0/name", "\n"),
    (
        "sys/class/kfd/kfd/topology/nodes/0/properties",
        "cpu_cores_count 1\nsimd_count 0\nmem_banks_count 1\ngfx_target_version 0\nvendor_id 0\ndevice_id 0\n",
    ),
    ("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "906\n"),
    ("sys/class/kfd/kfd/topology/nodes/1/name", "vega20\n"),
    (
        "sys/class/kfd/kfd/topology/nodes/1/properties",
        "cpu_cores_count 0\nsimd_count 240\nmem_banks_count 1\ncaches_count 0\nio_links_count 0\ncpu_core_id_base 0\n\
         max_waves_per_simd 10\nlds_size_in_kb 64\ngds_size_in_kb 0\nnum_gws 64\nwave_front_size 64\narray_count 4\n\
         simd_arrays_per_engine 1\ncu_per_simd_array 16\nsimd_per_cu 4\nmax_slots_scratch_cu 32\ngfx_target_version 90006\n\
         vendor_id 4098\ndevice_id 26273\nlocation_id 768\ndomain 0\ndrm_render_minor 128\nhive_id 0\nnum_sdma_engines 2\n\
         max_engine_clk_fcompute 1725\nlocal_mem_size 17163091968\n",
    ),
    (
        "sys/class/kfd/kfd/topology/nodes/1/mem_banks/0/properties",
        "heap_type 1\nsize_in_bytes 17163091968\nflags 0\nwidth 4096\nmem_clk_max 1000\n",
    ),
];

/// Writes the commands into a new directory.
///
/// # Errors
/// The directory cannot be written.
pub fn write_commands(directory: &Path) -> io::Result<()> {
    fs::create_dir(directory)?;
    for (name, text) in COMMANDS {
        let path = directory.join(name);
        fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{text}END\n"))?;
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Writes the files below a directory.
///
/// # Errors
/// The directory cannot be written.
pub fn write_files(directory: &Path) -> io::Result<()> {
    for (name, text) in FILES {
        let path = directory.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text)?;
    }
    Ok(())
}
