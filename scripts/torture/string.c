// Strings and memory blocks, byte by byte: what the programs call and the compiler does not expand.

#include <string.h>
#include <stdlib.h>

typedef unsigned char byte;

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++) ((byte *)to)[i] = ((const byte *)from)[i];
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t n) { return (byte *)memcpy(to, from, n) + n; }

void *memmove(void *to, const void *from, size_t n) {
    byte *t = to;
    const byte *f = from;
    if (t < f)
        for (size_t i = 0; i < n; i++) t[i] = f[i];
    else
        while (n--) t[n] = f[n];
    return to;
}

void *memset(void *to, int c, size_t n) {
    for (size_t i = 0; i < n; i++) ((byte *)to)[i] = c;
    return to;
}

int memcmp(const void *a, const void *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int difference = ((const byte *)a)[i] - ((const byte *)b)[i];
        if (difference) return difference;
    }
    return 0;
}

void *memchr(const void *s, int c, size_t n) {
    const byte *p = s;
    for (; n--; p++)
        if (*p == (byte)c) return (void *)p;
    return 0;
}

void bcopy(const void *from, void *to, size_t n) { memmove(to, from, n); }

void bzero(void *to, size_t n) { memset(to, 0, n); }

int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

size_t strnlen(const char *s, size_t n) {
    size_t i = 0;
    while (i < n && s[i]) i++;
    return i;
}

size_t strlen(const char *s) { return strnlen(s, -1); }

char *stpcpy(char *restrict to, const char *restrict from) {
    while ((*to = *from++)) to++;
    return to;
}

char *strcpy(char *restrict to, const char *restrict from) {
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t n) {
    size_t length = strnlen(from, n);
    memcpy(to, from, length);
    memset(to + length, 0, n - length);
    return to + length;
}

char *strncpy(char *restrict to, const char *restrict from, size_t n) {
    stpncpy(to, from, n);
    return to;
}

char *strcat(char *restrict to, const char *restrict from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t n) {
    size_t length = strnlen(from, n);
    char *end = to + strlen(to);
    memcpy(end, from, length);
    end[length] = 0;
    return to;
}

int strncmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int difference = (byte)a[i] - (byte)b[i];
        if (difference || !a[i]) return difference;
    }
    return 0;
}

int strcmp(const char *a, const char *b) { return strncmp(a, b, -1); }

char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return 0;
    }
}

char *strrchr(const char *s, int c) {
    const char *last = 0;
    do
        if (*s == (char)c) last = s;
    while (*s++);
    return (char *)last;
}

char *index(const char *s, int c) { return strchr(s, c); }

char *rindex(const char *s, int c) { return strrchr(s, c); }

char *strstr(const char *s, const char *what) {
    size_t length = strlen(what);
    for (;; s++) {
        if (!strncmp(s, what, length)) return (char *)s;
        if (!*s) return 0;
    }
}

size_t strspn(const char *s, const char *set) {
    size_t i = 0;
    while (s[i] && strchr(set, s[i])) i++;
    return i;
}

size_t strcspn(const char *s, const char *set) {
    size_t i = 0;
    while (s[i] && !strchr(set, s[i])) i++;
    return i;
}

char *strpbrk(const char *s, const char *set) {
    s += strcspn(s, set);
    return *s ? (char *)s : 0;
}

char *strdup(const char *s) {
    char *copy = malloc(strlen(s) + 1);
    return copy ? strcpy(copy, s) : 0;
}
