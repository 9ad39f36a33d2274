# Time over n = m, one thread, d = dv = 64: versions 0 to 4 in one band, flash.c below it, and the factor between them.
# On logarithmic axes a square is a line of slope 2.
load "docs/plots/style.gp"
eval svg(560, 17)
set datafile columnheaders
file = data."/bench.csv"
in_band(n) = $2 == 1 && $3 == 64 && $4 == n && strcol(1) ne "flash" && strcol(1) ne "cuda" ? $5 / 1000 : NaN
of_flash(n) = $2 == 1 && $3 == 64 && $4 == n && strcol(1) eq "flash" ? $5 / 1000 : NaN

# rows of n, the fastest and the slowest of the band; and of n, flash.c
set print $Band
print "256,NaN,NaN"
do for [n in "256 512 1024 2048 4096"] {
    undefine band_*
    stats file using (in_band(n + 0)) name "band" nooutput
    if (exists("band_max")) { print sprintf("%s,%.9g,%.9g", n, band_min, band_max) }
}
set print $Flash
print "256,NaN"
do for [n in "256 512 1024 2048 4096 8192 16384"] {
    undefine flash_*
    stats file using (of_flash(n + 0)) name "flash" nooutput
    if (exists("flash_max")) { print sprintf("%s,%.9g", n, flash_min) }
}
set print
undefine band_* flash_*
stats file using (in_band(4096)) name "band" nooutput
stats file using (of_flash(4096)) name "flash" nooutput
if (exists("band_max") && exists("flash_max") && flash_min > 0 && band_min > 0 && band_max < 1e30) {
    set arrow from 4096, flash_min to 4096, band_min heads filled size graph 0.015, 20 linecolor rgb "#d55e00" front
    set label sprintf("%.0f to %.0f times", band_min / flash_min, band_max / flash_min) \
        at 4500, band_min * 0.6 left textcolor rgb "#a04000"
    set label "versions 0 to 4" at 3600, band_max * 1.4 right
    set label "flash.c" at 4500, flash_min * 0.72 left textcolor rgb "#00724f"
}
set label "twice the length,\nfour times the time" at 5600, 3e-3 left textcolor rgb "#777777"
set datafile nocolumnheaders
set logscale xy
set xlabel "n = m"
set ylabel "seconds, one thread, d = dv = 64"
set xrange [200:20000]
set yrange [1e-4:100]
set xtics (256, 512, 1024, 2048, 4096, 8192, 16384)
set format y "10^{%T}"
unset key
plot $Band using 1:2:3 with filledcurves fillstyle solid 1 noborder linecolor rgb "#bbbbbb", \
     $Flash using 1:2 with linespoints linetype 4, \
     [1400:5000] 1e-3 * (x / 4096.0) ** 2 * 3 with lines linetype 9
