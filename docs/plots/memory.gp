# What the versions hold beside inputs and outputs, over n = m, as counted by the allocator.
load "docs/plots/style.gp"
set logscale xy
set xlabel "n = m"
set ylabel "bytes beside inputs and outputs"
set format x "%.0s%c"
set format y "%.0s %cB"
set yrange [1e3:1e14]
set xrange [800:125000]
file = data."/storage.csv"
plot file using 1:4 with linespoints linetype 3 title "version 2: n m floats", \
     file using 1:6 with linespoints linetype 2 title "version 4: n (block + 2) floats, block 16", \
     file using 1:2 with linespoints linetype 1 title "version 0: m float64", \
     file using 1:7 with linespoints linetype 4 title "flash: one tile a thread"
