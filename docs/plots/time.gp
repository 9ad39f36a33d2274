# Time over n = m for every version, one thread, d = dv = 64. On logarithmic axes a square is a line of slope 2.
load "docs/plots/style.gp"
eval svg(645, 17)
set datafile columnheaders
set logscale xy
set xlabel "n = m"
set ylabel "seconds, one thread, d = dv = 64"
set xrange [200:20000]
set yrange [1e-5:100]
set xtics (256, 512, 1024, 2048, 4096, 8192, 16384)
set format y "10^{%T}"
set key above left reverse Left samplen 3
file = data."/bench.csv"
of(version) = strcol(1) eq version && $2 == 1 && $3 == 64 ? $4 : NaN
plot file using (of("loop")):($5 / 1000) with linespoints linetype 1 title "version 0, three loops", \
     file using (of("matrix")):($5 / 1000) with linespoints linetype 6 title "version 1, three calls", \
     file using (of("safe")):($5 / 1000) with linespoints linetype 3 title "version 2, safe softmax", \
     file using (of("blockwise_bug")):($5 / 1000) with linespoints linetype 5 title "version 3, the blockwise bug", \
     file using (of("online")):($5 / 1000) with linespoints linetype 2 title "version 4, online softmax", \
     file using (of("flash")):($5 / 1000) with linespoints linetype 4 title "version 4, flash.c", \
     [512:16384] 1e-4 * (x / 2048.0) ** 2 with lines linetype 9 title "twice the length, four times the time"
