"""Puts the line that Python runs at its start into the wheel, and the installed program with its HIP runtime, if asked to.

`DELTANET_CHECK_BUNDLE=PREFIX` names a folder with `bin`, `lib` and `share`, as `scripts/wheel.sh` makes it; `DELTANET_CHECK_PLATFORM` is the
platform of the wheel's name, such as `manylinux_2_28_x86_64`. An installer puts these folders into those of the environment: the
command `deltanet-check` is the program itself. Without a bundle the wheel is pure Python. Its command is a script, and finds the program
where it is (`deltanet_check/_find.py`).
"""
import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PREFIX = os.environ.get("DELTANET_CHECK_BUNDLE")


class Command(MetadataHookInterface):
    """The hook that says which commands are scripts of Python."""

    def update(self, metadata):
        """Adds the command, except where the bundle has it."""
        metadata["scripts"] = {} if PREFIX else {"deltanet-check": "deltanet_check.__main__:main"}


class Bundle(BuildHookInterface):
    """The hook that adds files to the wheel."""

    def initialize(self, version, build_data):
        """Adds the files. With the program the wheel is for one platform."""
        # Beside the package, where Python looks for such files; an editable wheel has it too.
        start = str(Path(self.root) / "src" / "deltanet_check.pth")
        build_data["force_include_editable" if version == "editable" else "force_include"][start] = "deltanet_check.pth"
        if not PREFIX or version == "editable":
            return
        prefix = Path(PREFIX).resolve()
        program = prefix / "bin" / "deltanet-check"
        if not program.is_file():
            raise FileNotFoundError(f"DELTANET_CHECK_BUNDLE={PREFIX}: {program} is not there: run scripts/wheel.sh")
        build_data["shared_scripts"][str(program)] = program.name
        for file in sorted(path for folder in ("lib", "share") for path in (prefix / folder).rglob("*")):
            # A wheel has no links: the file `links` has their names, for `deltanet-check hip`.
            if file.is_file() and not file.is_symlink():
                build_data["shared_data"][str(file)] = str(file.relative_to(prefix))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['DELTANET_CHECK_PLATFORM']}"
