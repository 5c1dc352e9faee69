/* A process with the libraries of several generations, as a program of HIP 6 that loads plug-ins of HIP 5 and 7: there is one card, and the
   generation is that of the library that came first. The arguments are the major version and the libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    static const char* const names[] = {"hipMalloc", "hipGetProcAddress", "__hipRegisterFatBinary", "hipExtModuleLaunchKernel"};
    void* first = 0;
    for (int n = 2; n < argc; n++) {
        void* library = dlopen(argv[n], RTLD_NOW | RTLD_LOCAL);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
        if (!first) first = library;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!dlsym(library, names[k]) || dlsym(library, names[k]) != dlsym(first, names[k])) return printf("%s: %s\n", argv[n], names[k]), 3;
        if (!dlvsym(library, "hipMalloc", "hip_4.2")) return printf("%s: no version\n", argv[n]), 4;
    }
    int (*version)(int*) = first ? (int (*)(int*))dlsym(first, "hipRuntimeGetVersion") : 0, found = 0;
    if (!version || version(&found) || found / 10000000 != atoi(argv[1])) return printf("version %d\n", found), 5;
    int (*major)(int*, int*) = (int (*)(int*, int*))dlsym(first, "hiprtcVersion"), minor = 0;
    return !major || major(&found, &minor) || found < 5;
}
