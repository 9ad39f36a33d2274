#!/bin/sh
# Anyone's CUDA program on the CPU: translates it, compiles it with the hooks, and runs it.
#
#     try.sh FILE        (make try FILE=my.cu, from the folder FROM; several files: FILE="main.cpp kernels.cu")
#
# The Makefile says the rest by its variables: OURS, the folder of this script; PLACE, where to build; COMPILE, compiler
# and flags; LINK, the emulation and its libraries. The caller's: FLAGS for the compiler, ARGS for the program; RUN=no:
# it is not run.
set -eu
cd "$FROM"
[ -n "${1:-}" ] || { echo 'usage: make try FILE=my.cu [ARGS="..."] [FLAGS="-I..."] [TRAFFIC=1]' >&2; exit 2; }
if [ -e "$1" ]; then set -- "$1"; else set -- $1; fi # one name, or several
for file; do [ -r "$file" ] || { echo "try: '$file' cannot be read" >&2; exit 2; }; done

rm -rf "$PLACE" && mkdir -p "$PLACE"
awk -v to="$PLACE" -v ours="$OURS" -f "$OURS/translate.awk" "$@" || exit 2
objects=
for file; do
    name=$(basename "$file")
    # a name that the emulation lacks is told in a sentence; all else is the compiler's to say
    if ! LC_ALL=C $COMPILE -I"$(dirname "$file")" ${FLAGS:-} -x c++ -c "$PLACE/$name" -o "$PLACE/$name.o" \
        2>"$PLACE/log"; then
        awk -f "$OURS/lacking.awk" "$PLACE/log" >&2 || cat "$PLACE/log" >&2
        exit 2
    fi
    cat "$PLACE/log" >&2
    objects="$objects $name.o"
done
(cd "$PLACE" && $CXX $objects $LINK -o program) || exit 2
[ "${RUN:-}" = no ] || exec "$PLACE/program" ${ARGS:-}
