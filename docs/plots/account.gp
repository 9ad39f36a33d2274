# One query's account: maximum, rescale and sum after every block.
load "docs/plots/style.gp"
eval svg(640, 17)
file = data."/account.csv"
set multiplot layout 3,1 margins 0.11,0.97,0.13,0.97 spacing 0.045
set xrange [-0.5:15.5]
set xtics 1 format ""
# the names of the axes one below the other, whatever their numbers are
set label 1 "maximum" at screen 0.03, graph 0.5 center rotate by 90
set yrange [-0.2:3]
set ytics 1
set key top left
plot file using 1:2 with points linetype 3 title "largest score of the block", \
     file using 1:3 with steps linetype 2 title "running maximum"
unset key
set label 1 "rescale"
set yrange [0:1.15]
set ytics 0.5
plot file using 1:4 with impulses linetype 2 linewidth 4 dashtype 1
set label 1 "sum"
set yrange [0:22]
set ytics 10
set xtics 1 format "%g"
set xlabel "block of 4 keys"
plot file using 1:5 with linespoints linetype 1
unset multiplot
