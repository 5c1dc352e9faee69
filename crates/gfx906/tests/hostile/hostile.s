// Kernels that do what no kernel should. Each takes one pointer, in s[0:1] -> s[2:3], and runs as one wave unless its test says more.
// Assembled by scripts/assemble-tests.sh into hostile.co.

.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
.amdhsa_code_object_version 5

.macro entry name
.text
.globl \name
.p2align 8
.type \name,@function
\name:
.endm

.macro kernel name
entry \name
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
.endm

// A kernel's descriptor. The work-item's id comes in v0; with scratch (256 bytes), its base in s[2:3] and the wave's offset in s5.
.macro descriptor name, vgprs=8, lds=0, scratch=0
.size \name, .-\name
.rodata
.p2align 6
.amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr \vgprs
    .amdhsa_next_free_sgpr 32
    .amdhsa_group_segment_fixed_size \lds
    .amdhsa_private_segment_fixed_size 256 * \scratch
    .amdhsa_user_sgpr_flat_scratch_init \scratch
    .amdhsa_system_sgpr_private_segment_wavefront_offset \scratch
.end_amdhsa_kernel
.text
.endm

kernel null_pointer
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, 0
    global_load_dword v3, v[1:2], off
    s_endpgm
descriptor null_pointer

// Beyond the 48 bits of an address.
kernel wild_pointer
    v_mov_b32_e32 v1, -1
    v_mov_b32_e32 v2, 0x7fffffff
    global_store_dword v[1:2], v0, off
    s_endpgm
descriptor wild_pointer

// The last bytes of the address space: the end of the access wraps around.
kernel wrapping_pointer
    v_mov_b32_e32 v1, -2
    v_mov_b32_e32 v2, -1
    global_load_dwordx4 v[3:6], v[1:2], off
    s_endpgm
descriptor wrapping_pointer

// Lane 37 alone goes astray.
kernel one_wild_lane
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v2, s3
    v_add_co_u32_e32 v1, vcc, s2, v1
    v_addc_co_u32_e32 v2, vcc, 0, v2, vcc
    v_mov_b32_e32 v3, 0x40000000
    v_cmp_eq_u32_e32 vcc, 37, v0
    v_cndmask_b32_e32 v3, 0, v3, vcc
    v_add_u32_e32 v2, v2, v3
    global_store_dword v[1:2], v0, off
    s_endpgm
descriptor one_wild_lane

kernel scalar_wild_pointer
    s_mov_b32 s4, 0
    s_mov_b32 s5, 0x1234
    s_load_dwordx16 s[8:23], s[4:5], 0x0
    s_endpgm
descriptor scalar_wild_pointer

kernel misaligned_atomic
    v_mov_b32_e32 v1, s2
    v_mov_b32_e32 v2, s3
    v_add_u32_e32 v1, 2, v1
    global_atomic_add v[1:2], v0, off
    s_endpgm
descriptor misaligned_atomic

kernel jump_into_data
    s_setpc_b64 s[2:3]
    s_endpgm
descriptor jump_into_data

kernel jump_to_nowhere
    s_mov_b64 s[4:5], 0
    s_setpc_b64 s[4:5]
    s_endpgm
descriptor jump_to_nowhere

kernel jump_between_dwords
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, 6
    s_setpc_b64 s[4:5]
    s_nop 0
    s_nop 0
    s_endpgm
descriptor jump_between_dwords

// Into the literal of an instruction, which says s_endpgm: legal, and what the hardware does.
kernel jump_into_a_literal
    s_branch 1
    s_mov_b32 s4, 0xbf810000
    s_trap 2
descriptor jump_into_a_literal

// Into a literal that is no instruction.
kernel jump_into_garbage
    s_branch 1
    s_mov_b32 s4, 0xffff0000
    s_endpgm
descriptor jump_into_garbage

kernel endless_loop
1:  s_nop 0
    s_branch 1b
descriptor endless_loop

// Every call leaves a frame of scratch behind, as a recursion without end does.
entry endless_recursion
    s_add_u32 flat_scratch_lo, s2, s5
    s_addc_u32 flat_scratch_hi, s3, 0
    s_mov_b32 s8, 0
2:  v_mov_b32_e32 v1, s8
    scratch_store_dword v1, v0, off
    s_add_u32 s8, s8, 64
    s_getpc_b64 s[4:5]
    s_sub_u32 s4, s4, 20
    s_subb_u32 s5, s5, 0
    s_swappc_b64 s[6:7], s[4:5]
    s_endpgm
descriptor endless_recursion, scratch=1

// What scratch holds before it is written, its first and its last dword: one group's goes to dwords n and 32 + n.
entry stale_scratch
    s_add_u32 flat_scratch_lo, s2, s5
    s_addc_u32 flat_scratch_hi, s3, 0
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, 252
    scratch_load_dword v3, v1, off
    scratch_load_dword v4, v2, off
    scratch_store_dword v1, v0, off
    scratch_store_dword v2, v0, off
    s_lshl_b32 s6, s4, 2
    v_mov_b32_e32 v5, s6
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dword v5, v3, s[2:3]
    global_store_dword v5, v4, s[2:3] offset:128
    s_endpgm
