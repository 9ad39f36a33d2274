# Time of other engines over attention_flash's, by shape: one group of bars a shape, our time is the line at 1.
load "docs/plots/style.gp"
eval svg(520, 17)
set datafile columnheaders
set ylabel "time, attention\\_flash = 1"
set xrange [-0.6:8.6]
set yrange [0:6]
set ytics 1
set grid noxtics
set style fill solid 1
set boxwidth 0.19
set key above left reverse Left samplen 2
set xtics rotate by -35
file = data."/peers.csv"
# bars that leave the picture have their number at the top
engine(name) = strcol(4) eq name && $3 == 1 ? $7 : NaN
beyond(name) = engine(name) > 6 && engine(name) < 1000 ? 5.8 : NaN
plot file using ($1 - 0.3):(engine("NumPy")):xticlabels(2) with boxes linetype 1 linecolor rgb "#999999" title "NumPy", \
     file using ($1 - 0.1):(engine("PyTorch")) with boxes linetype 3 dashtype 1 title "PyTorch", \
     file using ($1 + 0.1):(engine("ONNX Runtime")) with boxes linetype 2 dashtype 1 title "ONNX Runtime", \
     file using ($1 + 0.3):(engine("OpenVINO")) with boxes linetype 5 dashtype 1 title "OpenVINO", \
     file using ($1 - 0.3):(beyond("NumPy")):(sprintf("%.0f", $7)) with labels notitle, \
     file using ($1 - 0.1):(beyond("PyTorch")):(sprintf("%.0f", $7)) with labels notitle, \
     file using ($1 + 0.1):(beyond("ONNX Runtime")):(sprintf("%.0f", $7)) with labels notitle, \
     file using ($1 + 0.3):(beyond("OpenVINO")):(sprintf("%.0f", $7)) with labels notitle, \
     1 with lines linetype 4 linewidth 2 dashtype 1 title "attention\\_flash, one thread"
