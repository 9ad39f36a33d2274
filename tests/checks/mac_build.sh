#!/bin/sh
# What can be known of a Mac, of musl and of Windows without one: zig (from PyPI) compiles and links for each of them
# what needs no outside library, without an error or a warning. The programs for musl run here, too, and must print what
# they print here.
#
#     tests/checks/mac_build.sh        (make test-mac-build, which builds the programs of this machine first)
#
# The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."
top=$PWD
tests/peers/install.sh build/zig tests/checks/zig.txt || exit 2
"$top/build/zig/bin/python" -m ziglang version >/dev/null || { echo "mac_build: no zig" >&2; exit 2; }
unset MAKEFLAGS MFLAGS MAKELEVEL

passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); echo "passed: $1"; else failed=$((failed + 1)); echo "failed: $1"; fi
}
compiler() { # FILE LANGUAGE TARGET
    printf '#!/bin/sh\nexec "%s" -m ziglang %s -target %s "$@"\n' "$top/build/zig/bin/python" "$2" "$3" >"$1"
    chmod +x "$1"
}
stages='build/stage-0 build/stage-1 build/stage-2 build/stage-3 build/stage-4'
tools='build/ledger build/experiment build/bench build/watch build/report build/grade-class'
built() { # TARGET GOAL...: in build/others/TARGET
    target=$1 place=build/others/$1
    shift
    mkdir -p "$place" && git ls-files -z | xargs -0 tar -cf - | tar -xf - -C "$place" || exit 2
    compiler "$place/cc" cc "$target" && compiler "$place/c++" c++ "$target"
    if [ $# -gt 5 ]; then # version 5 is in the ledger, and has programs of its own
        made "$place" "$@" && made "$place/05_cuda" BUILD=../build/05_cuda programs
    else made "$place" "$@" CXX=false; fi >"$place/log" 2>&1 && ! grep -i 'warning' "$place/log"
    check "$target: $*" $? || tail -n 20 "$place/log"
}
made() { # FOLDER GOAL...
    folder=$1
    shift
    make -s -j"$(getconf _NPROCESSORS_ONLN)" -C "$folder" CC="$top/$place/cc" CXX="$top/$place/c++" PKG_CONFIG=false \
        FLASH_ARCH= OPENMP= WERROR=1 "$@"
}
# shellcheck disable=SC2086
for target in aarch64-macos x86_64-macos x86_64-linux-musl; do built $target $stages $tools; done
# shellcheck disable=SC2086
built x86_64-windows-gnu $stages

# flash's storage and digits go with the width of vectors; musl's expf rounds in its own way: of a deviation the power of 10
printed() { "$1" | sed -e '/^flash /d' -e 's/[0-9][.][0-9]e-0/e-0/g'; }
for program in $stages build/ledger; do
    printed "$program" >build/others/here
    printed "build/others/x86_64-linux-musl/$program" >build/others/there
    [ -s build/others/here ] && diff build/others/here build/others/there
    check "musl: $program prints what it prints here" $?
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
