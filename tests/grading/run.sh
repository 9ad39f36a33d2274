#!/bin/sh
# Builds and runs student.c in the folder of one file, boxed or bare (grade.sh calls it). The log goes to descriptor 3,
# which the file's own code does not hold; a line "state KEY" there says why it was not run (sentences.en: state.KEY).
ulimit -c 0; ulimit -f 100000
export OMP_NUM_THREADS=1 # a test may not start threads
state() { echo "state $1" >&3; exit 0; }
needs=$GRADER/needs-$STAGE # what the file must define, its main function first

case $VERSION in flash | merge) COMPILE_ONE=$COMPILE_FLASH ;; esac
(ulimit -t "$COMPILING"; ulimit -v 4000000 2>/dev/null
 $COMPILE_ONE -I"$GRADER" -I. -include counted.h -c student.c -o student.o) || state compile

# what it defines; some systems put a _ before each name
nm student.o | sed -n 's/^[0-9a-f]* [TWi] _\{0,1\}\([A-Za-z]\)/\1/p' >defined
grep -qx main defined && state main
while read -r name; do
    grep -qx "$name" defined && continue
    for other in "$GRADER"/needs-*; do
        read -r first <"$other"
        grep -qx "$first" defined && state "other_stage|$name|$first|${other##*/needs-}"
    done
    state "missing|$name"
done <"$needs"
if [ "${CLASS:-}" ]; then
    nm student.o | grep -q ' i ' && state constructor
    size -A student.o 2>/dev/null | grep -Eq '(init|fini)_array|[.](ctors|dtors|init|fini) ' && state constructor
fi
# with lines still to be written, the functions are asked one by one
if [ -f parts.c ] && $COMPILE_ONE -I. parts.c -o parts -lm; then
    for part in $(sed -n 's/^static bool right_\([a-z_]*\).*/\1/p' parts.c); do
        if (ulimit -t $((2 * PACE)); ./parts "$part" 3>&-); then passed=P; else passed=F; fi
        echo "parts.c:0:$passed:parts:part_$part:0: $part" >&3
    done
    exit
fi
# nothing else of it has a name that could stand in the place of the grader's
if [ -z "$SANITIZED" ] && command -v objcopy >/dev/null; then
    objcopy --keep-global-symbols="$needs" student.o
fi
$LINK_ONE "$GRADER/grader-$STAGE.o" student.o $LIBRARIES -o graded || state link
CK_LOG_FILE_NAME=/dev/fd/3 ./graded
status=$?
[ $status = 1 ] && [ -z "$SANITIZED" ] || exit $status
# Something failed. Does the compiler's own check of indices name a line? What a cause is known for keeps it.
checks='-fsanitize=bounds -fno-sanitize-recover=bounds'
outside=$( (ulimit -t $((10 * PACE)); unset QUIET
    $COMPILE_ONE $checks -I"$GRADER" -I. -include counted.h -c student.c -o checked.o &&
        $LINK_ONE $checks "$GRADER/grader-$STAGE.o" checked.o $LIBRARIES -o checked && CK_FORK=no ./checked) 3>/dev/null 2>&1 |
    sed -n 's/^student[.]c:\([0-9]*\):[0-9]*: runtime error: /: line \1, /p' | head -n 1)
[ -z "$outside" ] || echo "student.c:0:F:indices:the_arrays_end:0: cause.outside|$outside" >&3
exit 1
