// The kernel that runs a program's main with one work-item, and the two ways a program ends early.
//
// status[0] says how the program ended, status[1] its exit code. The host fills both beforehand, so that a program
// that stops on its way is told from one that ended.

#define ENDED 1
#define ABORTED 2

typedef __attribute__((address_space(1))) int *status_pointer;

static status_pointer status;

int main(int, char **);

static void end(int how, int code) {
    status[0] = how;
    status[1] = code;
}

__attribute__((noreturn)) void exit(int code) {
    end(ENDED, code & 255);
    __builtin_amdgcn_endpgm();
}

__attribute__((noreturn)) void _exit(int code) { exit(code); }

__attribute__((noreturn)) void abort(void) {
    end(ABORTED, 0);
    __builtin_amdgcn_endpgm();
}

__attribute__((amdgpu_kernel)) void torture(status_pointer buffer) {
    static char *arguments[] = {"program", 0};
    status = buffer;
    int code = main(1, arguments);
    end(ENDED, code & 255);
}
