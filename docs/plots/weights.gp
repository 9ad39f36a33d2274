# The weights of the worked example: a row for each query, a column for each key.
load "docs/plots/style.gp"
eval svg(300, 17)
unset grid
unset key
set border 0
set tics scale 0
set xtics ("key 0" 0, "key 1" 1, "key 2" 2, "key 3" 3)
set ytics ("query 0" 0, "query 1" 1)
set xrange [-0.5:3.5]
set yrange [1.5:-0.5]
set cbrange [0:1]
set cblabel "weight"
file = data."/weights.csv"
ink(w) = w > 0.5 ? 0xffffff : 0x000000
plot file matrix using 1:2:3 with image pixels, \
     file matrix using 1:2:(sprintf("%.4f", $3)):(ink($3)) with labels textcolor rgb variable
