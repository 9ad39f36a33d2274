# Where things live while the fused kernel runs: HBM, SRAM, registers. Drawn, not measured.
load "docs/plots/style.gp"
eval svg(430, 15)
unset key
unset grid
unset border
unset tics
set xrange [0:100]
set yrange [57:0]
set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0

box(x, y, w, h, colour) = sprintf("set object rectangle from %g,%g to %g,%g fillstyle solid 1 border linecolor rgb '#333333' fillcolor rgb '%s' behind", \
    x, y, x + w, y + h, colour)
way(x0, y0, x1, y1) = sprintf("set arrow from %g,%g to %g,%g linecolor rgb '#d55e00' linewidth 2.5 front", x0, y0, x1, y1)

# the chip
eval box(3, 2, 94, 33, "#f7f7f7")
set label 1 "the chip, and on it one block of threads with its tile of queries" at 5, 4.6
eval box(6, 7, 42, 25, "#d7e8f3")
set label 2 "registers" at 7.5, 9.6 textcolor rgb "#1f4e79"
set label 3 "Q_i and O_i" at 27, 15.5 center noenhanced
set label 4 "S_ij, then P_ij in its place" at 27, 20 center noenhanced
set label 5 "maximum and sum" at 27, 24.5 center
eval box(58, 7, 36, 8, "#ffffff")
set label 6 "arithmetic" at 76, 11 center
eval box(58, 21, 36, 11, "#a9cfe6")
set label 7 "SRAM: shared memory" at 59.5, 23.6 textcolor rgb "#1f4e79"
set label 8 "K_j and V_j" at 76, 28.6 center noenhanced
eval way(58, 10, 48, 10)
eval way(48, 12, 58, 12)
eval way(76, 21, 76, 15)

# beside it
eval box(3, 44, 94, 11, "#dddddd")
set label 9 "HBM: global memory, beside the chip" at 50, 53 center textcolor rgb "#333333"
set label 10 "Q" at 13, 48.2 center
set label 11 "O" at 37, 48.2 center
set label 12 "K, V" at 68, 48.2 center
eval way(13, 46, 13, 32)
eval way(37, 32, 37, 46)
eval way(68, 46, 68, 32)
set label 13 "once" at 14.2, 38.7 textcolor rgb "#a04000"
set label 14 "once, at the end" at 38.2, 38.7 textcolor rgb "#a04000"
set label 15 "once for each tile of queries" at 69.2, 38.7 textcolor rgb "#a04000"
plot NaN
