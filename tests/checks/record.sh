#!/bin/sh
# Records runs: every FILE begins with "$ COMMAND"; the command is run and what it prints is written below that line
# (errors and progress, which it tells the terminal, are not).
#
#     tests/checks/record.sh docs/data/blas_twin.txt ...        (make record)
#
# The texts quote these files; make test-lessons then tells what to change in them.
set -u
for file in "$@"; do
    command=$(sed -n '1s/^\$ //p' "$file")
    [ -n "$command" ] || { echo "$file does not begin with '\$ COMMAND'" >&2; exit 2; }
    echo "$command"
    if { echo "\$ $command"; sh -c "$command"; } >"$file.part"; then mv "$file.part" "$file"
    else rm "$file.part"; echo "'$command' failed: $file is as it was" >&2; exit 2; fi
done
