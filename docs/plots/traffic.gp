# Bytes requested from global memory: the three kernels of naive, and the fused ones.
load "docs/plots/style.gp"
set logscale xy
set xlabel "n = m"
set ylabel "bytes from global memory, one head, d = 64"
set xrange [230:1300]
set yrange [1e5:1e9]
set xtics (256, 512, 1024)
set format y "%.0s %cB"
file = data."/traffic.csv"
of(kernel) = strcol(1) eq kernel ? $2 : NaN
plot file using (of("naive float32")):3 with linespoints linetype 3 title "naive, float32", \
     file using (of("naive float16")):3 with linespoints linetype 6 title "naive, float16", \
     file using (of("flash float32")):3 with linespoints linetype 2 title "flash, float32", \
     file using (of("flash_mma float16")):3 with linespoints linetype 4 title "flash on tensor cores, float16"
