#!/bin/sh
# Makes of the grader's objects one, in which nothing has a name that a student's file can guess.
#
#     tests/grading/seal.sh GRADER NEEDS STUB OBJECT ...
#
# STUB is the exercise as it is given out, compiled: what it defines and the OBJECTs use is what a file must define, and
# goes to NEEDS, what is named after the version first. The OBJECTs become GRADER.
set -eu

grader=$1 needs=$2 stub=$3
shift 3
$CC -r -nostdlib "$@" -o "$grader"
names() { sed 's/^_\([a-zA-Z]\)/\1/' | sort; }
nm "$stub" | sed -n 's/^[0-9a-f]* T //p' | names >"$needs.defined"
# versions that have no exercise are absent: nobody calls them (version 5 comes with the file)
absent=$(nm -u "$grader" | sed 's/^ *U //' | names | comm -13 "$needs.defined" - | grep '^attention_' | grep -v cuda || :)
if [ "$absent" ]; then
    for name in $absent; do echo "int $name(void); int $name(void) { return -1; }"; done |
        $CC -O2 -x c -c - -o "$needs.absent.o"
    $CC -r -nostdlib "$@" "$needs.absent.o" -o "$grader"
    rm "$needs.absent.o"
fi
nm -u "$grader" | sed 's/^ *U //' | names | comm -12 "$needs.defined" - |
    awk '/^(attention|flash|merge)/ { print; next } { rest = rest $0 "\n" } END { printf "%s", rest }' >"$needs"
if [ -z "${SANITIZED:-}" ] && command -v objcopy >/dev/null; then # what the exercise calls keeps its name
    { echo main
      nm -u "$stub" | sed 's/^ *U //'
      nm "$grader" | sed -n 's/^.* T \(counted_.*[ce]\)$/\1/p'; } >"$needs.kept"
    objcopy --keep-global-symbols="$needs.kept" "$grader"
fi
rm -f "$needs.defined" "$needs.kept"
