#!/bin/sh
# Planted faults: each patch of tests/faults breaks version 5 in one typical way, and the checks must say so by name.
#
#     tests/faults.sh [NAME...]        all of them, or those named
#
# A patch tells which kernel it breaks and which report it asks for. It is applied to a copy of 05_cuda, which is built
# (only the changed file is) and run by the folder's own `check`. The run must fail, with that report, in that file.
# BUILD is where 05_cuda has been built: what is there is not built again. The last line counts.
set -u
cd "$(dirname "$0")/.."

build=${BUILD:-build/05_cuda}
place=build/faults
passed=0 failed=0

# one fault: says what reported it, or what was said instead
try() {
    name=$1
    kernel=$(sed -n 's/^kernel: //p' "tests/faults/$name.patch")
    report=$(sed -n 's/^report: //p' "tests/faults/$name.patch")
    rm -rf "$place" && mkdir -p "$place" && cp -Rp 05_cuda "$place/" && cp -Rp "$build" "$place/05_cuda/build" || exit 2
    if ! (cd "$place" && patch -s -p1 && make -s -C 05_cuda BUILD=build build/check) <"tests/faults/$name.patch" \
        >"$place/log" 2>&1; then
        said="not built"
    else
        "$place/05_cuda/build/check" "$kernel" >"$place/log" 2>&1
        status=$?
        # a kernel's report names file, line, kind, thread and block; a refused launch is one sentence
        case $report in
        attention.cu:*) pattern="^attention.cu:[0-9]*:${report#*:}: " wanted=1 ;;
        *.cu:*) pattern="^${report%%:*}:[0-9]*:${report#*:}: .*block ([0-9]*,[0-9]*,[0-9]*)" wanted=1 ;;
        *) pattern="$report" wanted=2 ;;
        esac
        said=$(grep "$pattern" "$place/log" | head -n 1)
        [ $status -eq $wanted ] || said="exit status $status, expected $wanted"
        [ -n "$said" ] || said="not reported"
        [ $status -eq $wanted ] && grep -q "$pattern" "$place/log" && passed=$((passed + 1)) \
            && printf '%-26s %s\n' "$name" "$said" && return
    fi
    failed=$((failed + 1))
    printf '%-26s NOT FOUND: %s; expected: %s\n' "$name" "$said" "$report"
    cat "$place/log"
}

[ $# -gt 0 ] || set -- $(cd tests/faults && ls | sed 's/\.patch$//')
for name; do try "$name"; done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
