#!/bin/sh
# attention_flash holds in every build: with gcc and clang, for this machine, for AVX2 and for the
# plainest one, with threads and without, under the suites flash, trace, policy and cases; its threads under
# clang's ThreadSanitizer; and flags that would change its numbers are refused in a sentence. Takes the test
# runner's other objects as they are.
#
#     tests/checks/flash_builds.sh 04_online_softmax OBJECT...        (make test-flash)
#
# The last line counts: "N passed, N failed".
set -u
folder=$1
shift
place=build/flash
checks=$(pkg-config --cflags check) || exit 2
libraries="$(pkg-config --libs check) -lm"
mkdir -p "$place" || exit 2
others=$(printf '%s\n' "$@" | grep -v -e '/test_flash\.o' -e '/test_trace\.o' -e '/test_cuda\.o' -e '/versions\.o' -e '/flash\.o' \
                                   -e '/decode\.o')
for file in versions test_cuda; do # without version 5, which has builds of its own
    cc -std=c11 -O2 -D_POSIX_C_SOURCE=200809L $checks -c "tests/suites/$file.c" -o "$place/$file.o" || exit 2
    others="$others $place/$file.o"
done

# build NAME COMPILER FLAGS...: the runner $place/NAME/run
build() {
    name=$1 compiler=$2
    shift 2
    mkdir -p "$place/$name"
    for file in flash decode; do
        $compiler -std=c11 -O3 "$@" -ffp-contract=fast -include tests/suites/counted.h \
            -c "$folder/$file.c" -o "$place/$name/$file.o" || return
    done
    for file in test_flash test_trace; do
        $compiler -std=c11 -O2 -D_POSIX_C_SOURCE=200809L "$@" $checks \
            -c tests/suites/$file.c -o "$place/$name/$file.o" || return
    done
    $compiler "$@" "$place/$name"/*.o $others $libraries -o "$place/$name/run"
}

suites() { for suite in flash trace policy cases; do CK_RUN_SUITE=$suite "$1" || return; done; }

# try NAME COMPILER FLAGS...: builds and runs; one line of result
try() {
    name=$1
    if build "$@" >"$place/$name.log" 2>&1 && suites "$place/$name/run" >>"$place/$name.log" 2>&1
    then echo "passed $name"
    else echo "failed $name:"; tail -n 5 "$place/$name.log"
    fi
}

# the same for threads that race: one process, no fork, the case with 2 to 5 threads
try_threads() {
    if build threads clang -g -fsanitize=thread -fopenmp >"$place/threads.log" 2>&1 &&
       CK_FORK=no CK_RUN_SUITE=flash CK_RUN_CASE=threads TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 \
           "$place/threads/run" >>"$place/threads.log" 2>&1
    then echo "passed ThreadSanitizer"
    else echo "failed ThreadSanitizer:"; tail -n 20 "$place/threads.log"
    fi
}

# refuse COMPILER FLAG SENTENCE: what the compiler itself takes, common.h refuses
refuse() {
    echo 'int x;' | $1 $2 -x c -c - -o /dev/null 2>/dev/null || { echo "$1 has no $2: left out" >&2; return; }
    for file in flash decode; do
        if said=$($1 -std=c11 -O3 $2 -fsyntax-only "$folder/$file.c" 2>&1) || ! echo "$said" | grep -q -e "error.*$3"
        then echo "failed $1 $2: $file.c was not refused with '$3': $said"; return; fi
    done
    echo "passed $1 refuses $2"
}

refusals() { # COMPILER
    for flag in -ffast-math -Ofast; do refuse $1 $flag 'not with -ffast-math'; done
    $1 --version | grep -q clang && return # it has no x87 on x86-64, and no macro that tells of the other one
    refuse $1 -funsafe-math-optimizations 'not with -ffast-math'
    refuse $1 -mfpmath=387 'float must be computed as float'
}

openmp() { echo '#include <omp.h>' | $1 -fopenmp -x c - -c -o /dev/null 2>/dev/null; }

results=$(
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || { echo "$compiler was not found: left out" >&2; continue; }
        for threads in -fopenmp ''; do
            [ -z "$threads" ] || openmp $compiler || { echo "$compiler has no OpenMP: left out" >&2; continue; }
            label=$compiler${threads:+-openmp}
            try "$label-plain" $compiler $threads &
            grep -q avx2 /proc/cpuinfo 2>/dev/null && try "$label-avx2" $compiler $threads -mavx2 -mfma &
            try "$label-native" $compiler $threads -march=native
            wait
        done
        refusals $compiler
    done
    if openmp clang; then try_threads; else echo "ThreadSanitizer needs clang with OpenMP: left out" >&2; fi
)
echo "$results"
failed=$(echo "$results" | grep -c '^failed')
passed=$(echo "$results" | grep -c '^passed')
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
