# The moving tiles: one frame for each tile that is computed. Called with data, name and picture: the
# trace is data/name.csv, in the columns that build/stage-4 --trace writes; the picture is a GIF.
load "docs/plots/style.gp"
trace = data."/".name.".csv"
set terminal gif animate delay 50 loop 0 size 800,430 font "DejaVu Sans,11" background "#ffffff"
set output picture
set datafile columnheaders
set datafile missing # a frame without a finished tile is no fault

stats trace using 5 name "rows" nooutput
stats trace using 7 name "keys" nooutput
stats trace using 9 name "maximum" nooutput
stats trace using 10 name "sum" nooutput
stats trace using 11 name "rescale" nooutput
stats trace using (int($8) ? NaN : $1) name "computed" nooutput

# what is not to be drawn has no place; a tile has a line for each of its rows, and the first draws it
tile(wanted, skipped) = int($3) == int($4) && int($8) == skipped && wanted ? $6 : NaN
# of a tile that is computed, what row $3 sees: up to key sees(row) of keys $6 to $7
sees(row) = name eq "causal" ? row + 1 + keys_max - rows_max : keys_max
end(x) = sees($3) < $7 ? sees($3) : $7
strip(wanted) = wanted && int($8) == 0 && sees($3) > $6 ? $6 : NaN
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
        eval panel(0.09, 0.46)
        set xrange [-0.09 * keys_max:keys_max]
        set yrange [rows_max:-0.17 * rows_max]
        set border 0
        set xtics (0, keys_max) offset 0, 0.4
        set ytics (0, rows_max) offset 0.5
        set xlabel "keys" offset 0, 1.2
        set ylabel "queries" offset 2.5
        set label 1 "orange: now   blue: done   hatched: skipped, no query may see these keys" at screen 0.03, 0.035
        # K, V and Q as bars along the square: K_j and V_j pass by, Q_i stays until the next row of tiles
        high = 0.06 * rows_max; wide = 0.06 * keys_max
        set object 1 rectangle from 0, -2.6 * high to keys_max, -1.6 * high fillstyle solid 1 noborder fillcolor rgb "#e5e5e5" behind
        set object 2 rectangle from 0, -1.3 * high to keys_max, -0.3 * high fillstyle solid 1 noborder fillcolor rgb "#e5e5e5" behind
        set object 3 rectangle from -1.3 * wide, 0 to -0.3 * wide, rows_max fillstyle solid 1 noborder fillcolor rgb "#e5e5e5" behind
        set object 4 rectangle from j0_min, -2.6 * high to j1_max, -1.6 * high fillstyle solid 1 noborder fillcolor rgb "#e69f00"
        set object 5 rectangle from j0_min, -1.3 * high to j1_max, -0.3 * high fillstyle solid 1 noborder fillcolor rgb "#e69f00"
        set object 6 rectangle from -1.3 * wide, i0_min to -0.3 * wide, i1_max fillstyle solid 1 noborder fillcolor rgb "#e69f00"
        set object 7 rectangle from 0, 0 to keys_max, rows_max fillstyle empty border rgb "#000000"
        set label 2 "K_j" noenhanced at (j0_min + j1_max) / 2.0, -2.1 * high center front
        set label 3 "V_j" noenhanced at (j0_min + j1_max) / 2.0, -0.8 * high center front
        set label 4 "Q_i" noenhanced at -0.8 * wide, (i0_min + i1_max) / 2.0 center rotate by 90 front
        set title sprintf("queries %d to %d meet keys %d to %d", i0_min, i1_max - 1, j0_min, j1_max - 1)
        plot trace using (strip(int($1) < step)):3:6:(end(0)):3:($3 + 1) with boxxyerror fillstyle solid 1 \
                 noborder linecolor rgb "#a6cee3", \
             trace using (tile(int($1) < step, 0)):4:6:7:4:5 with boxxyerror fillstyle empty \
                 border rgb "#7f9fb3" linecolor rgb "#7f9fb3", \
             trace using (tile(int($1) <= step, 1)):4:6:7:4:5 with boxxyerror fillstyle pattern 4 \
                 linecolor rgb "#999999", \
             trace using (strip(int($1) == step)):3:6:(end(0)):3:($3 + 1) with boxxyerror fillstyle solid 1 \
                 noborder linecolor rgb "#d55e00"

        # the account of the tile's rows
        unset label
        unset object
        set border 15
        set yrange [i1_max:i0_min]
        set ytics (i0_min, i1_max - 1)
        unset ylabel
        unset xlabel
        set xtics autofreq offset 0, 0.4
        eval panel(0.54, 0.67)
        set title "maximum"
        eval axis("maximum")
        plot trace using (bar(int($1) == step)):3:(0):9:($3 + 0.1):($3 + 0.9) with boxxyerror \
            fillstyle solid 1 linecolor rgb "#0072b2"
        unset ytics
        eval panel(0.70, 0.83)
        set title "sum"
        eval axis("sum")
        plot trace using (bar(int($1) == step)):3:(0):10:($3 + 0.1):($3 + 0.9) with boxxyerror \
            fillstyle solid 1 linecolor rgb "#333333"
        eval panel(0.86, 0.99)
        set title "rescale"
        set xrange [0:1.05]
        set xtics (0, 1)
        plot trace using (bar(int($1) == step)):3:(0):11:($3 + 0.1):($3 + 0.9) with boxxyerror \
            fillstyle solid 1 linecolor rgb "#009e73"
        unset multiplot
    }
}
