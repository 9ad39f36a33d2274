#!/bin/sh
# make bench-ring: the longest sequence that fits into a fixed memory a rank, measured small, and by formula beyond.
# make says in the environment how to run. CSV=FILE: the table behind docs/figures/ring.svg.
set -eu
cd "$(dirname "$0")/../../.."
: "${RING_RUN:?is not set: call this by make}"
bench=build/ring/bench

echo "Measured: the longest causal sequence at 4 MB a rank; one head, d = dv = 64"
echo "ranks     tokens   bytes held   by formula     bytes sent  seconds"
measured=$(for p in 1 2 4 8; do $RING_RUN -n $p $bench fits 4; done)
echo "$measured"
echo
echo "By formula, nothing measured:"
$RING_RUN -n 1 $bench beyond "${BANDWIDTH:-50}" "${PEAK:-100}"
[ -z "${CSV:-}" ] || $RING_RUN -n 1 $bench line | awk -v measured="$measured" -v OFS=', ' '
    BEGIN {
        for (i = split(measured, row, "\n"); i > 0; i--) { split(row[i], at, " "); tokens[at[1]] = at[2] }
    }
    NR == 1 { print $0 ", measured at 4 MB" ; next }
    { split($0, now, ", "); print $0, now[1] in tokens ? tokens[now[1]] : "nan" }' >"$CSV"
