#!/usr/bin/env python3
"""Writes the licence notices of everything from elsewhere that is linked into the program and the HIP runtime.

    scripts/licences.py FOLDER [TARGET]

FOLDER gets THIRD-PARTY.txt, with the licence texts of the crates, and RUST-LIBRARY.html, the notices of Rust's standard library. Each text stands once,
below the crates that have it. The crates are those that cargo links for TARGET (default x86_64-unknown-linux-gnu) without optional
features: no build scripts, procedural macros, or dependencies of tests. It fails if a crate has no licence text. `scripts/deny.sh` checks
that the licences are allowed.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys

SHIPPED = ("deltanet-check", "gfx906-hip", "gfx906-hipblas")
NAMES = ("LICEN", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")


def linked(metadata):
    """Returns the packages from elsewhere that are linked into those of SHIPPED, by name and version."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [key for key in metadata["workspace_members"] if packages[key]["name"] in SHIPPED]
    found = set()
    while waiting:
        key = waiting.pop()
        if key in found:
            continue
        found.add(key)
        for dependency in nodes[key]["deps"]:
            # The kind of a dependency that is neither for tests nor for a build script is null.
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            targets = packages[dependency["pkg"]]["targets"]
            if is_linked and not any("proc-macro" in target["kind"] for target in targets):
                waiting.append(dependency["pkg"])
    outside = [packages[key] for key in found if packages[key]["source"] is not None]
    return sorted(outside, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """Returns the licence texts of a package: the files of its folder, and the file that its manifest names."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name.upper().startswith(NAMES)]
    if package["license_file"]:
        files.append(folder / package["license_file"])
    return list(dict.fromkeys(path.read_text(errors="replace").strip() for path in files if path.is_file()))


def main():
    folder = pathlib.Path(sys.argv[1])
    target = sys.argv[2] if len(sys.argv) > 2 else "x86_64-unknown-linux-gnu"
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    packages = linked(json.loads(subprocess.check_output(command)))
    users, without = collections.defaultdict(list), []
    for package in packages:
        name = f"{package['name']} {package['version']} ({package['license'] or 'own licence'})"
        found = [text for text in texts(package) if text]
        for text in found:
            users[text].append(name)
        if not found:
            without.append(name)
    if without or not packages:
        sys.exit(f"no licence text: {', '.join(without) or 'no crate was found'}")
    library = pathlib.Path(subprocess.check_output(["rustc", "--print", "sysroot"], text=True).strip()) / "share/doc/rust/COPYRIGHT-library.html"
    if not library.is_file():
        sys.exit(f"no notices of Rust's standard library: {library} is not there; toolchains of rustup have it")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(library, folder / "RUST-LIBRARY.html")
    parts = [f"deltanet-check and its HIP runtime contain code of {len(packages)} crates, whose licences follow. RUST-LIBRARY.html has the\n"
             "licences of Rust's standard library."]
    parts += ["\n".join(names) + "\n\n" + text for text, names in users.items()]
    (folder / "THIRD-PARTY.txt").write_text(("\n\n" + "-" * 100 + "\n\n").join(parts) + "\n")
    print(f"{folder}/THIRD-PARTY.txt: {len(packages)} crates, {len(users)} texts")


main()
