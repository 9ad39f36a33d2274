#!/bin/sh
# Grades one file. Called by make and by build/grade-class, which say in the environment how to compile.
#
#     tests/grading/grade.sh file STAGE FILE               make exercise-4 FILE=mine.c
#     tests/grading/grade.sh work STAGE FILE FOLDER [HOW]  the same, silent: FOLDER gets state, output, log, report and
#                                                          results (see report.c)
#     tests/grading/grade.sh how                           prints boxed if bubblewrap is there and allowed, or bare
#
# The file is built and run in a temporary folder of its own, with limits of time, memory, processes and file size
# (graded.c sets them for each test). HOW is bare or boxed. A box has no network and nothing of the machine but its
# compilers and the grader, can write only into memory that is limited, and does not hold the log. PACE=N in the
# environment: a machine that is N times as slow, so N times the seconds.
set -eu

PACE=${PACE:-1}
seconds=120 # for building and running one file
compiling=10 # seconds of the compiler's own time
written=300000000 # bytes that a box can write in all
: "${COMPILE_ONE:?is not set: call this by make}" "${LINK_ONE:?}" "${LIBRARIES:?}" "${GRADER:?}"
SANITIZED=
case $COMPILE_ONE in *-fsanitize=*) SANITIZED=1 seconds=300 compiling=60 ;; esac
seconds=$((seconds * PACE)) compiling=$((compiling * PACE))
export COMPILING=$compiling PACE SANITIZED STAGE VERSION
unset CK_RUN_SUITE CK_RUN_CASE CK_VERBOSITY CK_TAP_LOG_FILE_NAME CK_XML_LOG_FILE_NAME CK_FORK
export ASAN_OPTIONS=abort_on_error=1:allocator_may_return_null=1:detect_leaks=0 UBSAN_OPTIONS=abort_on_error=1

die() { echo "grade: $*" >&2; exit 2; }
column() { awk -v stage="$1" -v column="$2" '$1 == stage { print $column }' tests/grading/stages; }
limited() { if command -v timeout >/dev/null; then exec timeout -k 1 $seconds "$@"; else exec "$@"; fi; }

# what happens in the folder of a file is a program of the grader, run.sh or run_cuda.sh
bare() { (cd "$1" && limited sh "$GRADER/$2"); }
boxed() {
    if [ "$(id -u)" = 0 ]; then user="--cap-add CAP_SETUID --cap-add CAP_SETGID"; else user=--unshare-user; fi
    # shellcheck disable=SC2086
    limited bwrap --die-with-parent --new-session --unshare-pid --unshare-net --unshare-ipc --unshare-uts $user \
        --ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 \
        --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache \
        --proc /proc --dev /dev --remount-ro /dev --size $written --tmpfs /tmp --size $written --tmpfs /box \
        --ro-bind "$GRADER" /grader --setenv GRADER /grader --ro-bind "$1" /box/given --remount-ro / \
        --chdir /box sh -c "cp given/* . 2>/dev/null; exec sh /grader/$2"
}

# what a program's end means: the key of a state
ended() {
    case $1 in
        0 | 1) echo graded ;; # 1: something failed
        124) echo "stopped|$seconds" ;;
        137) echo "killed|$seconds" ;;
        *) echo unfinished ;;
    esac
}

# grade_file HOW STAGE FILE FOLDER
grade_file() {
    mkdir -p "$4"
    box=${BOX:-$4}/box
    rm -rf "$box" && mkdir -p "$box"
    : >"$4/output"
    : >"$4/log"
    state=$(build/report --look "$2" "$3")
    case $state in
        graded | partly)
            cp "$3" "$box/student.c"
            cp "0${2%%-*}"_*/*.h "$box/"
            [ "$state" = graded ] || [ ! -f "tests/grading/parts_$2.c" ] || cp "tests/grading/parts_$2.c" "$box/parts.c"
            case $(column "$2" 2) in *.cu) run=run_cuda.sh ;; *) run=run.sh ;; esac
            status=0
            STAGE=$2 VERSION=$(column "$2" 4)
            "$1" "$box" $run >"$4/output" 2>&1 3>>"$4/log" & # >>: two write it
            child=$!
            trap 'kill $child 2>/dev/null; exit 143' INT TERM HUP
            wait $child || status=$?
            trap - INT TERM HUP
            said=$(sed -n 's/^state //p' "$4/log")
            if [ $status != 0 ] || [ "$state" = graded ]; then state=${said:-$(ended $status)}
            else state=${said:-$state}; fi ;;
    esac
    rm -rf "$box"
    echo "$state" >"$4/state"
    status=0
    build/report "$2" "$3" "$4" >"$4/report" || status=$?
    [ $status -le 1 ] || die "the report of $3 could not be made"
    return $status
}

one() {
    [ -f "$2" ] || die "there is no file '$2'"
    status=0
    grade_file bare "$1" "$2" "build/graded/stage-$1" || status=$?
    cat "build/graded/stage-$1/report"
    exit $status
}

# Is bubblewrap there, and may it be used?
how() {
    try=$(mktemp -d)
    if (boxed "$try" nothing.sh) >/dev/null 2>&1; then echo boxed; else echo bare; fi
    rmdir "$try"
}

[ $# -ge 1 ] || die "usage: tests/grading/grade.sh file STAGE FILE | work STAGE FILE FOLDER [HOW] | how"
what=$1
shift
case $what in
    file) one "$@" ;;
    work) grade_file "${4:-bare}" "$1" "$2" "$3" || [ $? = 1 ] ;;
    how) how ;;
    *) die "there is no '$what'" ;;
esac
