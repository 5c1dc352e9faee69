"""`python -m deltanet_check` and the command `deltanet-check` of the wheel: the program, with all its arguments."""
from __future__ import annotations

import os
import sys

from . import _find
from ._errors import NotFound

#: The program's exit code where something that it needs is not usable.
_SETUP = 3


def main() -> None:
    """Becomes the program: this process has its arguments, streams, signals and exit code.

    Raises:
        SystemExit: the program is nowhere; the code is 3.
    """
    try:
        program = _find.program()
        os.execv(program, ["deltanet-check", *sys.argv[1:]])
    except (NotFound, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(_SETUP) from None


if __name__ == "__main__":
    main()
