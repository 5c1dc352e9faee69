// What registers and LDS hold that neither the ABI nor the program has written: lane 0 stores a word of each.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx906"
        .text
        .globl  unwritten
        .p2align 8
        .type   unwritten,@function
unwritten:
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        s_mov_b64 s[6:7], exec
        s_mov_b64 exec, 1
        v_mov_b32 v1, 0
        v_mov_b32 v2, 0
        v_mov_b32 v3, s30
        v_mov_b32 v4, vcc_lo
        v_mov_b32 v5, vcc_hi
        v_mov_b32 v6, m0
        v_mov_b32 v7, flat_scratch_lo
        v_mov_b32 v8, flat_scratch_hi
        v_mov_b32 v9, s101
        v_mov_b32 v10, v30
        v_ashrrev_i32 v11, 31, v30
        ds_read_b32 v12, v1 offset:64
        v_mov_b32 v13, s6
        v_mov_b32 v14, s7
        v_mov_b32 v15, s2
        s_waitcnt lgkmcnt(0)
        global_store_dwordx4 v2, v[3:6], s[4:5]
        global_store_dwordx4 v2, v[7:10], s[4:5] offset:16
        global_store_dwordx4 v2, v[11:14], s[4:5] offset:32
        global_store_dword v2, v15, s[4:5] offset:48
        s_endpgm
.Lend:
        .size   unwritten, .Lend-unwritten

        .rodata
        .p2align 6
        .amdhsa_kernel unwritten
        .amdhsa_group_segment_fixed_size 256
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 32
        .amdhsa_next_free_sgpr 102
        .amdhsa_reserve_vcc 0
        .amdhsa_reserve_flat_scratch 0
        .end_amdhsa_kernel

        .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx906
amdhsa.kernels:
  - .name: unwritten
    .symbol: unwritten.kd
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 102
    .vgpr_count: 32
    .max_flat_workgroup_size: 64
...
        .end_amdgpu_metadata
