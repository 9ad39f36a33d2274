# Version 3's error over the number of blocks. Zero has no place on a logarithmic axis; the axes are linear.
load "docs/plots/style.gp"
set xlabel "blocks that the 64 keys are cut into"
set ylabel "largest deviation from version 2"
set xtics (1, 8, 16, 32, 64)
set xrange [0:66]
set yrange [-2:66]
unset key
file = data."/blocks.csv"
plot file using 2:5 with linespoints linetype 3, \
     file using 2:4 with linespoints linetype 2, \
     file using 2:3 with linespoints linetype 1, \
     file using ($2 == 32 ? $2 : NaN):5:("loud: all values 1  ") with labels right offset 0, 0.7 textcolor rgb "#b04d00", \
     file using ($2 == 32 ? $2 : NaN):4:("the article's data") with labels center offset 0, 1 textcolor rgb "#0072b2", \
     file using ($2 == 32 ? $2 : NaN):3:("quiet: values cancel") with labels center offset 0, 1