descriptor stale_scratch, scratch=1

// The first wave waits at a barrier for a second one that waits for what the first would store behind the barrier.
kernel barrier_deadlock
    v_mov_b32_e32 v1, s2
    v_mov_b32_e32 v2, s3
    v_readfirstlane_b32 s4, v0
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc0 3f
    s_barrier
    global_store_dword v[1:2], v0, off
    s_endpgm
3:  global_load_dword v3, v[1:2], off glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s5, v3
    s_cmp_eq_u32 s5, 0x7777
    s_cbranch_scc0 3b
    s_barrier
    s_endpgm
descriptor barrier_deadlock

// The second wave ends without having been at the barrier: it no longer counts.
kernel barrier_without_all
    v_readfirstlane_b32 s4, v0
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc0 4f
    s_barrier
    v_mov_b32_e32 v1, s2
    v_mov_b32_e32 v2, s3
    v_mov_b32_e32 v3, 42
    global_store_dword v[1:2], v3, off
4:  s_endpgm
descriptor barrier_without_all

kernel lds_out_of_range
    v_mov_b32_e32 v1, 0x1000
    ds_write_b32 v1, v0
    s_endpgm
descriptor lds_out_of_range, lds=256

kernel vgpr_out_of_range
    v_mov_b32_e32 v200, v0
    s_endpgm
descriptor vgpr_out_of_range, vgprs=8

kernel vgpr_index_out_of_range
    s_movk_i32 s4, 0x64
    s_set_gpr_idx_on s4, gpr_idx(DST)
    v_mov_b32_e32 v1, v0
    s_set_gpr_idx_off
    s_endpgm
descriptor vgpr_index_out_of_range, vgprs=8

// Overwrites its own next instruction.
kernel self_modifying
    s_getpc_b64 s[4:5]
    v_mov_b32_e32 v1, s4
    v_mov_b32_e32 v2, s5
    v_mov_b32_e32 v3, 0xbf810000
    global_store_dword v[1:2], v3, off
    s_endpgm
descriptor self_modifying

kernel no_instruction
    .long 0xffffffff
    s_endpgm
descriptor no_instruction

kernel graphics
    exp mrt0 v0, v0, v0, v0 done vm
    s_endpgm
descriptor graphics

kernel trap_instruction
    s_trap 2
    s_endpgm
descriptor trap_instruction

kernel writes_exec_zero
    s_mov_b64 exec, 0
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, 0
    global_store_dword v[1:2], v0, off
    s_endpgm
descriptor writes_exec_zero

kernel nothing
    s_endpgm
descriptor nothing

// Room for random code: 1024 dwords, with LDS and scratch.
entry anything
    s_add_u32 flat_scratch_lo, s2, s5
    s_addc_u32 flat_scratch_hi, s3, 0
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
.fill 1024, 4, 0xbf810000
descriptor anything, vgprs=64, lds=1024, scratch=1

// The last of the code: runs off its end.
kernel off_the_end
    s_nop 0
descriptor off_the_end

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx906
amdhsa.kernels:
  - {.name: null_pointer, .symbol: null_pointer.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: wild_pointer, .symbol: wild_pointer.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: wrapping_pointer, .symbol: wrapping_pointer.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: one_wild_lane, .symbol: one_wild_lane.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: scalar_wild_pointer, .symbol: scalar_wild_pointer.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: misaligned_atomic, .symbol: misaligned_atomic.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: jump_into_data, .symbol: jump_into_data.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: jump_to_nowhere, .symbol: jump_to_nowhere.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: jump_between_dwords, .symbol: jump_between_dwords.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: jump_into_a_literal, .symbol: jump_into_a_literal.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: jump_into_garbage, .symbol: jump_into_garbage.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: endless_loop, .symbol: endless_loop.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: endless_recursion, .symbol: endless_recursion.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 256, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: stale_scratch, .symbol: stale_scratch.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 256, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: barrier_deadlock, .symbol: barrier_deadlock.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: barrier_without_all, .symbol: barrier_without_all.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: lds_out_of_range, .symbol: lds_out_of_range.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 256, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: vgpr_out_of_range, .symbol: vgpr_out_of_range.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: vgpr_index_out_of_range, .symbol: vgpr_index_out_of_range.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: self_modifying, .symbol: self_modifying.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: no_instruction, .symbol: no_instruction.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: graphics, .symbol: graphics.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: trap_instruction, .symbol: trap_instruction.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: writes_exec_zero, .symbol: writes_exec_zero.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: nothing, .symbol: nothing.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: anything, .symbol: anything.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 64, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 256, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: off_the_end, .symbol: off_the_end.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 38, .vgpr_count: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
.end_amdgpu_metadata
