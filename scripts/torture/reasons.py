"""Why a program does not compile for gfx906: the compiler's messages, grouped."""

import re

# First match wins. The messages are clang 19's and lld's.
REASONS = [
    (r"setjmp|longjmp", "setjmp and longjmp, which the target does not have"),
    (r"unsupported dynamic alloca", "allocates stack of an amount known only at run time, which the target does not support"),
    (r"stack frame size \(\d+\) exceeds limit", "a stack frame beyond the 128 KiB of a work-item"),
    (r"BlockAddress", "computed goto, which the backend does not support"),
    (r"VGPR to SGPR copy|Inline asm failure|constraint '", "inline assembly with operands of other machines"),
    (r"invalid addrspacecast", "a constant address of a stack object (clang: invalid addrspacecast)"),
    (r"FRAMEADDR", "frame addresses of callers (clang crashes)"),
    (r"= f(sin|cos|tan|pow)\b|libcall available for f", "the math library, which plain C for this target has not"),
    (r"undefined (hidden )?symbol: (ilogb\w*|__(mul|div)[sdx]c3)", "the math library, which plain C for this target has not"),
    (r"'sys/\w+\.h' file not found|undefined (hidden )?symbol: (f?open|freopen|tmpnam|remove)", "files and other services of an operating system"),
]


def reason(said):
    """The group of a compiler's message; without one, the message's own first error."""
    for pattern, text in REASONS:
        if re.search(pattern, said):
            return text
    lines = said.splitlines() or ["nothing was said"]
    line = next((line for line in lines if "error" in line), lines[0])
    return re.sub(r"^\S+:\d+:\d+: ", "", line)[:160]
