# The share of the processor's peak of multiplications and additions that was measured in the same run.
load "docs/plots/style.gp"
eval svg(520, 17)
set datafile columnheaders
set logscale x
set xlabel "n = m"
set ylabel "share of the measured FMA peak, %"
set xrange [200:20000]
set yrange [0:100]
set xtics (256, 512, 1024, 2048, 4096, 8192, 16384)
set key at graph 0.98, graph 0.42 right top samplen 3 spacing 1.4
file = data."/bench.csv"
all = 1
stats file using 2 nooutput
if (exists("STATS_max") && STATS_max > 1) { all = STATS_max }
of(version, threads, d) = strcol(1) eq version && $2 == threads && $3 == d ? $4 : NaN
last(version) = strcol(1) eq version && $2 == 1 && $3 == 64 && $4 == 4096 ? $4 : NaN
plot file using (of("flash", 1, 128)):($8 * 100) with linespoints linetype 6 title "flash.c, d = 128, one thread", \
     file using (of("flash", 1, 64)):($8 * 100) with linespoints linetype 4 title "flash.c, d = 64, one thread", \
     file using (of("flash", all, 64)):($8 * 100) with linespoints linetype 5 \
         title sprintf("flash.c, d = 64, %g threads", all), \
     file using (of("online", 1, 64)):($8 * 100) with linespoints linetype 2 notitle, \
     file using (of("loop", 1, 64)):($8 * 100) with linespoints linetype 1 notitle, \
     file using (last("online")):($8 * 100):("  versions 4 and 0") with labels left notitle
