# Where and when each chunk of queries meets each chunk of keys: the colour is the rank, the number is the step.
load "docs/plots/style.gp"
eval svg(560, 17)
set datafile columnheaders
file = data."/ring_schedule.csv"
set xlabel "chunk of keys"
set ylabel "chunk of queries"
set xrange [-0.5:7.5]
set yrange [7.5:-0.5]
set xtics 1 scale 0
set ytics 1 scale 0
unset grid
set size ratio -1
set key outside right top reverse Left
met(rank) = $2 == rank && strcol(5) ne "-" ? $3 : NaN
array colour[4] = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7"]
plot for [r = 0:3] file using 4:(met(r)):(0.48):(0.48) with boxxyerror fillstyle solid 0.75 noborder \
         linecolor rgb colour[r + 1] title sprintf("rank %d", r), \
     file using 4:3:(strcol(5) eq "-" ? "" : strcol(1)) with labels \
         notitle
