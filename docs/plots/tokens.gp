# The weights of two heads of a real model, tokens on both axes.
load "docs/plots/style.gp"
eval svg(450, 14)
file = data."/tokens.csv"
unset key
unset grid
unset colorbox
set cbtics 0.5 scale 0
set cblabel "weight" offset -1
set border 15 linewidth 0.5
set tics scale 0
set cbrange [0:1]
set xrange [-0.5:12.5]
set yrange [12.5:-0.5]
set xtics rotate by 60 right
set label 1 "query" at screen 0.015, graph 0.5 center rotate by 90
set xlabel "key"
set multiplot layout 1,2 margins 0.12,0.89,0.22,0.90 spacing 0.13
set title "layer 0, head 2"
plot file using 2:1:5:xticlabels(word(strcol(4), 1)):yticlabels(word(strcol(3), 1)) with image pixels
set title "layer 3, head 1"
unset label 1
set colorbox user origin 0.91,0.22 size 0.02,0.68
plot file using 2:1:6:xticlabels(word(strcol(4), 1)):yticlabels(word(strcol(3), 1)) with image pixels
unset multiplot
