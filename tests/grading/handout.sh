#!/bin/sh
# Makes a folder to give to a class: lessons, headers, exercises, hints and the grader, and no version.
#
#     tests/grading/handout.sh DIR FILE ...        (make handout DIR=handout; make names the FILEs of the grader)
#
# STAGES=0-2 or "0 1 4-merge": only these exercises; without it all. An exercise's file holds no line that solves one
# that is handed out too, and neither do the lessons, unless LESSONS=whole. In DIR, answers/ has the files that the
# students write in, named as make grade expects them; make exercise-N there grades those.
set -eu

dir=$1
shift
[ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || { echo "handout: '$dir' is there and not empty" >&2; exit 2; }

# the rows of the table that are handed out
rows=$(awk -v stages="${STAGES:-0-9}" '/^[0-9]/ {
    number = substr($1, 1, 1)
    if (stages ~ /^[0-9]-[0-9]$/) given = number >= substr(stages, 1, 1) && number <= substr(stages, 3)
    else given = index(" " stages " ", " " $1 " ")
    if (given) print
}' tests/grading/stages)
[ "$rows" ] || { echo "handout: there are no exercises '$STAGES': STAGES=0-2, or STAGES='0 1 4-merge'" >&2; exit 2; }
mkdir -p "$dir/answers"

exercise_of() { echo "${1%/*}/exercise/${1##*/}"; }
# without_solutions ROWS FILE [-v lesson=1]: FILE without the lines that solve these exercises
without_solutions() {
    solved=$1 file=$2
    shift 2
    cp "$file" "$dir/.before"
    # the latest first; 4-tiled and the like, which may share but a line of a loop, when the plain ones are out
    { echo "$solved" | grep '^[0-9] ' | sort -r; echo "$solved" | grep '^[0-9]-'; } | while read -r stage version _; do
        [ "$(exercise_of "$version")" = "$file" ] && continue
        awk -v exercise="$stage" -v path="$file" "$@" -f tests/grading/unsolve.awk "$version" \
            "$(exercise_of "$version")" "$dir/.before" >"$dir/.after"
        mv "$dir/.after" "$dir/.before"
    done
    mkdir -p "$dir/$(dirname "$file")"
    mv "$dir/.before" "$dir/$file"
}
put() { mkdir -p "$dir/$(dirname "$1")" && cp "$1" "$dir/$1"; }

for folder in $(echo "$rows" | sed 's/^[^ ]* *//; s#/.*##' | sort -u); do
    if [ "$folder" = 05_cuda ]; then # its other kernels and what runs them stay
        cp -R 05_cuda "$dir/"
        rm -rf "$dir/05_cuda/flash.cu" "$dir/05_cuda/build"
    fi
    for file in "$folder"/*.h; do put "$file"; done
    for lesson in "$folder"/README*.md; do # in both languages
        if [ "${LESSONS:-}" = whole ]; then put "$lesson"
        else without_solutions "$rows" "$lesson" -v lesson=1; fi
    done
done
# what the grader compiles of the other stages: their headers and exercises, without a line that solves any
all=$(sed -n '/^[0-9]/p' tests/grading/stages)
for file in 0[0-4]_*/*.h 0[0-4]_*/exercise/*.[ch]; do
    case $file in */exercise/*) without_solutions "$all" "$file" ;; *) put "$file" ;; esac
done
echo "$rows" | while read -r stage version hints _; do
    exercise=$(exercise_of "$version")
    without_solutions "$rows" "$exercise"
    for text in "${exercise%/*}/${hints%.md}".*; do put "$text"; done
    cp "$dir/$exercise" "$dir/answers/stage-$stage.${version##*.}"
done

for file in "$@" LICENSE Makefile tests/grading/*.sh tests/grading/*.mk tests/grading/parts_1.c tests/grading/stages \
    tests/grading/points \
    tests/grading/sentences.?? tests/suites/suites.mk tests/tools/setup.sh tests/tools/setup.mk tests/tools/cuda.mk \
    tests/tools/targets.awk; do
    put "$file"
done
rm "$dir"/tests/grading/mutants.sh "$dir"/tests/grading/handout.sh
# make help there lists what works there
for file in $(cd "$dir" && ls Makefile tests/*/*.mk); do
    awk '/^[a-z.][^ ]*:.*## / && !/^(exercise-%|next|try-5|setup|clean|help):/ { sub(/ *## .*/, "") }
        /^[.]PHONY:/ { $0 = ".PHONY: next setup clean help summary FORCE" } { print }' "$file" \
        >"$dir/$file"
done
# a link that leads out of the handout becomes its words
find "$dir" -name '*.md' | while read -r file; do
    awk -v folder="$(dirname "$file")" '{
        out = ""
        while (match($0, /!?\[[^]]*\]\([^)]*\)/)) {
            link = substr($0, RSTART, RLENGTH)
            words = link; sub(/^!?\[/, "", words); sub(/\]\(.*/, "", words)
            target = link; sub(/^.*\]\(/, "", target); sub(/[)#].*/, "", target)
            dead = target != "" && target !~ /^[a-z]+:/ && system("test -e \"" folder "/" target "\"")
            out = out substr($0, 1, RSTART - 1) (dead ? words : link)
            $0 = substr($0, RSTART + RLENGTH)
        }
        print out $0
    }' "$file" >"$dir/.text"
    mv "$dir/.text" "$file"
done
echo "build/" >"$dir/.gitignore"
mkdir -p "$dir/.github/workflows"
awk -v given="$(echo "$rows" | awk '{ printf " %s ", $1 }')" -f tests/grading/workflow.awk docs/github-classroom.yml \
    >"$dir/.github/workflows/classroom.yml"
cat >"$dir/README.md" <<'EOF'
# Attention by hand: the exercises

[中文](README.zh-CN.md)

`make setup` installs what the grader needs: a C compiler, make, pkg-config and Check. Read the lesson of a folder,
write your lines in the file of that number in `answers`, and let it be graded:

    make exercise-0

Every property that fails comes with the smallest input that shows it, and at the end stands the likely cause. More
help is in `exercise/hints.md` of the folder (for exercise 4-tiled in `hints-tiled.md`, and so on), one hint at a time. `make next` names the next exercise that is not
solved and grades it; `make next WATCH=1` grades it whenever you save. `make help` lists what there is.
EOF
cat >"$dir/README.zh-CN.md" <<'EOF'
# 手搓 attention：练习

[English](README.md)

`make setup` 装上评分程序要的东西：C 编译器、make、pkg-config 和 Check。先读一课的 README.zh-CN.md，再把你的几行写进
`answers` 里同一编号的文件，然后请它评分：

    make exercise-0

没过的性质，会附上让它露馅的最小输入；最后是可能的原因。系统的语言是中文，或者命令后面加上 LANG_=zh，它就说中文。
还想要提示，看那一课的 `exercise/hints.zh-CN.md`，一次一条。`make next` 找出下一个还没做出来的练习，给它评分；
`make next WATCH=1` 每次存盘就评一次。`make help` 列出有哪些命令。
EOF
echo "The handout is in $dir: $(($(find "$dir" -type f | wc -l))) files, none of them a version."
