"""Puts the line that Python runs at its start into the wheel, and library and program, if asked to.

`DELTANET_CHECK_BUNDLE=target` names the directory that `scripts/build-hip.sh` built into. Without it the wheel is pure Python, and finds
both where they are (`deltanet_check/_find.py`).
"""
import os
import platform
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Where the build leaves them, and what they are called in the wheel.
FILES = {"hip/libamdhip64.so": "libamdhip64.so", "release/deltanet-check": "deltanet-check"}


class Bundle(BuildHookInterface):
    """The hook that hatchling calls."""

    def initialize(self, version, build_data):
        """Adds the files. With library and program the wheel is for this machine alone."""
        # Beside the package, where Python looks for such files; an editable wheel has it too.
        start = str(Path(self.root) / "src" / "deltanet_check.pth")
        build_data["force_include_editable" if version == "editable" else "force_include"][start] = "deltanet_check.pth"
        target = os.environ.get("DELTANET_CHECK_BUNDLE")
        if not target or version == "editable":
            return
        for built, name in FILES.items():
            path = (Path(target) / built).resolve()
            if not path.is_file():
                raise FileNotFoundError(f"DELTANET_CHECK_BUNDLE={target}: {path} is not there: run scripts/build-hip.sh")
            build_data["force_include"][str(path)] = f"deltanet_check/bin/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{platform.machine()}"
