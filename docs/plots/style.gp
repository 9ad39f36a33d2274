# What all figures share. Called with data (the folder of the CSV files) and picture (the file to write).
# White behind everything, so that a figure can be read on dark pages too; colours that the colour-blind can
# tell apart (Okabe and Ito), and dashes and points that can be told apart in grey.
svg(height, letters) = sprintf("set terminal svg size 800,%d font 'Helvetica,Arial,sans-serif,%d' ".\
    "background '#ffffff' linewidth 1.5", height, letters)
eval svg(480, 17)
set output picture
set datafile separator comma
set datafile missing NaN
set encoding utf8
set linetype 1 linecolor rgb "#000000" dashtype 1 pointtype 7 pointsize 0.8
set linetype 2 linecolor rgb "#0072b2" dashtype (9,4) pointtype 5 pointsize 0.8
set linetype 3 linecolor rgb "#d55e00" dashtype (3,3) pointtype 9 pointsize 1
set linetype 4 linecolor rgb "#009e73" dashtype (12,4,3,4) pointtype 13 pointsize 1
set linetype 5 linecolor rgb "#cc79a7" dashtype (6,3,2,3,2,3) pointtype 11 pointsize 1
set linetype 6 linecolor rgb "#e69f00" dashtype 1 pointtype 4 pointsize 0.8
set linetype 9 linecolor rgb "#999999" dashtype (4,4) linewidth 1
set grid linecolor rgb "#dddddd" linewidth 0.7 dashtype 1
set border 3
set tics nomirror
set key top left reverse Left samplen 3 spacing 1.2
# weights from 0 (white) to 1 (dark), as dark in grey as in colour
set palette defined (0 "#ffffff", 0.5 "#56a0ce", 1 "#08306b")
