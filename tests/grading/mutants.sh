#!/bin/sh
# Puts typical mistakes into the versions and demands that the suites notice: make mutants.
#
# Each patch in tests/grading/mutants says the mistake in its first line, then the tests that must fail ("test:") and
# words that the grader's hint must have ("hint:"). One that survives, or that the hint does not name, is a failure.
# Those in tests/grading/mutants/later were written when the hints were finished: how many of them the hints name is
# only counted, so that it says how well the hints do on mistakes they were not made for.
# MUTANTS="online_* later/*" tries just those.
set -u

work=build/mutants
line() { sed -n "s/^$1: //p" "$2"; }

# one PATCH: builds and grades the mutant; leaves a row of the table in its folder
one() {
    name=$(basename "$1" .patch)
    dir=$work/$(basename "$(dirname "$1")")/$name
    mkdir -p "$dir"
    source=$(sed -n 's/^--- a\///p' "$1")
    stage=$(awk -v file="$source" '/^[0-9]/ && $2 == file { print $1 }' tests/grading/stages)
    tests=$(line test "$1")
    missed= ok=ok
    if ! patch -s -f -o "$dir/mutant.c" "$source" <"$1" >"$dir/patch" 2>&1; then
        missed="the patch does not apply" ok=FAILED
    else
        case $tests in *2_31*) export LONG=1 ;; esac
        QUIET=1 LANG_=en tests/grading/grade.sh work "$stage" "$dir/mutant.c" "$PWD/$dir/run"
        [ "$(cat "$dir/run/state")" = graded ] || missed=" it $(cat "$dir/run/state")"
        for test in $tests; do
            grep -q ":[FE]:[^:]*:$test:" "$dir/run/log" || missed="$missed $test"
        done
        [ -z "$missed" ] || { missed="survived:$missed" ok=FAILED; }
    fi
    hint=$(line hint "$1")
    if grep -E 'hint: |Likely cause: ' "$dir/run/report" 2>/dev/null | grep -qF -- "$hint"; then echo >"$dir/named"
    else
        hint="NOT NAMED: $hint"
        case $1 in */later/*) ;; *) ok=FAILED ;; esac
    fi
    printf '%-6s  %-34s %-46.46s %s\n' "$ok" "$name" "${missed:-${tests%% *}}" "$hint" >"$dir/row"
    [ "$ok" = ok ] || { sed 's/^/        /' "$dir/run/output"; grep -E 'hint: |cause: ' "$dir/run/report"; } \
        >>"$dir/row" 2>/dev/null
}

[ $# = 0 ] || { for patch in "$@"; do one "$patch"; done; exit; }

rm -rf "$work"
mkdir -p "$work"
list=$(set -f; for pattern in ${MUTANTS:-* later/*}; do set +f; ls tests/grading/mutants/$pattern.patch; done) || exit 2
echo "$list" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 4 "$0"
printf '%-6s  %-34s %-46s %s\n' "" mutant "a test that fails" "the hint says"
cat "$work"/*/*/row
count=$(($(echo "$list" | wc -l))) # some pad it
failed=$(cat "$work"/*/*/row | grep -c '^FAILED')
of() { ls -d "$work/$1"/*/$2 2>/dev/null | grep -c .; }
echo "$count mutants, $failed failures"
echo "the hint names the mistake of $(of mutants named) of $(of mutants .)," \
    "and of $(of later named) of $(of later .) written later"
[ "$(cat "$work"/*/*/row | grep -c '^[oF]')" = "$count" ] && [ "$failed" = 0 ]
