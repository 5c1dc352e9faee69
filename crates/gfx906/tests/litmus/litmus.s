// Litmus tests: two work-groups of one wave each, lane l of one against lane l of the other, with the instructions that compilers emit for
// loads and stores of an order at agent and system scope (they are the same on gfx906).
//
// A kernel takes an address (s[2:3]) and a number of rounds (s4). At the address: 4 KiB whose first dword counts arrivals, then four rows
// of 256 bytes a round each: x, y, and what group 0 and group 1 have seen.
// Assembled by scripts/assemble-tests.sh into litmus.co.

.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
.amdhsa_code_object_version 5

.macro kernel name
.text
.globl \name
.p2align 8
.type \name,@function
\name:
    s_mov_b32 s8, s2                    // the group
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_load_dword s4, s[0:1], 0x8
    s_mov_b32 s9, 0                     // the round
    v_mov_b32 v20, 1
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s8, 0
.endm

.macro descriptor name
    s_endpgm
.size \name, .-\name
.rodata
.p2align 6
.amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.text
.endm

// Waits for the other group, a while: it may have no thread yet. Then v1, v2 = own and other place, v3 = where to leave what is seen.
.macro begin
    s_mov_b32 s12, 1
    s_atomic_add s12, s[2:3], 0x0
    s_lshl_b32 s13, s9, 1
    s_add_u32 s13, s13, 2
    s_movk_i32 s14, 300
    s_cmp_eq_u32 s9, 0
    s_cmov_b32 s14, 0x20000
1:
    s_load_dword s12, s[2:3], 0x0 glc
    s_waitcnt lgkmcnt(0)
    s_cmp_ge_u32 s12, s13
    s_cbranch_scc1 2f
    s_sub_u32 s14, s14, 1
    s_cmp_lg_u32 s14, 0
    s_cbranch_scc1 1b
2:
    s_lshl_b32 s10, s9, 10
    s_add_u32 s10, s10, 4096
    v_lshl_add_u32 v4, v0, 2, s10       // x
    v_add_u32 v5, 256, v4               // y
    s_cmp_eq_u32 s8, 0
    s_cselect_b64 vcc, -1, 0
    v_cndmask_b32 v1, v5, v4, vcc
    v_cndmask_b32 v2, v4, v5, vcc
    s_lshl_b32 s11, s8, 8
    s_add_u32 s11, s11, 512
    v_add_u32 v3, s11, v4
.endm

.macro again to
    s_add_u32 s9, s9, 1
    s_cmp_lt_u32 s9, s4
    s_cbranch_scc1 \to
.endm

