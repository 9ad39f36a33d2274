#!/bin/sh
# Planted faults: each patch of tests/checks/faults breaks version 5 in one typical way, and the checks must say so by name.
#
#     tests/checks/faults.sh            all of them, as many at a time as there are cores
#     tests/checks/faults.sh NAME       one
#
# A patch tells which kernel it breaks and which report it asks for. It is applied to a copy of 05_cuda, which is built
# (only the changed file is) and run by the folder's own `check`. The run must fail, with that report, in that file.
# BUILD is where 05_cuda has been built: what is there is not built again. The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."

build=${BUILD:-build/05_cuda}

# one fault: prints what reported it, or what was said instead
try() {
    kernel=$(sed -n 's/^kernel: //p' "tests/checks/faults/$1.patch")
    report=$(sed -n 's/^report: //p' "tests/checks/faults/$1.patch")
    place=build/faults/$1
    rm -rf "$place" "$place.found" && mkdir -p "$place/build" && cp -Rp 05_cuda "$place/" &&
        cp -Rp "$build/c++" "$build/hooked" "$build/cuda_on_cpu" "$build/check.o" "$build/flags" "$place/build/" || exit 2
    (cd "$place" && patch -s -p1 && make -s -C 05_cuda WERROR= BUILD=../build ../build/check) \
        <"tests/checks/faults/$1.patch" >"$place/log" 2>&1 && "$place/build/check" "$kernel" >"$place/log" 2>&1
    status=$?
    # a kernel's report names file, line, kind, thread and block; a refused launch is one sentence
    case $report in
    attention.cu:*) pattern="^attention.cu:[0-9]*:${report#*:}: " wanted=1 ;;
    *.cu:*) pattern="^${report%%:*}:[0-9]*:${report#*:}: .*block ([0-9]*,[0-9]*,[0-9]*)" wanted=1 ;;
    *) pattern="$report" wanted=2 ;;
    esac
    if [ $status -eq $wanted ] && grep -q "$pattern" "$place/log"; then
        printf '%-26s %s\n' "$1" "$(grep "$pattern" "$place/log" | head -n 1)"
        rm -rf "$place" && : >"$place.found"
    else
        printf '%-26s NOT FOUND: exit status %d, expected %d and: %s\n' "$1" $status $wanted "$report"
        cat "$place/log"
        return 1
    fi
}

if [ $# -eq 1 ]; then
    try "$1"
    exit
fi
rm -rf build/faults
said=$(ls tests/checks/faults | sed 's/\.patch$//' | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 tests/checks/faults.sh)
echo "$said" | sort
# one that could not even be tried says nothing, and is not among those found
passed=$(ls build/faults | grep -c '[.]found$')
failed=$(($(ls tests/checks/faults | wc -l) - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
