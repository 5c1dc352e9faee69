// Kernels with one mistake each that shows without running, and right ones. Assembled by scripts/assemble-tests.sh into lint.co.

.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
.amdhsa_code_object_version 5

.macro kernel name
.text
.globl \name
.p2align 8
.type \name,@function
\name:
.endm

.macro descriptor name
    s_endpgm
.size \name, .-\name
.rodata
.p2align 6
.amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.text
.endm

// A sum over a row, with one wait state between the two instructions instead of two.
kernel reduce_by_dpp
    v_add_f32 v1, v1, v0
    s_nop 0
    v_add_f32_dpp v1, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf
descriptor reduce_by_dpp

kernel reduce_by_dpp_right
    v_add_f32 v1, v1, v0
    s_nop 1
    v_add_f32_dpp v1, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf
descriptor reduce_by_dpp_right

// Each round of the loop uses what the round before loads, and only the first one is waited for.
kernel loads_ahead
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_movk_i32 s4, 4
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[2:3]
    s_waitcnt vmcnt(0)
1:  v_add_f32 v3, v3, v2
    global_load_dword v2, v1, s[2:3] offset:256
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 1b
    s_waitcnt vmcnt(0)
    global_store_dword v1, v3, s[2:3]
descriptor loads_ahead

kernel loads_ahead_right
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_movk_i32 s4, 4
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[2:3]
1:  s_waitcnt vmcnt(0)
    v_add_f32 v3, v3, v2
    global_load_dword v2, v1, s[2:3] offset:256
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 1b
    global_store_dword v1, v3, s[2:3]
descriptor loads_ahead_right

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx906
amdhsa.kernels:
  - {.name: reduce_by_dpp, .symbol: reduce_by_dpp.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 22, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: []}
  - {.name: reduce_by_dpp_right, .symbol: reduce_by_dpp_right.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 22, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: []}
  - {.name: loads_ahead, .symbol: loads_ahead.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 22, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: []}
  - {.name: loads_ahead_right, .symbol: loads_ahead_right.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 22, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: []}
.end_amdgpu_metadata
