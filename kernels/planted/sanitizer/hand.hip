// Assembly by hand, with less waiting than the card needs, and with enough. All kernels take (in, out, n).

#define LOADED(wait)                                                                          \
    float x;                                                                                  \
    asm volatile("global_load_dword %0, %1, off\n" wait "v_add_f32 %0, 1.0, %0\n"             \
                 "s_waitcnt vmcnt(0)\n"                                                       \
                 : "=&v"(x)                                                                   \
                 : "v"(in + ME));                                                             \
    out[ME] = x;
// A load is used before it is there.
TEST load_wrong(const float* in, float* out, int n) { LOADED("") }
TEST load_right(const float* in, float* out, int n) { LOADED("s_waitcnt vmcnt(0)\n") }

// Of two loads the second is used, and one may be on its way.
#define TWO_LOADED(wait)                                                                      \
    float x, y;                                                                               \
    asm volatile("global_load_dword %0, %2, off\n"                                            \
                 "global_load_dword %1, %2, off offset:4\n" wait "v_add_f32 %1, 1.0, %1\n"    \
                 "s_waitcnt vmcnt(0)\n"                                                       \
                 : "=&v"(x), "=&v"(y)                                                         \
                 : "v"(in + ME));                                                             \
    out[ME] = x + y;
TEST two_loads_wrong(const float* in, float* out, int n) { TWO_LOADED("s_waitcnt vmcnt(1)\n") }
TEST two_loads_right(const float* in, float* out, int n) { TWO_LOADED("s_waitcnt vmcnt(0)\n") }

// Scalar loads come back in any order.
#define SCALAR(wait)                                                                          \
    float x, y;                                                                               \
    asm volatile("s_load_dword s20, %2, 0x0\n"                                                \
                 "s_load_dword s21, %2, 0x4\n" wait "v_mov_b32 %0, s20\n"                     \
                 "s_waitcnt lgkmcnt(0)\n"                                                     \
                 "v_mov_b32 %1, s21\n"                                                        \
                 : "=&v"(x), "=&v"(y)                                                         \
                 : "s"(in)                                                                    \
                 : "s20", "s21");                                                             \
    out[ME] = x + y;
TEST scalar_loads_wrong(const float* in, float* out, int n) { SCALAR("s_waitcnt lgkmcnt(1)\n") }
TEST scalar_loads_right(const float* in, float* out, int n) { SCALAR("s_waitcnt lgkmcnt(0)\n") }

// The data of LDS is used at once.
#define EXCHANGED(wait)                                                                       \
    float x;                                                                                  \
    asm volatile("ds_bpermute_b32 %0, %1, %2\n" wait "v_add_f32 %0, 1.0, %0\n"                \
                 "s_waitcnt lgkmcnt(0)\n"                                                     \
                 : "=&v"(x)                                                                   \
                 : "v"(4 * (ME ^ 1)), "v"(in[ME]));                                           \
    out[ME] = x;
TEST exchange_wrong(const float* in, float* out, int n) { EXCHANGED("") }
TEST exchange_right(const float* in, float* out, int n) { EXCHANGED("s_waitcnt lgkmcnt(0)\n") }

// A row is summed by DPP right behind the addition before.
#define SUMMED(wait)                                                                          \
    float x = in[ME], y;                                                                      \
    asm volatile("v_add_f32 %0, %1, %1\n" wait                                                \
                 "v_add_f32_dpp %0, %0, %0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n" \
                 : "=&v"(y)                                                                   \
                 : "v"(x));                                                                   \
    out[ME] = y;
TEST dpp_wrong(const float* in, float* out, int n) { SUMMED("s_nop 0\n") }
TEST dpp_right(const float* in, float* out, int n) { SUMMED("s_nop 1\n") }

// A lane is chosen by a scalar that the vector unit has just written.
#define CHOSEN(wait)                                                                          \
    int x;                                                                                    \
    asm volatile("v_readfirstlane_b32 s20, %1\n" wait "v_readlane_b32 s21, %2, s20\n"         \
                 "v_mov_b32 %0, s21\n"                                                        \
                 : "=&v"(x)                                                                   \
                 : "v"(n), "v"(ME)                                                            \
                 : "s20", "s21");                                                             \
    out[ME] = x;
TEST lane_wrong(const float* in, float* out, int n) { CHOSEN("s_nop 2\n") }
TEST lane_right(const float* in, float* out, int n) { CHOSEN("s_nop 3\n") }

// A base address that the vector unit has just written.
#define BASED(wait)                                                                           \
    float x;                                                                                  \
    asm volatile("v_readfirstlane_b32 s20, %1\n"                                              \
                 "v_readfirstlane_b32 s21, %2\n" wait                                         \
                 "global_load_dword %0, %3, s[20:21]\n"                                       \
                 "s_waitcnt vmcnt(0)\n"                                                       \
                 : "=&v"(x)                                                                   \
                 : "v"((int)(size_t)in), "v"((int)((size_t)in >> 32)), "v"(4 * ME)            \
                 : "s20", "s21");                                                             \
    out[ME] = x;
TEST base_wrong(const float* in, float* out, int n) { BASED("s_nop 3\n") }
TEST base_right(const float* in, float* out, int n) { BASED("s_nop 4\n") }

// EXEC by the vector unit, then DPP.
#define MASKED(wait)                                                                          \
    float x = in[ME], y = 0;                                                                  \
    asm volatile("s_mov_b64 s[20:21], exec\n"                                                 \
                 "s_nop 4\n"                                                                  \
                 "v_cmpx_lt_f32 vcc, 0, %1\n" wait                                            \
                 "v_mov_b32_dpp %0, %1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n"   \
                 "s_mov_b64 exec, s[20:21]\n"                                                 \
                 : "+v"(y)                                                                    \
                 : "v"(x)                                                                     \
                 : "s20", "s21", "vcc");                                                      \
    out[ME] = y;
TEST mask_wrong(const float* in, float* out, int n) { MASKED("s_nop 3\n") }
TEST mask_right(const float* in, float* out, int n) { MASKED("s_nop 4\n") }

// The data of a wide store is overwritten at once.
#define STORED(wait)                                                                          \
    asm volatile("v_mov_b32 v40, %1\nv_mov_b32 v41, %1\nv_mov_b32 v42, %1\nv_mov_b32 v43, %1\n" \
                 "global_store_dwordx4 %0, v[40:43], off\n" wait "v_mov_b32 v41, 0\n"         \
                 "s_waitcnt vmcnt(0)\n" ::"v"(out + 4 * ME),                                  \
                 "v"(in[ME])                                                                  \
                 : "v40", "v41", "v42", "v43", "memory");
TEST wide_store_wrong(const float* in, float* out, int n) { STORED("") }
TEST wide_store_right(const float* in, float* out, int n) { STORED("s_nop 0\n") }
