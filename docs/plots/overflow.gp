# The largest score whose exp is finite, a bar for each number type.
load "docs/plots/style.gp"
eval svg(300, 17)
set xlabel "score x: as long as the bar lasts, exp(x) is finite"
set xrange [0:800]
set yrange [4.2:-0.2]
file = data."/overflow.csv"
unset key
set grid noytics
set ytics scale 0
set border 1
set boxwidth 0.6
set style fill solid 1 noborder
plot file using ($2 / 2):($0 + 0.5):($2 / 2):(0.3):yticlabels(strcol(1)) with boxxyerror linecolor rgb "#0072b2", \
     file using ($2 + 8):($0 + 0.5):(sprintf("%.2f", $2)) with labels left
