# Bytes requested from global memory: the three kernels of naive, and the fused ones.
load "docs/plots/style.gp"
set logscale xy
set xlabel "n = m"
set ylabel "bytes from global memory, one head, d = 64"
set xrange [230:2200]
set yrange [1e5:1e9]
set xtics (256, 512, 1024)
set format y "%.0s %cB"
unset key
file = data."/traffic.csv"
of(kernel) = strcol(1) eq kernel ? $2 : NaN
last(kernel) = strcol(1) eq kernel && $2 == 1024 ? $2 * 1.06 : NaN # a line's name stands beside its last point
plot file using (of("naive float32")):3 with linespoints linetype 3, \
     file using (of("naive float16")):3 with linespoints linetype 6, \
     file using (of("flash float32")):3 with linespoints linetype 2, \
     file using (of("flash_mma float16")):3 with linespoints linetype 4, \
     file using (last("naive float32")):3:("naive, float32") with labels left textcolor rgb "#b04d00", \
     file using (last("naive float16")):3:("naive, float16") with labels left textcolor rgb "#8a6000", \
     file using (last("flash float32")):3:("flash, float32") with labels left textcolor rgb "#0072b2", \
     file using (last("flash_mma float16")):3:("flash on tensor\ncores, float16") with labels left textcolor rgb "#00744f"
