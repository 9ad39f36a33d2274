#!/bin/sh
# Builds and runs student.c in the folder of one file, boxed or bare (grade.sh calls it). Exit status 3: it does not
# compile.
ulimit -c 0; ulimit -f 100000
export OMP_NUM_THREADS=1 # a test may not start threads
case $VERSION in flash | merge) COMPILE_ONE=$COMPILE_FLASH ;; esac
(ulimit -t $COMPILING; ulimit -v 4000000 2>/dev/null
 $COMPILE_ONE -I"$GRADER" -I. -include counted.h -c student.c -o student.o &&
     $LINK_ONE "$GRADER"/graded.o student.o "$GRADER"/graded.a $LIBRARIES -o graded) || exit 3
if [ "${CLASS:-}" ] && size -A student.o 2>/dev/null | grep -Eq "(init|fini)_array|[.](ctors|dtors|init|fini) "; then
    echo "it has code that would run before or after the program (a constructor)"; exit 3
fi
CK_LOG_FILE_NAME=log CK_TAP_LOG_FILE_NAME=tap ./graded
