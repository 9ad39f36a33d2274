# The longest causal sequence at a fixed memory a rank, over the ranks: by formula, and as measured.
load "docs/plots/style.gp"
set logscale xy
set xlabel "ranks"
set ylabel "tokens that fit"
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
set format y "%.0s%c"
set xrange [0.8:1300]
set yrange [500:1e10]
set key top left
file = data."/ring.csv"
plot file using 1:3 with lines linetype 2 title "by formula: 80 GB a rank, 32 heads on 8, d = dv = 128", \
     file using 1:2 with lines linetype 1 title "by formula: 4 MB a rank, 1 head, d = dv = 64", \
     file using 1:4 with points linetype 3 pointsize 1.6 title "measured at 4 MB a rank"