// Store buffering, sequentially consistent: not both read 0.
kernel store_buffering
store_buffering_round:
    begin
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dword v1, v20, s[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_load_dword v6, v2, s[2:3] glc
    s_waitcnt vmcnt(0)
    buffer_wbinvl1_vol
    global_store_dword v3, v6, s[2:3]
    again store_buffering_round
descriptor store_buffering

// The same with fences between relaxed accesses, as atomic_thread_fence(seq_cst) has them, and atomics that return nothing.
kernel store_buffering_fenced
store_buffering_fenced_round:
    begin
    global_atomic_or v1, v20, s[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    buffer_wbinvl1_vol
    global_load_dword v6, v2, s[2:3]
    s_waitcnt vmcnt(0)
    global_store_dword v3, v6, s[2:3]
    again store_buffering_fenced_round
descriptor store_buffering_fenced

// Message passing, release and acquire: who sees the flag (y) sees the data (x). Group 1 leaves the data in its row and the flag in group 0's.
kernel message_passing
    s_cbranch_scc0 message_passing_reader
message_passing_writer:
    begin
    global_store_dword v4, v20, s[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dword v5, v20, s[2:3]
    again message_passing_writer
    s_endpgm
message_passing_reader:
    begin
    global_load_dword v6, v5, s[2:3] glc
    s_waitcnt vmcnt(0)
    buffer_wbinvl1_vol
    global_load_dword v7, v4, s[2:3]
    s_waitcnt vmcnt(0)
    global_store_dword v4, v6, s[2:3] offset:512
    global_store_dword v4, v7, s[2:3] offset:768
    again message_passing_reader
descriptor message_passing

// The same with a read-modify-write as flag, and data of eight bytes (x and y; the flag is where group 0 leaves what it sees).
kernel message_passing_rmw
    v_mov_b32 v21, v20
    s_cbranch_scc0 message_passing_rmw_reader
message_passing_rmw_writer:
    begin
    v_lshl_add_u32 v8, v0, 3, s10
    global_store_dwordx2 v8, v[20:21], s[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_atomic_add v4, v20, s[2:3] offset:512
    again message_passing_rmw_writer
    s_endpgm
message_passing_rmw_reader:
    begin
    v_lshl_add_u32 v8, v0, 3, s10
    v_mov_b32 v9, 2
    global_atomic_or v6, v4, v9, s[2:3] offset:512 glc
    s_waitcnt vmcnt(0)
    buffer_wbinvl1_vol
    global_load_dwordx2 v[10:11], v8, s[2:3]
    s_waitcnt vmcnt(0)
    v_and_b32 v6, 1, v6
    v_and_b32 v7, v10, v11
    v_lshl_or_b32 v6, v7, 1, v6         // 1: flag without data
    global_store_dword v4, v6, s[2:3] offset:768
    again message_passing_rmw_reader
descriptor message_passing_rmw

// Load buffering: not both read what the other stores behind its own load.
kernel load_buffering
load_buffering_round:
    begin
    global_load_dword v6, v2, s[2:3] glc
    s_waitcnt vmcnt(0)
    global_store_dword v1, v20, s[2:3]
    global_store_dword v3, v6, s[2:3]
    again load_buffering_round
descriptor load_buffering

// Coherence: of one place, nobody reads an older value after a newer one. Group 0 writes 1, 2, ...; group 1 leaves how often it was wrong.
kernel coherence
    v_lshlrev_b32 v4, 2, v0
    v_mov_b32 v7, 0
    v_mov_b32 v8, 0
    s_cbranch_scc0 coherence_reader
coherence_writer:
    v_add_u32 v20, 1, s9
    global_store_dword v4, v20, s[2:3] offset:2048
    again coherence_writer
    s_endpgm
coherence_reader:
    global_load_dword v6, v4, s[2:3] offset:2048 glc
    s_waitcnt vmcnt(0)
    v_cmp_lt_u32 vcc, v6, v7
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    v_mov_b32 v7, v6
    again coherence_reader
    v_add_u32 v4, 0x1000, v4
    global_store_dword v4, v8, s[2:3] offset:768
descriptor coherence

// Torn pairs: group 0 stores equal dwords by so many, group 1 counts pairs that are not equal. Lanes are 16 bytes apart.
.macro torn name, store:vararg
kernel torn_\name
    v_lshlrev_b32 v4, 4, v0
    v_lshlrev_b32 v5, 2, v0
    v_add_u32 v5, 0x1000, v5
    v_mov_b32 v8, 0
    s_cbranch_scc0 torn_\name\()_reader
torn_\name\()_writer:
    v_mov_b32 v20, s9
    v_mov_b32 v21, s9
    v_mov_b32 v22, s9
    v_mov_b32 v23, s9
    \store
    again torn_\name\()_writer
    s_endpgm
torn_\name\()_reader:
    global_load_dwordx2 v[10:11], v4, s[2:3] offset:1024
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, v10, v11
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    global_load_dwordx4 v[10:13], v4, s[2:3] offset:1024
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, v10, v11
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    v_cmp_ne_u32 vcc, v12, v13
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    s_load_dwordx2 s[20:21], s[2:3], 0x400 glc
    s_waitcnt lgkmcnt(0)
    s_sub_u32 s20, s20, s21
    v_mov_b32 v10, s20
    v_cmp_ne_u32 vcc, 0, v10
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    v_mov_b32 v10, 0
    v_mov_b32 v11, 0
    global_atomic_or_x2 v[10:11], v4, v[10:11], s[2:3] offset:1024 glc
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, v10, v11
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    again torn_\name\()_reader
    global_store_dword v5, v8, s[2:3] offset:768
descriptor torn_\name
.endm
torn x2,     global_store_dwordx2 v4, v[20:21], s[2:3] offset:1024
torn x4,     global_store_dwordx4 v4, v[20:23], s[2:3] offset:1024
torn atomic, global_atomic_swap_x2 v4, v[20:21], s[2:3] offset:1024

// Loads alone, of what others store: for the host as writer.
kernel pairs
    v_lshlrev_b32 v4, 4, v0
    v_lshlrev_b32 v5, 2, v0
    v_add_u32 v5, 0x1000, v5
    v_mov_b32 v8, 0
pairs_round:
    global_load_dwordx4 v[10:13], v4, s[2:3] offset:1024
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, v10, v11
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    v_cmp_ne_u32 vcc, v12, v13
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    again pairs_round
    global_store_dword v5, v8, s[2:3] offset:768
descriptor pairs

// Stores alone, for the host as reader.
kernel equals
    v_lshlrev_b32 v4, 4, v0
equals_round:
    v_mov_b32 v20, s9
    v_mov_b32 v21, s9
    v_mov_b32 v22, s9
    v_mov_b32 v23, s9
    global_store_dwordx4 v4, v[20:23], s[2:3] offset:1024
    again equals_round
descriptor equals

// Additions to the same eight bytes at 1024: of 64 bits by group 0, of 32 by group 1, while group 2 writes the last byte and half of the
// next eight, to which group 3 adds 64 bits.
kernel mixed
    v_mov_b32 v4, 0
    v_mov_b32 v20, 1
    v_mov_b32 v21, 0
mixed_round:
    s_cmp_eq_u32 s8, 1
    s_cbranch_scc1 mixed_1
    s_cmp_eq_u32 s8, 2
    s_cbranch_scc1 mixed_2
    s_cmp_eq_u32 s8, 3
    s_cbranch_scc1 mixed_3
    global_atomic_add_x2 v4, v[20:21], s[2:3] offset:1024
    s_branch mixed_next
mixed_1:
    global_atomic_add v4, v20, s[2:3] offset:1024
    s_branch mixed_next
mixed_2:
    global_store_byte v4, v20, s[2:3] offset:1039
    global_store_short v4, v20, s[2:3] offset:1036
    s_branch mixed_next
mixed_3:
    global_atomic_add_x2 v4, v[20:21], s[2:3] offset:1032
mixed_next:
    again mixed_round
descriptor mixed

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx906
amdhsa.kernels:
  - {.name: store_buffering, .symbol: store_buffering.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: store_buffering_fenced, .symbol: store_buffering_fenced.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: message_passing, .symbol: message_passing.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: message_passing_rmw, .symbol: message_passing_rmw.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: load_buffering, .symbol: load_buffering.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: coherence, .symbol: coherence.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: pairs, .symbol: pairs.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: equals, .symbol: equals.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: mixed, .symbol: mixed.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: torn_x2, .symbol: torn_x2.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: torn_x4, .symbol: torn_x4.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
  - {.name: torn_atomic, .symbol: torn_atomic.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 64, .sgpr_count: 38, .vgpr_count: 32, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.size: 4, .offset: 8, .value_kind: by_value}]}
...
.end_amdgpu_metadata
