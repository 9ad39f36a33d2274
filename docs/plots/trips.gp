# The four trips of S between the three calls of version 2 and the large memory. Drawn, not measured.
load "docs/plots/style.gp"
eval svg(330, 16)
unset key
unset grid
unset border
unset tics
set xrange [0:100]
set yrange [41:0]
set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0

box(x, y, w, h, colour) = sprintf("set object rectangle from %g,%g to %g,%g fillstyle solid 1 border linecolor rgb '#333333' fillcolor rgb '%s' behind", \
    x, y, x + w, y + h, colour)
trip(x, from, to) = sprintf("set arrow from %g,%g to %g,%g linecolor rgb '#d55e00' linewidth 2.5", x, from, x, to)

eval box(6, 4, 24, 9, "#d7e8f3")
eval box(38, 4, 24, 9, "#d7e8f3")
eval box(70, 4, 24, 9, "#d7e8f3")
set label 1 "S = Q Kᵀ / √d" at 18, 8.5 center
set label 2 "softmax of rows" at 50, 8.5 center
set label 3 "O = P V" at 82, 8.5 center
set label 4 "the arithmetic: small and fast" at 6, 1.8

eval box(6, 28, 88, 9, "#eeeeee")
set label 5 "S, then P in its place: n by m" at 50, 32.5 center
set label 6 "the large memory: far away" at 6, 39.3

eval trip(24, 13, 28)
eval trip(44, 28, 13)
eval trip(56, 13, 28)
eval trip(76, 28, 13)
set label 7 "1 write S" at 22.5, 20.5 right textcolor rgb "#a04000"
set label 8 "2 read S" at 42.5, 20.5 right textcolor rgb "#a04000"
set label 9 "3 write P" at 57.5, 20.5 left textcolor rgb "#a04000"
set label 10 "4 read P" at 77.5, 20.5 left textcolor rgb "#a04000"
plot NaN
