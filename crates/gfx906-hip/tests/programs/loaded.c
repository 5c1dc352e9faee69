/* A program that loads the library by a path, for itself alone, and asks it for its functions; as Triton does. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    static const char* const names[] = {
        "hipGetLastError",      "hipGetErrorString",     "hipModuleLoadDataEx",              "hipModuleUnload",       "hipModuleGetFunction",
        "hipFuncGetAttribute",  "hipModuleLaunchKernel", "hipModuleLaunchCooperativeKernel", "hipPointerGetAttribute"};
    if (argc < 3) return 2;
    void* library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 3;
    int (*version)(int*) = dlsym(library, "hipDriverGetVersion"), found = 0;
    int (*ask)(const char*, void**, int, unsigned long, int*) = dlsym(library, "hipGetProcAddress"), status = -1;
    if (!version || !ask || version(&found) || found / 10000000 != atoi(argv[2])) return printf("version %d\n", found), 4;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        void* function = 0;
        /* hipModuleLaunchCooperativeKernel came with 5.5. */
        if (ask(names[n], &function, found < 60000000 ? 505 : found, 0, &status) || status || function != dlsym(library, names[n])) return printf("%s\n", names[n]), 5;
    }
    int (*properties)(char*, int);
    static char known[1472];
    if (ask("hipGetDeviceProperties", (void**)&properties, found, 0, &status) || properties(known, 0)) return 6;
    return strncmp(known + (found >= 60000000 ? 1160 : 396), "gfx906", 6) != 0;
}
