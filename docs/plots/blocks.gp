# Version 3's error over the number of blocks. Zero has no place on a logarithmic axis; the axes are linear.
load "docs/plots/style.gp"
set xlabel "blocks that the 64 keys are cut into"
set ylabel "largest deviation from version 2"
set xtics (1, 8, 16, 32, 64)
set xrange [0:66]
set yrange [-2:66]
file = data."/blocks.csv"
plot file using 2:5 with linespoints linetype 3 title "loud: all values 1", \
     file using 2:4 with linespoints linetype 2 title "the article's data", \
     file using 2:3 with linespoints linetype 1 title "quiet: values cancel"
