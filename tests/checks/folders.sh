#!/bin/sh
# Every numbered folder is self-contained: copied out alone it builds with one line, or with its own Makefile if it
# has one, without a warning, with each compiler that is there, and its program runs.
#
#     tests/checks/folders.sh 00_loop 01_matrix ...        (make test-folders)
#
# The last line counts: "N passed, N failed".
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # the makes called here are not jobs of the make above

passed=0 failed=0
place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT

for folder in "$@"; do
    cp -R "$folder" "$place/" || exit 2
    for cc in gcc clang; do
        command -v $cc >/dev/null || { echo "$cc was not found: left out"; continue; }
        case $cc in gcc) cxx=g++ ;; *) cxx=clang++ ;; esac
        if [ -e "$place/$folder/Makefile" ]; then
            said=$(make -C "$place/$folder" BUILD=build-$cc CC=$cc CXX=$cxx WERROR=1 2>&1 >/dev/null)
        else
            said=$(cd "$place/$folder" && $cc -O2 -Wall -Wextra ./*.c -lm -o program 2>&1 && ./program 2>&1 >/dev/null)
        fi
        status=$?
        if [ $status -eq 0 ] && [ -z "$said" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$folder alone with $cc: exit status $status, expected 0 and not a word:"
            echo "$said"
        fi
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
