/* A program that was linked with HIP 6: its library's name, its symbols' versions, its structure of properties. With -DSTUB, what it is
   linked with. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char name[256], uuid[16], luid[8];
    unsigned luid_mask;
    size_t total, lds;
    int registers, lanes;
    char between[848];
    char arch[256];
    char rest[56];
} properties_6;

_Static_assert(sizeof(properties_6) == 1472, "the size of HIP 6's structure");

int hipGetDevicePropertiesR0600(properties_6* properties, int device);
int hipMalloc(void** pointer, size_t bytes);
int hipFree(void* pointer);

#ifdef STUB
int hipGetDevicePropertiesR0600(properties_6* properties, int device) { return properties == 0 || device; }
int hipMalloc(void** pointer, size_t bytes) { return pointer == 0 || bytes; }
int hipFree(void* pointer) { return pointer != 0; }
#else
int main(void) {
    properties_6 properties;
    void* pointer = 0;
    memset(&properties, 0x55, sizeof properties);
    if (hipGetDevicePropertiesR0600(&properties, 0) || hipMalloc(&pointer, 100) || hipFree(pointer)) return 1;
    printf("%s, %s: waves of %d, %zu bytes\n", properties.name, properties.arch, properties.lanes, properties.total);
    return properties.lanes != 64 || strncmp(properties.arch, "gfx906", 6) != 0;
}
#endif
