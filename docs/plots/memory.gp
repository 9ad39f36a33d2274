# What the versions hold beside inputs and outputs, over n = m, as counted by the allocator.
load "docs/plots/style.gp"
set logscale xy
set xlabel "n = m"
set ylabel "bytes beside inputs and outputs"
set format x "%.0s%c"
set format y "%.0s %cB"
set yrange [1e2:1e12]
set xrange [800:1300000]
set xtics (1000, 10000, 100000)
unset key
file = data."/storage.csv"
# the name of a line beside its last point
name(text) = sprintf("  %s", text)
last(column) = int($1) == 100000 && column > 0 && column < 1e30 ? column : NaN
plot file using 1:4 with linespoints linetype 3, \
     file using 1:6 with linespoints linetype 2, \
     file using 1:2 with linespoints linetype 1, \
     file using 1:7 with linespoints linetype 5, \
     file using 1:8 with linespoints linetype 4, \
     file using 1:(last($4)):(name("version 2: n m")) with labels left textcolor rgb "#b04d00", \
     file using 1:(last($6)):(name("version 4: n (block + 2)")) with labels left textcolor rgb "#0072b2", \
     file using 1:(last($2)):(name("version 0: m, float64")) with labels left, \
     file using 1:(last($8)):(name("flash: a tile a thread")) with labels left textcolor rgb "#00744f", \
     file using 1:(last($7)):(name("tiled: one tile")) with labels left textcolor rgb "#a4557f"
