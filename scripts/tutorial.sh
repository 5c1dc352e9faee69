#!/usr/bin/env bash
# Runs docs/tutorial.md and docs/gallery.md: writes the files that a page shows into a temporary folder, runs its commands there, and compares what
# they print with the page. Times, hashes and code addresses may differ. With --write the page takes what was printed.
#   scripts/tutorial.sh [--write] [PAGE ...]
# DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release. The commands need clang-19 as kernels/README.md says.
set -euo pipefail
cd "$(dirname "$0")/.."
write= pages=()
for argument; do
    case $argument in
    --write) write=--write ;;
    -*) echo "unknown: $argument" >&2; exit 2 ;;
    *) pages+=("$argument") ;;
    esac
done
((${#pages[@]})) || pages=(docs/tutorial.md docs/gallery.md)
[[ -n ${DELTANET_CHECK:-} ]] || scripts/build.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$(realpath "${DELTANET_CHECK:-target/release/deltanet-check}")" "$folder/bin/deltanet-check"

run_page() { # PAGE, FOLDER
    mkdir "$2"
    PATH=$folder/bin:$PATH python3 - "$1" "$2" "$write" <<'PYTHON'
import os, pathlib, re, subprocess, sys

page, folder, write = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3] == "--write"
SHOWN_FOLDER = f"/home/you/{folder.name}"
environment = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "DELTANET_CHECK"))}
environment.update(COLUMNS="130", NO_COLOR="1")


def run(commands):
    """Prints what a reader's terminal shows: both streams, and the exit code of the last command where it is not 0."""
    done = subprocess.run(["bash", "-c", commands], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    text = done.stdout.replace(str(folder), SHOWN_FOLDER).strip("\n")
    return text + (f"\n(exit code {done.returncode})" if done.returncode else "")


def comparable(text):
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text)
    text = re.sub(r"\b0x[0-9a-f]+\b", "ADDRESS", text)
    text = re.sub(r"[0-9.]+ (us|ms|s)\b", "TIME", text)
    return [re.sub(r"-{5,}", "-", re.sub(r" +", " ", line)).rstrip() for line in text.strip("\n").split("\n")]


blocks = list(re.finditer(r"^```(\w*)\n(.*?)^```\n", page.read_text(), flags=re.M | re.S))
text, renewed, last, printed, failures = page.read_text(), [], 0, None, 0
for block in blocks:
    language, body = block[1], block[2]
    line = text.count("\n", 0, block.start()) + 1
    if language == "text":
        if printed is None:
            sys.exit(f"{page}:{line}: output without a command before it")
        if comparable(body) != comparable(printed):
            failures += 1
            if not write:
                print(f"{page}:{line}: the command prints something else:\n{printed}\n", file=sys.stderr)
        renewed += [text[last:block.start()], f"```text\n{printed}\n```\n"]
        last, printed = block.end(), None
        continue
    if printed:
        sys.exit(f"{page}:{line}: the page does not show what the command before prints:\n{printed}")
    if language == "sh":
        printed = run(body) or None
    else:
        name = re.match(r"(?://|#) ([\w.-]+)(?::|$)", body.split("\n")[0])
        if not name:
            sys.exit(f"{page}:{line}: the first line of a file must be a comment with the file's name")
        (folder / name[1]).write_text(body)
if printed:
    sys.exit(f"{page}: the page does not show what its last command prints:\n{printed}")
renewed.append(text[last:])
if write and failures:
    page.write_text("".join(renewed))
    print(f"{page}: {failures} outputs renewed")
elif failures:
    sys.exit(f"{page}: {failures} outputs differ; `scripts/tutorial.sh --write` renews the page")
else:
    print(f"{page}: {len(blocks)} blocks are as the page shows them")
PYTHON
}

code=0
for page in "${pages[@]}"; do
    name=$(basename "$page" .md)
    # The tutorial's folder is that of its kernel.
    run_page "$page" "$folder/${name/#tutorial/norm}" || code=1
done
exit "$code"
