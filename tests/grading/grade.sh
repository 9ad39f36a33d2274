#!/bin/sh
# Grades what students wrote. Called by make, which says in the environment how to compile.
#
#     tests/grading/grade.sh file STAGE FILE         one file: make exercise-4 FILE=mine.c
#     tests/grading/grade.sh work STAGE FILE FOLDER  the same, silent: log, report, results and output are left in FOLDER
#     tests/grading/grade.sh class DIR OUT           a class: make grade DIR=submissions OUT=grades.csv
#
# DIR holds a folder for every student, in it stage-0.c .. stage-4.c, stage-4-flash.c, stage-4-merge.c, stage-5.cu. OUT becomes a table with a row for every student.
# Each file is built and run in a temporary folder of its own with limits of time, memory, processes and file size
# (tests/grading/graded.c sets them for each test). A class is graded with bubblewrap where that is allowed: no network, nothing
# of the machine writable, and of the project nothing but the grader to be seen.
# TAP=folder: Check's own report of every file there. JUNIT=file: all of them in one file of that format.
set -eu

[ -d "${GRADER:-}/05_cuda" ] && five=5 || five= # where there is a C++ compiler
stages="${STAGES_GRADED:-0 1 2 3 4 4-flash 4-merge $five}"
seconds=60 # for building and running one file
compiling=10 # seconds of the compiler's own time
largest=1000000 # bytes of a file that is graded
: "${COMPILE_ONE:?is not set: call this by make}" "${LINK_ONE:?}" "${LIBRARIES:?}" "${GRADER:?}"
case $COMPILE_ONE in *-fsanitize=*) sanitized=1 seconds=300 compiling=60 ;; *) sanitized= ;; esac
export COMPILING=$compiling
unset CK_RUN_SUITE CK_RUN_CASE CK_VERBOSITY CK_TAP_LOG_FILE_NAME CK_XML_LOG_FILE_NAME CK_FORK
export ASAN_OPTIONS=abort_on_error=1:allocator_may_return_null=1:detect_leaks=0 UBSAN_OPTIONS=abort_on_error=1

version() {
    case $1 in
        0) echo loop ;; 1) echo matrix ;; 2) echo safe ;; 3) echo blockwise_bug ;; 4) echo online ;; 5) echo cuda ;; *) echo "${1#*-}" ;;
    esac
}
folder() { echo 0"${1%%-*}"_*; }
given() { # the exercise as it is given out
    case $1 in
        *-flash) echo "$(folder "$1")/exercise/flash.c" ;;
        5) echo "$(folder "$1")/exercise/flash.cu" ;;
        *-merge) echo "$(folder "$1")/exercise/decode.c" ;;
        *) echo "$(folder "$1")/exercise/attention.c" ;;
    esac
}
hints() { case $1 in *-*) echo "$(folder "$1")/exercise/hints-${1#*-}.md" ;; *) echo "$(folder "$1")/exercise/hints.md" ;; esac; }
die() { echo "grade: $*" >&2; exit 2; }

limited() { if command -v timeout >/dev/null; then timeout -k 1 $seconds "$@"; else "$@"; fi; }
# what happens in the folder of a file: a program of the grader, run.sh or run_cuda.sh
bare() { (cd "$1" && limited sh "$GRADER/$2"); }
boxed() {
    if [ "$(id -u)" = 0 ]; then user="--cap-add CAP_SETUID --cap-add CAP_SETGID"; else user=--unshare-user; fi
    # shellcheck disable=SC2086
    limited bwrap --die-with-parent --new-session --unshare-pid --unshare-net --unshare-ipc --unshare-uts $user \
        --ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 \
        --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache \
        --proc /proc --dev /dev --tmpfs /tmp --ro-bind "$GRADER" /grader --setenv GRADER /grader \
        --bind "$1" /work --chdir /work sh "/grader/$2"
}

# grade_file HOW STAGE FILE FOLDER: HOW is bare or boxed. FOLDER gets state, seconds, output, report and results.
grade_file() {
    mkdir -p "$4/box"
    head -c $largest "$3" >"$4/box/student.c"
    cp "$(folder "$2")"/*.h "$4/box/"
    start=$(date +%s)
    status=0
    if [ "$2" = 5 ]; then run=run_cuda.sh; else run=run.sh; fi
    VERSION=$(version "$2") "$1" "$4/box" $run >"$4/output" 2>&1 || status=$?
    case $status in
        0) state=graded ;;
        3) state="does not compile" ;;
        124) state="was stopped after $seconds seconds" ;;
        137) state="was ended by a signal, its own or after $seconds seconds" ;;
        *) state="could not be run to its end" ;;
    esac
    if cmp -s "$3" "$(given "$2")"; then state="is still the exercise as it was given out"; fi
    echo "$state" >"$4/state"
    echo $(($(date +%s) - start)) >"$4/seconds"
    log=$4/box/log
    [ -f "$log" ] || log=/dev/null
    status=0
    build/report --results "$4/results" "$2" "$3" "$log" >"$4/report" || status=$?
    [ $status -le 1 ] || die "the report of $3 could not be made"
}

one() {
    [ -f "$2" ] || die "there is no file '$2'"
    work=build/graded/stage-$1
    rm -rf "$work"
    grade_file bare "$1" "$2" "$work"
    echo "Stage $1: $2"
    [ ! -s "$work/output" ] || sed "s#^\(student\.c\|flash\.cu\):#$2:#; s/^/    /" "$work/output"
    state=$(cat "$work/state")
    [ "$state" = graded ] || echo "  The file $state."
    cat "$work/report"
    grep -q FAILED "$work/report" || { echo; echo "All of it is right."; exit 0; }
    echo
    if grep -q 'crashed\|the C library' "$work/report"; then echo "The line of a crash: make exercise-$1 SANITIZE=1"; fi
    echo "More help, one hint at a time: $(hints "$1")"
    exit 1
}

# ---- a class ----

points() { awk -F '\t' '$1 == "property" { sum += $2; of += $3 } END { print sum + 0 " of " of + 0 " points" }' "$1"; }

# student HOW DIR WORK STUDENT/STAGE: one file of a class; prints a line of progress
student() {
    name=${4%/*} stage=${4##*/}
    file=$2/$name/stage-$stage.c work=$3/$4
    [ "$stage" != 5 ] || file=${file}u
    mkdir -p "$work"
    if [ -f "$file" ]; then
        CLASS=1 QUIET=1 grade_file "$1" "$stage" "$file" "$work"
        [ -z "${TAP:-}" ] || cp "$work/box/tap" "$TAP/$name-stage-$stage.tap" 2>/dev/null || :
    else
        build/report --results "$work/results" "$stage" "$(given "$stage")" /dev/null \
            >"$work/report" || :
        echo "not handed in" >"$work/state"
        echo 0 >"$work/seconds"
    fi
    rm -rf "$work/box"
    echo "$name, stage $stage: $(points "$work/results"), $(cat "$work/state")"
}

