// One kernel with the name and the arguments of a built-in one, and one of another name.
extern "C" __attribute__((global)) void kernel_neg(const float* in, float* out, int n) {
    int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
    if (i < n) out[i] = -in[i];
}
extern "C" __attribute__((global)) void other(float* out) { out[0] = 1; }
