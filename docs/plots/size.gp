# The bytes of S for one head over n = m, against a card of 80 GB.
load "docs/plots/style.gp"
set logscale xy
set xlabel "n = m"
set ylabel "bytes of S, float32, one head"
set xtics ("1Ki" 1024, "4Ki" 4096, "16Ki" 16384, "64Ki" 65536, "256Ki" 262144, "1Mi" 1048576)
set format y "%.0s %cB"
set xrange [1024:1048576]
set yrange [1e6:1e13]
card = 80e9
set arrow from graph 0, first card to graph 1, first card nohead linetype 9
set label "a card of 80 GB" at 1200, card * 1.8
unset key
plot data."/size.csv" using 1:2 with linespoints linetype 2
