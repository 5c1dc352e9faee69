// A library for LD_PRELOAD: files of the kernel driver that programs read beside HIP are found below the directory that GFX906_ROCM_VIEW names.
// It redirects the functions of libc that take a path. Programs that call the kernel without libc do not see it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

// Returns the path that is opened in place of `path`.
static const char *redirected(const char *path, char *room) {
    static const char *const PLACES[] = {"/sys/class/kfd", "/dev/kfd"};
    const char *view = getenv("GFX906_ROCM_VIEW");
    if (!view || !path) return path;
    for (size_t n = 0; n < sizeof PLACES / sizeof *PLACES; n++) {
        size_t length = strlen(PLACES[n]);
        if (strncmp(path, PLACES[n], length) || (path[length] && path[length] != '/')) continue;
        return snprintf(room, PATH_MAX, "%s%s", view, path) < PATH_MAX ? room : path;
    }
    return path;
}

// A function whose path is the argument `path`: its type, name, parameters and arguments.
#define REDIRECTED(type, name, parameters, ...)                              \
    EXPORTED type name parameters {                                          \
        char room[PATH_MAX];                                                 \
        type(*next) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
        path = redirected(path, room);                                       \
        return next(__VA_ARGS__);                                            \
    }

REDIRECTED(FILE *, fopen, (const char *path, const char *mode), path, mode)
REDIRECTED(FILE *, fopen64, (const char *path, const char *mode), path, mode)
REDIRECTED(DIR *, opendir, (const char *path), path)
REDIRECTED(int, access, (const char *path, int mode), path, mode)
REDIRECTED(int, faccessat, (int at, const char *path, int mode, int flags), at, path, mode, flags)
REDIRECTED(int, stat, (const char *path, struct stat *out), path, out)
REDIRECTED(int, stat64, (const char *path, struct stat64 *out), path, out)
REDIRECTED(int, lstat, (const char *path, struct stat *out), path, out)
REDIRECTED(int, lstat64, (const char *path, struct stat64 *out), path, out)
REDIRECTED(int, fstatat, (int at, const char *path, struct stat *out, int flags), at, path, out, flags)
REDIRECTED(int, fstatat64, (int at, const char *path, struct stat64 *out, int flags), at, path, out, flags)
REDIRECTED(int, __xstat, (int version, const char *path, struct stat *out), version, path, out)
REDIRECTED(int, __xstat64, (int version, const char *path, struct stat64 *out), version, path, out)
REDIRECTED(int, __lxstat, (int version, const char *path, struct stat *out), version, path, out)
REDIRECTED(int, __lxstat64, (int version, const char *path, struct stat64 *out), version, path, out)
REDIRECTED(int, statx, (int at, const char *path, int flags, unsigned mask, struct statx *out), at, path, flags, mask, out)
REDIRECTED(char *, realpath, (const char *path, char *out), path, out)
REDIRECTED(ssize_t, readlink, (const char *path, char *out, size_t bytes), path, out, bytes)

// Functions whose last argument is there if a file may be created.
#define OPENING(name, parameters, ...)                                              \
    EXPORTED int name parameters {                                                  \
        char room[PATH_MAX];                                                        \
        int (*next) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name);        \
        va_list rest;                                                               \
        va_start(rest, flags);                                                      \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;   \
        va_end(rest);                                                               \
        path = redirected(path, room);                                              \
        return next(__VA_ARGS__, mode);                                             \
    }

OPENING(open, (const char *path, int flags, ...), path, flags)
OPENING(open64, (const char *path, int flags, ...), path, flags)
OPENING(openat, (int at, const char *path, int flags, ...), at, path, flags)
OPENING(openat64, (int at, const char *path, int flags, ...), at, path, flags)
