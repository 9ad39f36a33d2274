# The moving tiles: one frame for each tile that is computed. Called with data, name and picture: the
# trace is data/name.csv, in the columns that build/stage-4 --trace writes; the picture is a GIF.
load "docs/plots/style.gp"
trace = data."/".name.".csv"
set terminal gif animate delay 50 loop 0 size 800,400 font "DejaVu Sans,11" background "#ffffff"
set output picture
set datafile columnheaders
set datafile missing # a frame without a finished tile is no fault

stats trace using 5 name "rows" nooutput
stats trace using 7 name "keys" nooutput
stats trace using 9 name "maximum" nooutput
stats trace using 10 name "sum" nooutput
stats trace using 12 name "first" nooutput
stats trace using (int($8) ? NaN : $1) name "computed" nooutput

# what is not to be drawn has no place; a tile has a line for each of its rows, and the first draws it
tile(wanted, skipped) = int($3) == int($4) && int($8) == skipped && wanted ? $6 : NaN
bar(wanted) = wanted ? 0 : NaN
unset key
unset grid
set border 15
set tics scale 0.3
set tmargin at screen 0.86
set bmargin at screen 0.14

# the next plot's place, as shares of the picture's width
panel(from, to) = sprintf("set lmargin at screen %g; set rmargin at screen %g", from, to)
# its horizontal axis: from 0, or the smallest number of all frames, to the largest, if they are numbers
limit(name, otherwise) = exists(name) && abs(value(name)) < 1e30 ? value(name) : otherwise
left(name) = limit(name."_min", 0) < 0 ? 1.05 * limit(name."_min", 0) : 0
right(name) = limit(name."_max", 1) > left(name) ? 1.05 * limit(name."_max", 1) : left(name) + 1
axis(name) = sprintf("set xrange [%g:%g]; set xtics %d", left(name), right(name), \
    ceil((right(name) - left(name)) / 3.0))

do for [step = computed_min : computed_max] {
    set xrange [*:*] # stats would keep to the last plot's
    set yrange [*:*]
    stats trace using (int($1) == step ? $8 : NaN) name "skipped" nooutput
    if (skipped_max == 1) { continue }
    stats trace using (int($1) == step ? $4 : NaN) name "i0" nooutput
    stats trace using (int($1) == step ? $5 : NaN) name "i1" nooutput
    stats trace using (int($1) == step ? $6 : NaN) name "j0" nooutput
    stats trace using (int($1) == step ? $7 : NaN) name "j1" nooutput

    do for [frame = 1 : (step == computed_max ? 6 : 1)] { # the last one stays a while
        set multiplot
        eval panel(0.07, 0.44)
        set xrange [0:keys_max]
        set yrange [rows_max:0]
        set xtics (0, keys_max) offset 0, 0.4
        set ytics (0, rows_max) offset 0.5
        set xlabel "keys" offset 0, 1.2
        set ylabel "queries" offset 3
        set label 1 "orange: now   blue: done   hatched: skipped, no query may see these keys" at screen 0.07, 0.035
        set title sprintf("S: queries %d to %d meet keys %d to %d", i0_min, i1_max - 1, j0_min, j1_max - 1)
        plot trace using (tile(int($1) < step, 0)):4:6:7:4:5 with boxxyerror fillstyle solid 1 \
                 border rgb "#ffffff" linecolor rgb "#a6cee3", \
             trace using (tile(int($1) <= step, 1)):4:6:7:4:5 with boxxyerror fillstyle pattern 4 \
                 linecolor rgb "#999999", \
             trace using (tile(int($1) == step, 0)):4:6:7:4:5 with boxxyerror fillstyle solid 1 \
                 linecolor rgb "#d55e00"

        # the account of the tile's rows
        unset label 1
        set yrange [i1_max:i0_min]
        set ytics (i0_min, i1_max - 1)
        unset ylabel
        unset xlabel
        set xtics autofreq offset 0, 0.4
        eval panel(0.51, 0.65)
        set title "maximum"
        eval axis("maximum")
        plot trace using (bar(int($1) == step)):3:(0):9:($3 + 0.1):($3 + 0.9) with boxxyerror \
            fillstyle solid 1 linecolor rgb "#0072b2"
        unset ytics
        eval panel(0.68, 0.82)
        set title "sum"
        eval axis("sum")
        plot trace using (bar(int($1) == step)):3:(0):10:($3 + 0.1):($3 + 0.9) with boxxyerror \
            fillstyle solid 1 linecolor rgb "#333333"
        eval panel(0.85, 0.99)
        set title "O, first entry"
        eval axis("first")
        plot trace using (bar(int($1) == step)):3:(0):12:($3 + 0.1):($3 + 0.9) with boxxyerror \
            fillstyle solid 1 linecolor rgb "#009e73"
        unset multiplot
    }
}
