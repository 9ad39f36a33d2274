#!/bin/sh
# Grades exercise 4-ring on 1 to 4 ranks, 20 points in all: make exercise-4-ring FILE=mine.c
#
#     tests/checks/ring/exercise.sh FILE
#     tests/checks/ring/exercise.sh          checks the exercise itself: as given out it compiles and fails, ring.c has
#                                            20 points, and outside the gaps both are the same
#
# make says in the environment how to compile, link and run.
set -u
cd "$(dirname "$0")/../../.."
: "${RING_COMPILE:?is not set: call this by make}" "${RING_LINK:?}" "${RING_RUN:?}" "${RING_OBJECTS:?}"
ring=04_online_softmax/ring place=build/ring/exercise

grade() {
    mkdir -p $place
    others=$(echo "$RING_OBJECTS" | tr ' ' '\n' | grep -v '/watched/ring\.o$')
    # shellcheck disable=SC2086
    $RING_COMPILE -c "$1" -o $place/ring.o && $RING_LINK $place/ring.o $others -lm -o $place/test ||
        { echo "  $(build/report --say frame.not_compiled)"; return 1; }
    points=0
    for p in 1 2 3 4; do
        SECONDS_A_TEST=10 $RING_RUN -n $p $place/test >$place/log 2>&1
        grep -E '^FAILED|^       |passed' $place/log | awk '!said[$0]++'
        points=$((points + $(sed -n 's/^\([0-9]*\) passed, 0 failed.*/5/p' $place/log | head -n 1) + 0))
    done
    echo "  $(build/report --say "frame.ranks|$points|20")"
    [ $points -eq 20 ] || { build/report --say "frame.more_help|$ring/exercise/hints"; return 1; }
}

if [ $# -eq 1 ]; then
    [ -f "$1" ] || { echo "exercise-4-ring: there is no file '$1'" >&2; exit 2; }
    build/report --say "frame.stage|4-ring|$1"
    grade "$1"
    exit
fi

export LANG_=en
passed=0 failed=0
check() { if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi; }
said=$(grade $ring/exercise/ring.c 2>&1)
echo "$said" | grep -q 'FAILED written' && echo "$said" | grep -q '0 of 20 points' && ! echo "$said" | grep -q -- '\[-W'
check "as given out: $said" $?
said=$(grade $ring/ring.c 2>&1)
echo "$said" | grep -q '^  20 of 20 points'
check "ring.c: $said" $?
code() { sed '1,/\*\/$/d' "$1"; }
code $ring/ring.c >build/ring/version
code $ring/exercise/ring.c | sed '/Your lines, about/,/End of your lines/d' >build/ring/outside
said=$(grep -vxF -f build/ring/version build/ring/outside)
[ -z "$said" ]
check "outside the gaps: $said" $?
echo "exercise 4-ring: $passed passed, $failed failed"
[ $failed -eq 0 ]
