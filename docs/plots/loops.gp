# The three loops of version 0: which index walks where. Drawn, not measured.
load "docs/plots/style.gp"
eval svg(340, 16)
unset key
unset grid
unset border
unset tics
set xrange [0:100]
set yrange [42:0]
set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0

# a matrix of rows x columns cells of size 3 x 3.6, its corner at x, y; row `dark` filled
cell = 3.0
high = 3.6
row(x, y, r, columns, colour) = sprintf("set object rectangle from %g,%g to %g,%g fillstyle solid 1 noborder fillcolor rgb '%s' behind", \
    x, y + r * high, x + columns * cell, y + (r + 1) * high, colour)
frame(x, y, rows, columns) = sprintf("set object rectangle from %g,%g to %g,%g fillstyle empty border linecolor rgb '#333333' linewidth 1.2", \
    x, y, x + columns * cell, y + rows * high)
line(x, y, r, columns) = sprintf("set arrow from %g,%g to %g,%g nohead linecolor rgb '#bbbbbb' linewidth 0.7", \
    x, y + r * high, x + columns * cell, y + r * high)
along(x, y, r, columns, colour) = sprintf("set arrow from %g,%g to %g,%g linecolor rgb '%s' linewidth 1.6 front", \
    x + 0.6, y + (r + 0.5) * high, x + columns * cell - 0.6, y + (r + 0.5) * high, colour)
down(x, y, rows, colour) = sprintf("set arrow from %g,%g to %g,%g linecolor rgb '%s' linewidth 1.6", x - 1.6, y + 0.4, \
    x - 1.6, y + rows * high - 0.4, colour)

dark = "#56a0ce"
pale = "#d7e8f3"
orange = "#d55e00"
blue = "#0072b2"

# Q and K
eval row(8, 13, 1, 4, dark)
eval frame(8, 13, 3, 4)
do for [r = 1 : 2] { eval line(8, 13, r, 4) }
eval along(8, 13, 1, 4, orange)
set label 1 "Q, n by d" at 8, 10.6
set label 2 "i" at 6.6, 13 + 1.5 * high right textcolor rgb blue
set label 3 "k" at 14, 13 + 3.9 * high center textcolor rgb orange

do for [r = 0 : 4] { eval row(29, 7, r, 4, r == 2 ? dark : pale) }
eval frame(29, 7, 5, 4)
do for [r = 1 : 4] { eval line(29, 7, r, 4) }
eval along(29, 7, 2, 4, orange)
eval down(29, 7, 5, blue)
set label 4 "K, m by d" at 29, 4.6
set label 5 "j" at 26.2, 7 + 2.5 * high right textcolor rgb blue
set label 6 "k" at 35, 7 + 5.9 * high center textcolor rgb orange
set label 17 "·" at 22.6, 15.9 center font ",28"
set label 7 "for j, for k:\nw[j] = exp(Q[i] · K[j] / √d)" at 8, 37.5

# the weights
do for [r = 0 : 4] { eval row(52, 7, r, 1, pale) }
eval frame(52, 7, 5, 1)
do for [r = 1 : 4] { eval line(52, 7, r, 1) }
eval down(52, 7, 5, blue)
set label 8 "w, m" at 53.5, 4.6 center
set label 9 "j" at 49.2, 7 + 2.5 * high right textcolor rgb blue
set arrow from 42.5, 16 to 47, 16 linecolor rgb "#333333" linewidth 1.2

# V and O
do for [r = 0 : 4] { eval row(64, 7, r, 3, r == 2 ? dark : pale) }
eval frame(64, 7, 5, 3)
do for [r = 1 : 4] { eval line(64, 7, r, 3) }
eval along(64, 7, 2, 3, orange)
eval down(64, 7, 5, blue)
set label 10 "V, m by dv" at 64, 4.6
set label 11 "j" at 61.2, 7 + 2.5 * high right textcolor rgb blue
set label 12 "c" at 68.5, 7 + 5.9 * high center textcolor rgb orange

eval row(84, 13, 1, 3, dark)
eval frame(84, 13, 3, 3)
do for [r = 1 : 2] { eval line(84, 13, r, 3) }
eval along(84, 13, 1, 3, orange)
set label 13 "O, n by dv" at 84, 10.6
set label 14 "i" at 94, 13 + 1.5 * high left textcolor rgb blue
set label 15 "c" at 88.5, 13 + 3.9 * high center textcolor rgb orange
set arrow from 75.5, 16 to 80.5, 16 linecolor rgb "#333333" linewidth 1.2
set label 16 "for j, for c:\nO[i][c] += w[j] / sum · V[j][c]" at 60, 37.5
plot NaN