quote() { printf '"%s"' "$(printf %s "$1" | sed 's/"/""/g')"; }
xml() { printf %s "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'; }

# table WORK FIRST_STUDENT: the first line of the table
table_head() {
    printf '"student","points"'
    for stage in $stages; do
        printf ',"%s: points","%s: state","%s: seconds","%s: likely cause"' "$stage" "$stage" "$stage" "$stage"
        awk -F '\t' -v stage="$stage" '$1 == "property" { printf ",\"%s: %s\"", stage, $4 }' "$1/$2/$stage/results"
    done
    echo
}

table_row() {
    quote "$2"
    cat "$1/$2"/*/results | awk -F '\t' '$1 == "property" { sum += $2 } END { printf ",%d", sum }'
    for stage in $stages; do
        at=$1/$2/$stage
        printf ',%d,' "$(points "$at/results" | cut -d ' ' -f 1)"
        quote "$(cat "$at/state")"
        printf ',%d,' "$(cat "$at/seconds")"
        quote "$(sed -n 's/^hint	//p' "$at/results")"
        awk -F '\t' '$1 == "property" { printf ",%d", $2 }' "$at/results"
    done
    echo
}

junit_suite() {
    for stage in $stages; do
        at=$1/$2/$stage
        printf '  <testsuite name="%s, stage %s" time="%s">\n' "$(xml "$2")" "$stage" "$(cat "$at/seconds")"
        grep '^property' "$at/results" | while IFS='	' read -r _ got of sentence; do
            printf '    <testcase classname="stage %s" name="%s">' "$stage" "$(xml "$sentence")"
            [ "$got" = "$of" ] || printf '<failure message="%s of %s points"/>' "$got" "$of"
            echo "</testcase>"
        done
        echo "  </testsuite>"
    done
}

summary() {
    echo
    echo "What went wrong, by how many:"
    for stage in $stages; do
        handed=$(cat "$1"/*/"$stage"/state | grep -vc '^not handed in')
        echo "  stage $stage, handed in by $handed of $(ls "$1" | wc -l):"
        for at in "$1"/*/"$stage"; do
            if grep -q '^graded' "$at/state"; then sed -n 's/^hint	//p' "$at/results"; else cat "$at/state"; fi
        done | sort | uniq -c | sort -rn | sed 's/^/  /'
    done
}

class() {
    [ -z "$sanitized" ] || die "a class is graded without SANITIZE=1: its code in a file is taken for a student's trick"
    [ -d "$1" ] || die "there is no folder '$1'"
    students=$(cd "$1" && ls -d -- */ 2>/dev/null | sed 's#/$##') || :
    [ "$students" ] || die "'$1' has no folders: one for every student is expected, with stage-0.c and so on in it"
    : >"$2.new" || die "'$2' cannot be written"
    [ -z "${TAP:-}" ] || mkdir -p "$TAP"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    how=boxed
    mkdir "$work/.try"
    if ! boxed "$work/.try" nothing.sh 2>/dev/null; then
        how=bare
        echo "bubblewrap is missing or refused here: every file runs with limits of time, memory, processes and file"
        echo "size alone. It can read what you can read, use the network, and write where you can write."
    fi
    rm -rf "$work/.try"
    echo "$students" | while read -r name; do for stage in $stages; do echo "$name/$stage"; done; done |
        tr '\n' '\0' | xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" "$0" student $how "$1" "$work"
    { table_head "$work" "$(echo "$students" | head -n 1)"
      echo "$students" | while read -r name; do table_row "$work" "$name"; done; } >"$2.new"
    mv "$2.new" "$2"
    [ -z "${JUNIT:-}" ] || {
        echo '<?xml version="1.0" encoding="UTF-8"?>'
        echo '<testsuites>'
        echo "$students" | while read -r name; do junit_suite "$work" "$name"; done
        echo '</testsuites>'
    } >"$JUNIT"
    summary "$work"
    echo
    echo "The table is in $2."
}

usage() { die "usage: tests/grading/grade.sh file STAGE FILE | work STAGE FILE FOLDER | class DIR OUT"; }
[ $# -ge 3 ] || usage
what=$1
shift
case $what in
    file) one "$@" ;;
    work) grade_file bare "$@" ;;
    class) class "$@" ;;
    student) student "$@" ;;
    *) usage ;;
esac
