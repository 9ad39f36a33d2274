# The relative error of one row over its number of keys: float32 sums one after the other, and flash.c's in parts.
load "docs/plots/style.gp"
set datafile columnheaders
set logscale xy
set xlabel "keys, all with the same score and the value 0.1"
set ylabel "relative error of the result"
set xrange [700:1500000]
set yrange [1e-8:1e2]
set xtics ("2^{10}" 1024, "2^{12}" 4096, "2^{14}" 16384, "2^{16}" 65536, "2^{18}" 262144, "2^{20}" 1048576)
set format y "10^{%T}"
file = data."/rows.csv"
plot file using 1:3 with linespoints linetype 6 pointsize 1.8 title "version 1, one after the other", \
     file using 1:4 with linespoints linetype 3 title "version 2", \
     file using 1:5 with linespoints linetype 2 pointsize 0.5 title "version 4", \
     file using 1:6 with linespoints linetype 4 title "flash.c, in lanes, blocks and parts", \
     [700:1500000] 2.0**-24 with lines linetype 9 title "u = 2^{-24}, the last rounding alone"
