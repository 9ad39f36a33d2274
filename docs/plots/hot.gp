# The share of outputs that are not finite over the largest score, versions 1 and 2.
load "docs/plots/style.gp"
set xlabel "largest score"
set ylabel "outputs that are not finite, %"
set xrange [0:320]
set yrange [-4:104]
unset key
stats data."/overflow.csv" using (strcol(1) eq "float32" ? $2 : NaN) nooutput
end = exists("STATS_max") ? STATS_max : NaN
if (end < 320) set arrow from end, graph 0 to end, graph 1 nohead linetype 9
if (end < 320) set label sprintf("expf overflows\nat %.2f", end) at end - 5, 50 right
file = data."/hot.csv"
set label "version 1: exp as it comes" at 318, 92 right textcolor rgb "#b04d00"
set label "version 2: maximum subtracted" at 318, 7 right textcolor rgb "#0072b2"
plot file using 2:($3 * 100) with linespoints linetype 3, \
     file using 2:($4 * 100) with linespoints linetype 2
