# exp(x) over x, and where each number type ends.
load "docs/plots/style.gp"
set logscale x
set xlabel "score x"
set ylabel "exp(x) = 10 to the power of"
set xrange [1:2000]
set yrange [0:400]
file = data."/overflow.csv"
power(x) = x / log(10)
unset key
plot power(x) with lines linetype 1, \
     file using 2:(power($2)) with impulses linetype 9, \
     file using 2:(power($2)) with points linetype 3 pointsize 1.3, \
     file using ($2 * 0.93):(power($2) + 22):(strcol(1) eq "bfloat16" ? "" : sprintf("%s at %.2f", \
          strcol(1) eq "float32" ? "bfloat16 and float32 end" : strcol(1)." ends", $2)) with labels right
