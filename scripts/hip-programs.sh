#!/usr/bin/env bash
# Compiles the HIP programs of crates/gfx906-hip/tests/programs as a user would, runs them against the HIP runtime on the emulator, and checks
# the library's symbols.
#   scripts/hip-programs.sh [--dev] [NAME ...]     --dev: the library of the dev profile, quicker to compile and slower to run
# A NAME is that of a program's file, such as textures. Then only the steps of these programs run, and those of symbols do not.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=release names=()
for argument; do
    case $argument in
    --dev) profile=debug ;;
    -*) echo "usage: $0 [--dev] [NAME ...]" >&2; exit 2 ;;
    *)
        if ! compgen -G "crates/gfx906-hip/tests/programs/$argument.c*" >/dev/null; then
            echo "no program is named $argument; crates/gfx906-hip/tests/programs/ has them" >&2
            exit 2
        fi
        names+=("$argument")
        ;;
    esac
done
# True if the steps of a program are to run.
wanted() { [[ ${#names[@]} == 0 || " ${names[*]} " == *" $1 "* ]]; }
if [[ $profile == debug ]]; then scripts/build-hip.sh --dev >/dev/null; else scripts/build-hip.sh >/dev/null; fi
library=$(realpath "${CARGO_TARGET_DIR:-target}/hip")
theirs=/usr/lib/x86_64-linux-gnu/libamdhip64.so
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

step() { printf '%-44s' "$1"; }
verdict() {
    if [[ $1 == 0 ]]; then
        echo ok
    else
        echo FAILED
        failed=1
        cat "$out/stdout" "$out/stderr"
    fi
}
# Runs a program against the library; what it printed is in stdout and stderr.
run() { LD_LIBRARY_PATH=$library timeout 300 "$@" >"$out/stdout" 2>"$out/stderr"; }
# That nothing was printed on stderr, of the loader least of all.
quiet() { [[ ! -s $out/stderr ]]; }

if [[ ${#names[@]} == 0 ]]; then
    step "symbols: what crates/gfx906-hip/README.md lists"
    nm -D --defined-only --with-symbol-versions "$library/libamdhip64.so" | awk '$2 != "A" && $3 !~ /@@GFX906$/ { print $3 }' | sort >"$out/ours"
    # | `name` (`symbol`) | version | ...
    sed -nE 's/^\| `(\w+)`( \(`(\w+)`\))? \| (hip_[0-9.]+) \|.*/\1 \3 \4/p' crates/gfx906-hip/README.md |
        awk '{ print $(NF - 1) "@@" $NF }' | sort >"$out/table"
    diff "$out/table" "$out/ours" >"$out/stdout" 2>"$out/stderr" && ok=0 || ok=1
    verdict $ok
    step "symbols: all that Debian's library has"
    nm -D --defined-only --with-symbol-versions "$theirs" | awk '$2 ~ /[TW]/ { print $3 }' | sort >"$out/theirs"
    comm -23 "$out/theirs" "$out/ours" >"$out/stdout" 2>"$out/stderr" && [[ ! -s $out/stdout ]] && ok=0 || ok=1
    verdict $ok
fi

# Replays every record of the last program; the launches that were made to fail are not among them.
replays() {
    local record count=0
    for record in "$out"/record/*/launch.json; do
        "${library%/hip}/$profile/deltanet-check" exec "$record" >"$out/stdout" 2>"$out/stderr" || { echo "$record" >>"$out/stderr"; return 1; }
        count=$((count + 1))
    done
    ((count >= $1))
}
# Which compiler a line's programs are built with: hipcc as Debian packages it, and clang 19. Both link functions that Debian's library
# does not have from this one.
compile() {
    local compiler=$1 source=crates/gfx906-hip/tests/programs/$2.cpp
    shift 2
    case $compiler in
    hipcc) hipcc "$@" "$source" -Wl,"$library/libamdhip64.so" -o "$out/program" ;;
    clang-19) PATH=$out/tools:$PATH clang++-19 -x hip -std=c++17 --rocm-path=/usr \
        --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode "$@" "$source" -Wl,"$library/libamdhip64.so" -o "$out/program" -lamdhip64 ;;
    esac >"$out/stdout" 2>"$out/stderr"
}
# Debian has the bundler of clang 19 under its versioned name, if at all; any version of it writes the same format.
mkdir -p "$out/tools"
bundler=$(compgen -c clang-offload-bundler | sort -V | tail -n 1)
ln -s "$(command -v "$bundler")" "$out/tools/clang-offload-bundler"

program() {
    local compiler=$1 name=$2 opt=$3
    shift 3
    wanted "$name" || return 0
    step "$name ($compiler $opt)"
    compile "$compiler" "$name" --offload-arch=gfx906 "$opt" && run "$out/program" "$@" && ok=0 || ok=1
    # Programs with refused launches are told why.
    case $name in
    errors | modules | launches | overlap | late | graphs | cooperative | heap | extended | linked) ;;
    *) [[ $ok == 0 ]] && { quiet || ok=1; } ;;
    esac
    verdict $ok
}
# The same program as it was built last, under all checks of the sanitizer: it does what it does without, and nothing is found in it. One that
# launches nothing has no log.
checked() {
    local name=$1
    shift
    wanted "$name" || return 0
    step "$name, under all checks"
    rm -f "$out/log"
    run env GFX906_SANITIZE=all GFX906_SANITIZE_LOG="$out/log" "$out/program" "$@" && [[ ! -s $out/log ]] && ok=0 || ok=1
    [[ $ok == 0 ]] || cat "$out/log" >>"$out/stderr" 2>/dev/null || true
    verdict $ok
}
! wanted modules || hipcc --genco --offload-arch=gfx906 crates/gfx906-hip/tests/programs/factor.hip -o "$out/factor.co"
for compiler in hipcc clang-19; do
    for name in harness globals lanes atomics single narrow streams overlap late graphs memory pools mapped arrays textures surfaces errors cooperative heap extended batches rtc linked; do
        program $compiler $name -O3
        [[ $compiler != hipcc ]] || checked $name
    done
    program $compiler modules -O3 kernels/built/deltanet.co "$out/factor.co"
    [[ $compiler != hipcc ]] || checked modules kernels/built/deltanet.co "$out/factor.co"
    program $compiler launches -O3 kernels/built/deltanet.co
    [[ $compiler != hipcc ]] || checked launches kernels/built/deltanet.co
done
for name in harness globals lanes atomics streams memory; do
    program hipcc $name -O0
    checked $name
done

# Every launch of these programs, replayed alone, leaves the same bits. (In `single` the host writes where kernels write: no run is like another.)
recorded() {
    local name=$1 launches=$2
    shift 2
    wanted "$name" || return 0
    step "recorded: $name"
    rm -rf "$out/record"
    compile hipcc "$name" --offload-arch=gfx906 -O3 && run env GFX906_RECORD="$out/record" GFX906_THREADS=1 "$out/program" "$@" &&
        replays "$launches" && ok=0 || ok=1
    verdict $ok
}
recorded harness 7
recorded lanes 4
recorded globals 2
recorded streams 50
recorded narrow 20
recorded cooperative 8
recorded bind 2

# A binding that is made from a recorded launch passes the contract's tests as it is. The sizes of the product do not follow from its
# buffers (either matrix may be the first), those of the other launch do.
proposed() {
    local contract=$1 kernel=$2
    local tool=${library%/hip}/$profile/deltanet-check record
    shift 2
    step "a binding from a record: $contract"
    record=$(compgen -G "$out/record/*$kernel*/launch.json") && code=$(compgen -G "$out/record/code-*.co") &&
        "$tool" bind --from "$record" --contract "$contract" --kernels "$code" "$@" >"$out/bind.toml" 2>"$out/stderr" &&
        "$tool" --kernels "$code" --bind "$out/bind.toml" --require-all >"$out/stdout" 2>>"$out/stderr" && ok=0 || ok=1
    [[ $ok == 0 ]] || cat "$out/bind.toml" >>"$out/stderr"
    verdict $ok
}
if wanted bind; then
    proposed mul times
    proposed gemm_nt rows_by_rows --size M=100,N=72,K=40
fi

if wanted streams; then
    step "streams: every call waits with GFX906_SYNC=1"
    compile hipcc streams --offload-arch=gfx906 && run env GFX906_SYNC=1 "$out/program" && quiet &&
        compile hipcc late --offload-arch=gfx906 && run env GFX906_SYNC=1 "$out/program" sync && ok=0 || ok=1
    verdict $ok
fi
if wanted overlap; then
    step "streams: the process ends, or forks"
    compile hipcc overlap --offload-arch=gfx906 && run "$out/program" exit && grep -q "the program ends while its streams still have work" "$out/stderr" &&
        run "$out/program" fork && grep -q "a fork of a process that has used the device cannot use it" "$out/stderr" && ok=0 || ok=1
    verdict $ok
fi

if wanted poison; then
    step "fresh memory: zeros, or poison on request"
    compile hipcc poison --offload-arch=gfx906 && run "$out/program" 0 && run env GFX906_POISON=1 "$out/program" 1 && quiet && ok=0 || ok=1
    verdict $ok
fi
if wanted leaks; then
    step "memory that is not freed, or freed twice"
    compile hipcc leaks --offload-arch=gfx906 && run "$out/program" && quiet && run env GFX906_LEAKS=1 "$out/program" && ok=0 || ok=1
    for text in 'hipFree of 0x' 'LEAKS=1: 2 allocations were not freed, 4352 bytes' 'call #2: device memory, 4096 bytes' 'pinned host memory, 256 bytes'; do
        grep -qF "$text" "$out/stderr" || ok=1
    done
    verdict $ok
fi
if wanted textures; then
    step "textures that cannot be made"
    compile hipcc textures --offload-arch=gfx906 && run "$out/program" refused && ok=0 || ok=1
    for text in 'hipFilterModeLinear is for floats' 'sRGB, maxAnisotropy and mipmapLevelBias are not supported' 'is no multiple of 256 (textureAlignment)' \
        'are not within one allocation' '(texturePitchAlignment)' 'a view of elements of 4 bytes as ones of 16' 'a surface over what is no array'; do
        grep -qF "a texture or surface is refused: " "$out/stderr" && grep -qF "$text" "$out/stderr" || ok=1
    done
    verdict $ok
fi
if wanted printf; then
    step "printf and assert in kernels"
    compile hipcc printf --offload-arch=gfx906 && run "$out/program" && quiet && ok=0 || ok=1
    [[ $(grep -c '^lane [0-9]* of block [01]: kernel has 12.35%, 0x10000000000$' "$out/stdout") == 8 ]] || ok=1
    [[ $(grep -c '^a text that takes more than one packet: 56 bytes are what a part of it holds$' "$out/stdout") == 2 ]] || ok=1
    [[ $(head -n 1 "$out/stdout") == before ]] || ok=1
    verdict $ok
    step "an assertion that fails"
    run "$out/program" fail && grep -q "Device-side assertion .x\[threadIdx.x\] == 7' failed" "$out/stderr" &&
        grep -q "s_trap 2" "$out/stderr" && ok=0 || ok=1
    verdict $ok
fi

# A failure must be told: its kind, the kernel, and what its report says in particular.
fault() {
    local how=$1
    shift
    step "fault: $how"
    run env GFX906_BUDGET=3000000 "$out/program" "$how" && ok=0 || ok=1
    for text in "$@"; do
        grep -qF "$text" "$out/stderr" || ok=1
    done
    verdict $ok
}
if wanted fault; then
    compile hipcc fault --offload-arch=gfx906
    fault write "memory fault: write of 4 bytes" beyond_the_end "right behind the end of \`hipMalloc #1\` (4096 bytes"
    fault hang "hang: the budget of 3000000 wave instructions used up" forever GFX906_BUDGET
    fault trap "s_trap" stops_itself
    fault host "memory fault: write of 4 bytes" "memory of the host"

    # The program's own output and code, and on stderr what ran.
    step "deltanet-check hip: a program, and one that faults"
    tool=${library%/hip}/$profile/deltanet-check
    "$tool" hip --schedule reverse -- "$out/program" host >"$out/stdout" 2>"$out/stderr" && code=0 || code=$?
    [[ $code == 0 ]] && grep -q "^deltanet-check hip: 1 kernel, 3 launches (1 failed)" "$out/stderr" && ok=0 || ok=1
    compile hipcc lanes --offload-arch=gfx906 && "$tool" hip --report "$out/ran.json" -- "$out/program" >"$out/stdout" 2>"$out/stderr" &&
        grep -q '"launches": 4' "$out/ran.json" && grep -q '"failed": 0' "$out/ran.json" || ok=1
    verdict $ok
    step "deltanet-check hip: a program, its counters"
    "$tool" hip --counters --sanitize --report "$out/ran.json" -- "$out/program" >"$out/stdout" 2>"$out/stderr" && grep -q "lanes on" "$out/stderr" &&
        python3 -c '
import json, sys
kernels = json.load(open(sys.argv[1]))["kernels"]
assert kernels and all(sum(k["counters"]["by_kind"].values()) == k["instructions"] > 0 for k in kernels), kernels' "$out/ran.json" 2>>"$out/stderr" && ok=0 || ok=1
    verdict $ok
    step "deltanet-check hip: a program, profiled"
    "$tool" hip --profile --report "$out/ran.json" -- "$out/program" >"$out/stdout" 2>"$out/stderr" && grep -q "^  4 launches, one after another: " "$out/stderr" &&
        [[ $(grep -c '"valu_instructions": [1-9]' "$out/ran.json") == 4 ]] && ok=0 || ok=1
    verdict $ok
fi

if wanted cooperative; then
    compile hipcc cooperative --offload-arch=gfx906
    fault stuck "deadlock: every group that is left waits at a barrier of the whole grid, and 1 have ended" one_stays_away
    fault usual "a barrier of the whole grid outside of a cooperative launch" one_stays_away
    step "cooperative launches, checked by the sanitizer"
    run env GFX906_SANITIZE=memory,race,sync "$out/program" && ! grep -q "sanitizer\|race\|check" "$out/stderr" && ok=0 || ok=1
    verdict $ok
fi
if wanted rtc; then
    step "hipRTC without a compiler"
    compile hipcc rtc --offload-arch=gfx906 && run env PATH=/nowhere GFX906_CLANG= "$out/program" none && ok=0 || ok=1
    verdict $ok
fi

if wanted rtc; then
    step "an untrusted program: no hipRTC"
    compile hipcc rtc --offload-arch=gfx906 && ! run env GFX906_UNTRUSTED=1 "$out/program" && grep -q "hipRTC is off" "$out/stderr" && ok=0 || ok=1
    verdict $ok
fi
if wanted heap; then
    step "an untrusted program: no host functions of kernels, unless they are allowed"
    compile hipcc heap --offload-arch=gfx906 && run env GFX906_UNTRUSTED=1 GFX906_HOST_CALLS=1 "$out/program" && ok=0 || ok=1
    ! run env GFX906_UNTRUSTED=1 "$out/program" && grep -q "a kernel calls a function of the host; GFX906_HOST_CALLS=1 allows it" "$out/stderr" || ok=1
    verdict $ok
fi
if wanted modules; then
    step "an untrusted program: files of code are below its current directory"
    compile hipcc modules --offload-arch=gfx906 &&
        ! run env --chdir=kernels GFX906_UNTRUSTED=1 "$out/program" "$PWD/kernels/built/deltanet.co" /bin/true &&
        grep -q "hipModuleLoad: /bin/true: not below the current directory" "$out/stderr" && ok=0 || ok=1
    verdict $ok
fi

if wanted reports; then
    compile hipcc reports --offload-arch=gfx906 -gline-tables-only
    # What a program says, its exit code, and what is told.
    reported() {
        local what=$1 how=$2 code=$3 said=$4
        shift 4
        step "report: $what"
        run env "$setting" "$out/program" "$how" && status=0 || status=$?
        [[ $status == "$code" && $(<"$out/stdout") == *"$said"* ]] && ok=0 || ok=1
        for text in "$@"; do
            grep -qF "$text" "$out/stderr" || ok=1
        done
        verdict $ok
    }
    setting=GFX906_OOB=
    reported "names and lines of the source" past 0 "status 719" "void reports::sum<int>(int const*, int*, int)" "programs/reports.cpp:13"
    reported "an assertion in many lanes" lanes 0 "status 719" "% 2 == 1' failed. In 64 lanes."
    [[ $(grep -c "Device-side assertion" "$out/stderr") == 1 ]] || verdict 1
    reported "a damaged image" damaged 0 "reports: ok" "is damaged: it begins as an offload bundle does" 'is damaged: it begins with "no c"'
    setting=GFX906_ABORT=1
    reported "GFX906_ABORT" past 134 "" "GFX906_ABORT=1: the program ends here"
    setting=GFX906_OOB=report
    reported "GFX906_OOB" past 0 "sum 200" "reads beyond the end of \`hipMalloc #1\` (400 bytes), once, by up to 4 bytes" "that passed: 1"
    reported "GFX906_OOB: a page, and no more" over 0 "status 719" "3696 bytes behind the end of \`hipMalloc #1\`" "that passed: 924"

    setting=GFX906_SANITIZE=race
    export GFX906_SANITIZE_LOG=$out/log
    reported "a finding of the sanitizer" twice 0 "status 0" "race: two groups write: " "other side" "kernel      reports::last(int*)" "programs/reports.cpp:18"
    step "report: the sanitizer's log has it too"
    grep -q "^race: two groups write: " "$out/log" && [[ $(grep -c '^  cure  ' "$out/log") == 1 ]] && ok=0 || ok=1
    verdict $ok
    export GFX906_SANITIZE_LOG=$out/no/log
    reported "a log that cannot be" twice 0 "status 0" "GFX906_SANITIZE_LOG=$out/no/log: " "findings go to stderr alone" "race: two groups write"
    unset GFX906_SANITIZE_LOG
    export GFX906_SANITIZE_ABORT=1
    reported "GFX906_SANITIZE_ABORT" twice 134 "" "race: two groups write" "GFX906_SANITIZE_ABORT=1: the program ends here"
    unset GFX906_SANITIZE_ABORT
fi

if wanted ends; then
    compile hipcc ends --offload-arch=gfx906 -gline-tables-only
    # How a program ends, the flags of `hip`, the exit code, and what is told.
    ended() {
        local how=$1 flags=$2 code=$3 status=0
        shift 3
        step "end: $how, hip $flags"
        # The flags are words of their own.
        env DELTANET_CHECK_LIBHIP="$library/libamdhip64.so.5" timeout 300 "${library%/hip}/$profile/deltanet-check" hip $flags -- "$out/program" "$how" \
            >"$out/stdout" 2>"$out/stderr" || status=$?
        [[ $status == "$code" ]] && ok=0 || ok=1
        for text in "$@"; do
            grep -qF "$text" "$out/stderr" || ok=1
        done
        verdict $ok
    }
    # The number of instructions is the compiler's.
    race=("deltanet-check hip: 1 kernel, 1 launch, " " wave instructions, 1 finding")
    ended return --sanitize=race 1 "race: two groups write: byte 0 of \`hipMalloc #1\` is" "kernel      both(int*)" "${race[@]}"
    ended exit --sanitize=race 1 "${race[@]}"
    ended abort --sanitize=race 134 "was ended by signal 6" "${race[@]}"
    ended kill --sanitize=race 143 "was ended by signal 15" "${race[@]}"
    ended refused "" 0 "kernel \`both(int*)\`: block [2048, 1, 1]" "0 launches (1 refused)" "1 launch was refused, and the program ended with exit code 0; --sanitize"
    ended refused --sanitize 1 "1 launch was refused, and the program ended with exit code 0, which --sanitize makes 1"
    freed="at byte 0 of \`hipMallocAsync #2\` (65536 bytes at 0x"
    ended freed "" 0 "$freed" ", which hipFreeAsync has freed" "1 launch failed, and"
    ended freed --sanitize 1 "memory: freed memory: writes 4 bytes at byte 0 of \`hipMallocAsync #2\`" "freed by hipFreeAsync" "\`both(int*)\` ends there"
    [[ $(grep -c "^  kernel  " "$out/stderr") == 1 ]] || verdict 1
    ended part --sanitize 0 "hint: init: the host copies bytes that nobody has written: bytes 128 to 255 of \`hipMalloc #1\` (256 bytes"
    [[ $(grep -c "the host copies" "$out/stderr") == 1 ]] || verdict 1
    ended overlap --sanitize 1 "memory: a copy's ranges overlap: 252 bytes from 0x" "which is 4 bytes away"
    ended unrecorded --sanitize 0 "hint: race: a stream waits for event 0x" "which was never recorded: it does not wait"
    # The processor that runs this says which register has the address.
    [[ $(uname -m) != x86_64 ]] || ended host "" 139 "the host has used an address of \`hipMalloc #1\`, which only kernels reach" "1 kernel, 1 launch,"
fi

if wanted nobinary; then
    step "no binary for gfx906"
    compile hipcc nobinary --offload-arch=gfx900 --offload-arch=gfx1030 && run "$out/program" &&
        grep -q "only .*gfx1030.*gfx900.*\|only .*gfx900.*gfx1030" "$out/stderr" &&
        [[ $(grep -c "kernel nothing() was not launched: the program has no code for gfx906" "$out/stderr") == 1 ]] && ok=0 || ok=1
    verdict $ok
    step "no binary for gfx906, GFX906_ABORT=1"
    code=0
    run env GFX906_ABORT=1 "$out/program" || code=$?
    [[ $code == 134 ]] && grep -q "GFX906_ABORT=1" "$out/stderr" && ok=0 || ok=1
    verdict $ok
fi

if wanted harness; then
    step "of two variants of gfx906, the card's"
    compile hipcc harness --offload-arch=gfx906:sramecc+:xnack- --offload-arch=gfx906:sramecc+:xnack+ --offload-arch=gfx900 &&
        run "$out/program" && quiet && ok=0 || ok=1
    verdict $ok

    step "no visible device"
    ! run env HIP_VISIBLE_DEVICES=-1 "$out/program" && grep -q "hipGetDeviceCount.*: no ROCm-capable device is detected" "$out/stdout" && ok=0 || ok=1
    verdict $ok
fi

if wanted blas; then
    step "a program of hipBLAS"
    compile hipcc blas --offload-arch=gfx906 -O3 -L"$library" -lhipblas && run "$out/program" && ok=0 || ok=1
    [[ $(grep -c "hipblasCherk is not supported" "$out/stderr") == 1 && $(wc -l <"$out/stderr") == 1 ]] || ok=1
    verdict $ok
fi

if wanted rocblas; then
    step "a program of rocBLAS"
    compile hipcc rocblas --offload-arch=gfx906 -O3 -L"$library" -lrocblas && run "$out/program" && ok=0 || ok=1
    [[ $(<"$out/stderr") == "gfx906-rocblas: rocblas_cherk is not supported: it returns rocblas_status_not_implemented" ]] || ok=1
    verdict $ok
fi

# Each library has every function of its table, and no other.
if wanted stand_ins; then
    for table in crates/gfx906-hip/stand-ins/*.names; do
        name=$(basename "$table" .names)
        step "symbols: all of lib$name.so"
        ok=0
        sed 1,2d "$table" | tr ' ' '\n' | sed 's/^text://' | sort >"$out/table"
        for version in $(sed -n 's/^versions //p' "$table"); do
            place=$(find "$library" "$library/stand-ins" -maxdepth 1 -name "lib$name.so.$version")
            nm -D --defined-only "$place" 2>"$out/stderr" | awk '{ print $3 }' | sort | diff "$out/table" - >"$out/stdout" || ok=1
        done
        verdict $ok
    done
    step "a program of libraries with stand-ins"
    compile hipcc stand_ins --offload-arch=gfx906 -L"$library/stand-ins" -lrccl -lMIOpen -lhipblaslt -lroctx64 -lhipfft -lrocm_smi64 -lhiprand &&
        run env LD_LIBRARY_PATH="$library:$library/stand-ins" "$out/program" && ok=0 || ok=1
    for text in "rccl: a communicator of more than one rank" "rccl: a reduction with an operation of the program's own" "rccl: ncclSend" \
        "MIOpen: miopenConvolutionForward" "hipblaslt: hipblasLtMatmul" "hipfft: hipfftPlan1d" "rocm_smi64: rsmi_init" "hiprand: hiprandCreateGenerator"; do
        [[ $(grep -cF "gfx906-$text is not supported: it returns " "$out/stderr") == 1 ]] || ok=1
    done
    [[ $(wc -l <"$out/stderr") == 8 ]] || ok=1
    verdict $ok
    step "deltanet-check hip: --stand-ins --rocm-view"
    # shellcheck disable=SC2016  # The program's own shell expands the text.
    "${library%/hip}/$profile/deltanet-check" hip --stand-ins --rocm-view -- sh -c '"$0" && rocm_agent_enumerator && ls /sys/class/kfd/kfd/topology/nodes &&
        [ -e /dev/kfd ] && grep gfx_target_version /sys/class/kfd/kfd/topology/nodes/1/properties' "$out/program" >"$out/stdout" 2>"$out/stderr" && ok=0 || ok=1
    [[ $(tr '\n' ' ' <"$out/stdout") == "stand_ins: ok gfx000 gfx906 0 1 gfx_target_version 90006 " ]] || ok=1
    verdict $ok
fi

if wanted filters; then
    cc crates/gfx906-hip/tests/programs/filters.c -o "$out/program" -ldl
    for order in "6 5 7" "7 6 5" "5"; do
        step "a process with libraries of HIP ${order// /, }"
        read -ra order <<<"$order"
        run "$out/program" "${order[0]}" "${order[@]/#/$library/libamdhip64.so.}" && quiet && ok=0 || ok=1
        verdict $ok
    done
fi

if wanted generation; then
    # Programs of each generation are linked with a stub of its name, whose symbols have their versions.
    cat >"$out/generation.map" <<'MAP'
hip_4.2 { global: hipRuntimeGetVersion; hipDriverGetVersion; hipGetDeviceProperties; hipMalloc; hipFree; hipHostMalloc; hipHostFree;
  hipMallocManaged; hipMemcpy; hipGetLastError; hipDeviceGetLimit; hipMemcpyParam2D; hipDrvMemcpy3D; hipPointerGetAttributes; local: *; };
hip_5.0 { global: hipPointerGetAttribute; } hip_4.2;
hip_5.3 { global: hipDrvGetErrorName; hipDeviceSetLimit; } hip_5.0;
hip_6.0 { global: hipGetDevicePropertiesR0600; hipExtGetLastError; } hip_5.3;
hip_6.1 { global: hipGetProcAddress; } hip_6.0;
hip_7.1 { global: hipGetDriverEntryPoint; hipMemsetD2D32; } hip_6.1;
MAP
    grep -oE '\bhip[A-Z]\w+;' "$out/generation.map" | sed 's/\(.*\);/void \1(void) {}/' >"$out/stub.c"
    mkdir -p "$out/stub"
    for generation in 5 6 7; do
        step "a program that is linked with HIP $generation"
        cc -DHIP=$generation crates/gfx906-hip/tests/programs/generation.c "$library/libamdhip64.so.$generation" -o "$out/program" &&
            readelf -d "$out/program" | grep -q "NEEDED.*\[libamdhip64.so.$generation\]" && run "$out/program" && quiet && ok=0 || ok=1
        verdict $ok
        step "a program of HIP $generation"
        name=libamdhip64.so.$generation
        cc -shared -fPIC -Wl,-soname,$name -Wl,--version-script="$out/generation.map" "$out/stub.c" -o "$out/stub/$name" 2>/dev/null &&
            cc -DHIP=$generation crates/gfx906-hip/tests/programs/generation.c "$out/stub/$name" -o "$out/program" && run "$out/program" && quiet && ok=0 || ok=1
        verdict $ok
    done
fi
if wanted loaded; then
    cc crates/gfx906-hip/tests/programs/loaded.c -o "$out/program" -ldl
    for loaded in so.5:5 so.6:6 so.7:7 so:7; do
        step "a program that loads libamdhip64.${loaded%:*}"
        run "$out/program" "$library/libamdhip64.${loaded%:*}" "${loaded#*:}" && quiet && ok=0 || ok=1
        verdict $ok
    done
    step "a program that loads a copy, and GFX906_HIP"
    cp "$library/libamdhip64.so.5" "$out/copied.so" && run env GFX906_HIP=6 "$out/program" "$out/copied.so" 6 && quiet && ok=0 || ok=1
    verdict $ok
fi

exit $failed
