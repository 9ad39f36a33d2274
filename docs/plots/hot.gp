# The share of outputs that are not finite over the largest score, versions 1 and 2.
load "docs/plots/style.gp"
set xlabel "largest score"
set ylabel "outputs that are not finite, %"
set xrange [0:320]
set yrange [-4:104]
set key at graph 1, 0.45 right reverse Left
stats data."/overflow.csv" using (strcol(1) eq "float32" ? $2 : NaN) nooutput
end = exists("STATS_max") ? STATS_max : NaN
if (end < 320) set arrow from end, graph 0 to end, graph 1 nohead linetype 9
if (end < 320) set label sprintf("expf overflows\nat %.2f", end) at end - 5, 50 right
file = data."/hot.csv"
plot file using 2:($3 * 100) with linespoints linetype 3 title "version 1, exp as it comes", \
     file using 2:($4 * 100) with linespoints linetype 2 title "version 2, maximum subtracted"
