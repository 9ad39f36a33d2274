#!/bin/sh
# Grades what students wrote. Called by make, which says in the environment how to compile.
#
#     tests/grade.sh file STAGE FILE        one file: make exercise-4 FILE=mine.c
#     tests/grade.sh work STAGE FILE FOLDER the same, silent: log, report, results and output are left in FOLDER
#     tests/grade.sh class DIR OUT          a class: make grade DIR=submissions OUT=grades.csv
#
# DIR holds a folder for every student with stage-0.c .. stage-4.c in it. OUT becomes a table with a row for every
# student. Each file is built and run in a folder of its own, with limits of time, memory, processes and file size
# (tests/graded.c sets them), and with bubblewrap, where that is allowed, also without network, with nothing of the
# machine writable, and with nothing of the project but its grader to be seen.
# TAP=folder and JUNIT=file ask for these formats too.
set -eu

stages="0 1 2 3 4"
unset CK_RUN_SUITE CK_RUN_CASE CK_VERBOSITY CK_TAP_LOG_FILE_NAME CK_XML_LOG_FILE_NAME CK_FORK
: "${COMPILE_ONE:?is not set: call this by make}" "${LINK_ONE:?}" "${LIBRARIES:?}" "${GRADER:?}"
export ASAN_OPTIONS=abort_on_error=1:allocator_may_return_null=1:detect_leaks=0 UBSAN_OPTIONS=abort_on_error=1
root=$(pwd)
seconds=60 # for building and running one file

version() { case $1 in 0) echo loop ;; 1) echo matrix ;; 2) echo safe ;; 3) echo blockwise_bug ;; 4) echo online ;; esac; }
folder() { echo "$root"/0"$1"_*; }
die() { echo "grade: $*" >&2; exit 2; }

# what happens inside the folder of one file, in the sandbox or not: prints what the compiler said; status 3: it failed
# shellcheck disable=SC2016
build_and_run='
ulimit -t 60; ulimit -f 100000; ulimit -c 0
$COMPILE_ONE -I"$GRADER" -I"$CONTRACT" -include counted.h -c student.c -o student.o || exit 3
if [ "${CLASS:-}" ] && size -A student.o 2>/dev/null | grep -Eq "(init|fini)_array|[.](ctors|dtors|init|fini) "; then
    echo "it has code that would run before or after the program (a constructor)"; exit 3
fi
$LINK_ONE "$GRADER"/graded.o student.o "$GRADER"/graded.a $LIBRARIES -o graded || exit 3
CK_LOG_FILE_NAME=log ./graded'

limited() { if command -v timeout >/dev/null; then timeout -k 1 $seconds "$@"; else "$@"; fi; }

# bare WORK CONTRACT: without a sandbox
bare() {
    (cd "$1" && CONTRACT=$2 limited sh -c "$build_and_run")
}

# boxed WORK CONTRACT: the same with bubblewrap
boxed() {
    if [ "$(id -u)" = 0 ]; then user="--cap-add CAP_SETUID --cap-add CAP_SETGID"; else user=--unshare-user; fi
    limited bwrap --die-with-parent --new-session --unshare-pid --unshare-net --unshare-ipc --unshare-uts $user \
        --ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 \
        --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache \
        --proc /proc --dev /dev --tmpfs /tmp --ro-bind "$root/build/graded" /grader --ro-bind "$2" /contract \
        --bind "$1" /work --chdir /work --setenv GRADER /grader --setenv CONTRACT /contract \
        sh -c "$build_and_run"
}

# grade_file STAGE FILE WORK: leaves log, output, state, seconds, report and results in WORK
grade_file() {
    rm -rf "$3"
    mkdir -p "$3/contract"
    cp "$2" "$3/student.c"
    cp "$(folder "$1")"/attention.h "$3/contract/"
    start=$(date +%s)
    status=0
    VERSION=$(version "$1") $box "$3" "$3/contract" >"$3/output" 2>&1 || status=$?
    case $status in
        0) state=graded ;;
        3) state="does not compile" ;;
        124 | 137) state="was stopped after $seconds seconds" ;;
        *) state="could not be run to its end (status $status)" ;;
    esac
    [ -f "$3/log" ] || : >"$3/log"
    build/report --results "$3/results" "$1" "$3/student.c" "$3/log" >"$3/report" || [ $? = 1 ] || state="no report"
    echo "$state" >"$3/state"
    echo $(($(date +%s) - start)) >"$3/seconds"
}

one() {
    [ -f "$2" ] || die "there is no file '$2'"
    work=build/graded/stage-$1
    box=bare
    grade_file "$1" "$2" "$root/$work"
    state=$(cat "$work/state")
    echo "Stage $1: $2"
    [ ! -s "$work/output" ] || sed "s#^student\.c#$2#; s/^/    /" "$work/output"
    case $state in
        graded) ;;
        does*) echo "  It does not compile: what the compiler says stands above. Nothing could be asked." ;;
        *) echo "  It $state. What was not asked by then counts as failed." ;;
    esac
    if cmp -s "$2" "$(folder "$1")/exercise/attention.c"; then echo "  It is still the exercise as it was given out."; fi
    cat "$work/report"
    grep -q FAILED "$work/report" || { echo; echo "All of it is right."; exit 0; }
    echo
    if grep -q 'crashed\|the C library' "$work/report"; then echo "The line of a crash: make exercise-$1 SANITIZE=1"; fi
    echo "More help, one hint at a time: $(cd "$(folder "$1")" && basename "$PWD")/exercise/hints.md"
    exit 1
}

case ${1:-} in
    file) [ $# = 3 ] || die "usage: tests/grade.sh file STAGE FILE"; one "$2" "$3" ;;
    work) [ $# = 4 ] || die "usage: tests/grade.sh work STAGE FILE FOLDER"; box=bare; grade_file "$2" "$3" "$4" ;;
    class) [ $# = 3 ] || die "usage: tests/grade.sh class DIR OUT"; class "$2" "$3" ;;
    *) die "usage: tests/grade.sh file STAGE FILE, or: tests/grade.sh class DIR OUT" ;;
esac
