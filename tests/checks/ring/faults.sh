#!/bin/sh
# Planted faults: each patch of tests/checks/ring/faults breaks ring.c or tree.c in one typical way, and the test that
# it names must say so, on 3 ranks.
#
#     tests/checks/ring/faults.sh            all of them, as many at a time as there are cores
#     tests/checks/ring/faults.sh NAME       one
#
# make says in the environment how to compile, link and run. The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../../.."
: "${RING_COMPILE:?is not set: call this by make}" "${RING_LINK:?}" "${RING_RUN:?}" "${RING_OBJECTS:?}"
faults=tests/checks/ring/faults

# one fault: prints the line that reported it, or what was said instead
try() {
    place=build/ring/faults/$1
    file=$(sed -n 's/^--- a\///p' "$faults/$1.patch") test=$(sed -n 's/^test: //p' "$faults/$1.patch")
    name=$(basename "$file" .c)
    others=$(echo "$RING_OBJECTS" | tr ' ' '\n' | grep -v "/watched/$name\.o$")
    rm -rf "$place" && mkdir -p "$place" || exit 2
    # shellcheck disable=SC2086
    patch -s -f -o "$place/$name.c" "$file" <"$faults/$1.patch" >"$place/log" 2>&1 &&
        $RING_COMPILE -c "$place/$name.c" -o "$place/$name.o" >>"$place/log" 2>&1 &&
        $RING_LINK "$place/$name.o" $others -lm -o "$place/test" >>"$place/log" 2>&1 &&
        SECONDS_A_TEST=5 $RING_RUN -n 3 "$place/test" "$test" >>"$place/log" 2>&1
    status=$?
    if [ $status -ne 0 ] && grep -q "^FAILED $test: " "$place/log"; then
        printf '%-20s %.100s\n' "$1" "$(grep -m 1 "^FAILED $test: " "$place/log")"
        rm -rf "$place"
    else
        printf '%-20s NOT FOUND: exit status %d, expected a failure of test %s\n' "$1" $status "$test"
        cat "$place/log"
        return 1
    fi
}

if [ $# -eq 1 ]; then
    try "$1"
    exit
fi
said=$(ls $faults | sed 's/\.patch$//' | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 "$0")
echo "$said" | sort
failed=$(echo "$said" | grep -c 'NOT FOUND')
echo "$(($(ls $faults | wc -l) - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
