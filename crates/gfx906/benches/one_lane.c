// What compilers make of C at -O0, for one work-item: every variable in scratch, calls, branches.
// clang-19 --target=amdgcn-amd-amdhsa -mcpu=gfx906 -nogpulib -O0 -std=gnu17 one_lane.c -o one_lane.co && llvm-objcopy-19 --strip-debug one_lane.co

typedef unsigned u32;

struct node {
    u32 key;
    short weight;
    unsigned char tag;
    struct node *next;
};

static u32 mix(u32 h, u32 x)
{
    h ^= x;
    h *= 0x01000193u;
    return h << 7 | h >> 25;
}

static void sort(u32 *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            u32 t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
}

static u32 walk(struct node *n)
{
    u32 h = 0x811c9dc5u;
    while (n) {
        h = mix(h, n->key + n->weight * n->tag);
        n = n->next;
    }
    return h;
}

__attribute__((amdgpu_kernel)) void one_lane(u32 *out, u32 rounds)
{
    u32 h = 1;
    for (u32 r = 0; r < rounds; r++) {
        u32 a[24];
        struct node nodes[24];
        for (int i = 0; i < 24; i++) {
            a[i] = h = mix(h, i + r);
            nodes[i].key = h % 1009;
            nodes[i].weight = (short)h;
            nodes[i].tag = (unsigned char)(h >> 16);
            nodes[i].next = i ? &nodes[i - 1] : 0;
        }
        sort(a, 24);
        h = mix(walk(&nodes[23]), a[12]);
    }
    *out = h;
}
