#!/bin/sh
# Which exercise is the next that is not solved? Grades your copies in order, up to the first without full points, and
# shows its report. What is solved and has not changed is not graded again.
#
#     tests/grading/next.sh FOLDER STAGE ...         make next; FOLDER has the copies, stage-0.c and so on
#
# WATCH=1: stays, and grades whenever you save.
set -eu

copies=$1
shift
row() { awk -v stage="$1" -v column="$2" '$1 == stage { print $column }' tests/grading/stages; }
copy_of() { version=$(row "$1" 2); echo "$copies/stage-$1.${version##*.}"; }

# grades the copy of a stage if it changed since the last time; is it solved?
solved() {
    copy=$(copy_of "$1") kept=build/next/$1
    if [ ! -e "$copy" ]; then
        version=$(row "$1" 2)
        mkdir -p "$copies" && cp "${version%/*}/exercise/${version##*/}" "$copy"
    fi
    if ! cmp -s "$copy" "$kept/source"; then
        rm -rf "$kept" && mkdir -p "$kept"
        cp "$copy" "$kept/new"
        SHOWN=$copy tests/grading/grade.sh work "$1" "$kept/new" "$kept" || exit
        mv "$kept/new" "$kept/source"
    fi
    awk -F '\t' '$1 == "points" { full = $2 == $3 } END { exit !full }' "$kept/results"
}

# the line of progress, and the report of the first that is not solved
show() {
    done=0 open=
    for stage in "$@"; do
        if solved "$stage"; then done=$((done + 1)); else open=$stage; break; fi
    done
    bar=$(awk -v done=$done -v all=$# 'BEGIN { for (i = 0; i < all; i++) printf "%s", (i < done ? "#" : "-") }')
    [ -z "$open" ] || { cat "build/next/$open/report"; echo; }
    if [ "$open" ]; then next="frame.next|$(copy_of "$open")"; else next=frame.finished; fi
    echo "[$bar] $(build/report --say "frame.progress|$done|$#")"
    build/report --say "$next"
}

show "$@"
while [ "${WATCH:-}" ] && [ "$open" ]; do
    sleep 1
    cmp -s "$copy" "build/next/$open/source" || { echo; show "$@"; }
done
