#!/bin/sh
# Every figure is drawn without a display: from this machine's data, and from data whose numbers are all nan, all 0,
# all infinite. And without gnuplot there is a sentence.
#
#     tests/checks/figures.sh gnuplot        (make test-figures)
#
# The last line counts: "N passed, N failed".
set -u
gnuplot=${1:?gnuplot was not found: make setup installs it}
unset DISPLAY

passed=0 failed=0
place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT
check() { # WHAT STATUS: counts, and names what failed
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $1"; fi
}

for number in as-it-is nan 0 inf; do
    mkdir "$place/$number"
    for table in build/data/*.csv; do # where something lies is kept: the first column or more
        awk -F, -v OFS=, -v number=$number 'number != "as-it-is" {
            first = FILENAME ~ /tokens/ ? 3 : FILENAME ~ /dense|causal/ ? 9 : 2
            for (i = first; i <= NF; i++) if ($i + 0 || $i ~ /^ *0/) $i = number
        } { print }' "$table" >"$place/$number/$(basename "$table")"
    done
    for script in docs/plots/*.gp; do
        [ "$script" = docs/plots/style.gp ] && continue
        picture=$place/picture.svg
        "$gnuplot" -e "data='$place/$number'; name='causal'; picture='$picture'" "$script" 2>"$place/said" &&
            grep -q -a -e '</svg>' -e '^GIF89a' "$picture"
        check "$script with numbers $number: $(cat "$place/said")" $?
        rm -f "$picture"
    done
done

said=$(make GNUPLOT= build/plots/hot.svg -W docs/plots/hot.gp 2>&1)
[ $? -eq 2 ] && echo "$said" | grep -q 'gnuplot, which was not found'
check "make plots without gnuplot: $said" $?

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
