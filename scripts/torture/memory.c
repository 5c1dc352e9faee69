// Memory that is handed out once and never taken back, and the small functions of <stdlib.h>.

#include <stdlib.h>
#include <string.h>

static char arena[4 << 20] __attribute__((aligned(16)));
static size_t used;

// Sixteen bytes before each block hold its size, for realloc.
void *malloc(size_t size) {
    if (size > sizeof arena - used - 16) return 0;
    char *block = arena + used + 16;
    size_t step = (size + 31) / 16 * 16;
    if (step > sizeof arena - used) return 0;
    ((size_t *)block)[-1] = size;
    used += step;
    return block;
}

void *calloc(size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) return 0;
    void *block = malloc(bytes);
    return block ? memset(block, 0, bytes) : 0;
}

void *realloc(void *old, size_t size) {
    void *block = malloc(size);
    if (!block || !old) return block;
    size_t had = ((size_t *)old)[-1];
    return memcpy(block, old, had < size ? had : size);
}

void free(void *block) { (void)block; }

int abs(int x) { return x < 0 ? -x : x; }

long labs(long x) { return x < 0 ? -x : x; }

long long llabs(long long x) { return x < 0 ? -x : x; }

long atol(const char *s) {
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    int negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    long value = 0;
    while (*s >= '0' && *s <= '9') value = value * 10 + (*s++ - '0');
    return negative ? -value : value;
}

int atoi(const char *s) { return atol(s); }

static unsigned long seed = 1;

void srand(unsigned n) { seed = n; }

int rand(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

char *getenv(const char *name) { return (void)name, (char *)0; }

int isprint(int c) { return c >= ' ' && c <= '~'; }

// Insertion sort: the programs sort a handful of elements.
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    char *first = base;
    for (size_t i = 1; i < n; i++)
        for (char *b = first + i * size; b > first && compare(b - size, b) > 0; b -= size)
            for (size_t k = 0; k < size; k++) {
                char swapped = b[k];
                b[k] = b[k - size];
                b[k - size] = swapped;
            }
}
