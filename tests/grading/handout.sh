#!/bin/sh
# Makes a folder to give to a class: lessons, headers, exercises, hints and the grader, and no version.
#
#     tests/grading/handout.sh DIR FILE ...        (make handout DIR=handout; make names the FILEs of the grader)
#
# In DIR, answers/ has the files that the students write in, named as make grade expects them.
set -eu

dir=$1
shift
[ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || { echo "handout: '$dir' is there and not empty" >&2; exit 2; }
mkdir -p "$dir/answers"

for folder in 0[0-4]_*; do
    mkdir -p "$dir/$folder"
    cp -R "$folder/exercise" "$dir/$folder/"
    cp "$folder"/*.h "$dir/$folder/"
    [ ! -f "$folder/README.md" ] || cp "$folder/README.md" "$dir/$folder/"
    stage=$(echo "$folder" | cut -c 2)
    cp "$folder/exercise/attention.c" "$dir/answers/stage-$stage.c"
done
cp -R 05_cuda "$dir/" # its other kernels and what runs them stay
rm -rf "$dir/05_cuda/flash.cu" "$dir/05_cuda/build"
cp 05_cuda/exercise/flash.cu "$dir/answers/stage-5.cu"
cp 04_*/exercise/flash.c "$dir/answers/stage-4-flash.c"
cp 04_*/exercise/decode.c "$dir/answers/stage-4-merge.c"
cp LICENSE Makefile "$dir/"
for file in "$@" tests/grading/grade.sh tests/grading/seal.sh tests/grading/run*.sh tests/grading/stages \
    tests/grading/points tests/grading/sentences.?? tests/grading/grading.mk tests/suites/suites.mk \
    tests/tools/setup.sh tests/tools/setup.mk tests/tools/targets.awk; do
    mkdir -p "$dir/$(dirname "$file")"
    cp "$file" "$dir/$file"
done
mkdir -p "$dir/.github/workflows"
cp docs/github-classroom.yml "$dir/.github/workflows/classroom.yml"
cat >"$dir/README.md" <<'EOF'
# Attention by hand: the exercises

`make setup` installs what the grader needs: a C compiler, make, pkg-config and Check. Read the lesson of a folder,
write your lines in the file of that number in `answers`, and let it be graded:

    make exercise-0 FILE=answers/stage-0.c

Every property that fails comes with the smallest input that shows it, and at the end stands the likely cause. More
help is in `exercise/hints.md` of the folder, one hint at a time. `make help` lists what there is; the targets that
need the versions themselves are not for you.
EOF
echo "The handout is in $dir: $(find "$dir" -type f | wc -l | tr -d ' ') files, none of them a version."
