// The frame of a random program: registers that lead to memory, data in the others, and room for the program itself.
// Assembled by scripts/assemble-tests.sh into program.co. Who fills the room finds it by its s_endpgm, one after the other.
//
// Memory (s[0:1] -> address, 0x4000 bytes a group; a group's home is the middle) holds what registers start with.
//   s[2:3] home; s[8:11], s[12:15], s[16:19] resources: raw, structured (16 bytes), scratch; s26, s27, s28 = 8, 16, 3
//   v0 work-item, v1 an LDS address, v[2:3] a global address, v4 an offset, v5 an offset into scratch, v[6:7] and v[8:9] flat
//   addresses in LDS and scratch, v10 an index
//   s[32:95] and v[11:63] data; s24, s25 loops, s[20:23] and s[30:31] whatever a program needs

.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
.amdhsa_code_object_version 5
.text
.globl program
.p2align 8
.type program,@function
program:
    s_add_u32 flat_scratch_lo, s2, s5
    s_addc_u32 flat_scratch_hi, s3, 0
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_mul_i32 s20, s4, 0x4000
    s_waitcnt lgkmcnt(0)
    s_add_u32 s20, s20, 0x1000
    s_add_u32 s2, s2, s20
    s_addc_u32 s3, s3, 0
    s_mov_b32 s8, s2
    s_and_b32 s9, s3, 0xffff
    s_movk_i32 s10, 0x2000
    s_mov_b32 s11, 0x27fac
    s_mov_b32 s12, s2
    s_or_b32 s13, s9, 0x100000
    s_movk_i32 s14, 0x100
    s_mov_b32 s15, 0x27fac
    s_mov_b32 s16, flat_scratch_lo
    s_and_b32 s17, flat_scratch_hi, 0xffff
    s_bitset1_b32 s17, 31
    s_movk_i32 s18, -1
    s_mov_b32 s19, 0xe00000
    s_mov_b32 s26, 8
    s_mov_b32 s27, 16
    s_mov_b32 s28, 3
    s_movk_i32 m0, 0x100
    s_load_dwordx16 s[32:47], s[2:3], 0x0
    s_load_dwordx16 s[48:63], s[2:3], 0x40
    s_load_dwordx16 s[64:79], s[2:3], 0x80
    s_load_dwordx16 s[80:95], s[2:3], 0xc0
    // Lanes without a work-item go on counting.
    v_readfirstlane_b32 s20, v0
    s_mov_b64 exec, -1
    v_mbcnt_lo_u32_b32 v0, -1, s20
    v_mbcnt_hi_u32_b32 v0, -1, v0
    v_mov_b32_e32 v10, v0
    v_and_b32_e32 v1, 47, v0
    v_lshlrev_b32_e32 v1, 3, v1
    v_lshlrev_b32_e32 v4, 4, v0
    v_mov_b32_e32 v3, s3
    v_add_co_u32_e32 v2, vcc, s2, v4
    v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
    v_and_b32_e32 v5, 3, v0
    v_lshlrev_b32_e32 v5, 3, v5
    s_mov_b64 s[20:21], src_shared_base
    v_mov_b32_e32 v6, v1
    v_mov_b32_e32 v7, s21
    s_mov_b64 s[20:21], src_private_base
    v_mov_b32_e32 v8, v5
    v_mov_b32_e32 v9, s21
    global_load_dword v11, v[2:3], off offset:-16
    global_load_dwordx4 v[12:15], v[2:3], off
    global_load_dwordx4 v[16:19], v[2:3], off offset:52
    global_load_dwordx4 v[20:23], v[2:3], off offset:164
    global_load_dwordx4 v[24:27], v[2:3], off offset:332
    global_load_dwordx4 v[28:31], v[2:3], off offset:500
    global_load_dwordx4 v[32:35], v[2:3], off offset:728
    global_load_dwordx4 v[36:39], v[2:3], off offset:936
    global_load_dwordx4 v[40:43], v[2:3], off offset:1144
    global_load_dwordx4 v[44:47], v[2:3], off offset:1372
    global_load_dwordx4 v[48:51], v[2:3], off offset:1560
    global_load_dwordx4 v[52:55], v[2:3], off offset:1788
    global_load_dwordx4 v[56:59], v[2:3], off offset:1996
    global_load_dwordx4 v[60:63], v[2:3], off offset:2244
    s_movk_i32 s20, 0
    s_waitcnt vmcnt(0)
    scratch_store_dwordx4 off, v[12:15], s20
    scratch_store_dwordx4 off, v[16:19], s20 offset:16
    scratch_store_dwordx4 off, v[20:23], s20 offset:32
    scratch_store_dwordx4 off, v[24:27], s20 offset:48
    s_waitcnt vmcnt(0) lgkmcnt(0)
.fill 1024, 4, 0xbf810000
.size program, .-program
.rodata
.p2align 6
.amdhsa_kernel program
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 64
    .amdhsa_next_free_sgpr 100
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_private_segment_fixed_size 256
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
.end_amdhsa_kernel
.text
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx906
amdhsa.kernels:
  - {.name: program, .symbol: program.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .wavefront_size: 64, .max_flat_workgroup_size: 1024, .sgpr_count: 100, .vgpr_count: 64, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 256, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
.end_amdgpu_metadata
