# The weights of two heads of a real model, tokens on both axes.
load "docs/plots/style.gp"
eval svg(440, 14)
file = data."/tokens.csv"
unset key
unset grid
unset colorbox
set border 15 linewidth 0.5
set tics scale 0
set cbrange [0:1]
set xrange [-0.5:12.5]
set yrange [12.5:-0.5]
set xtics rotate by 60 right
set ylabel "query"
set xlabel "key"
set multiplot layout 1,2 margins 0.12,0.99,0.24,0.91 spacing 0.13
set title "layer 0, head 2"
plot file using 2:1:5:xticlabels(strcol(4)):yticlabels(strcol(3)) with image pixels
set title "layer 3, head 1"
unset ylabel
plot file using 2:1:6:xticlabels(strcol(4)):yticlabels(strcol(3)) with image pixels
unset multiplot
