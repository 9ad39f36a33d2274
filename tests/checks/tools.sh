#!/bin/sh
# The same with other tools: every command of the lessons, the suites and a graded class, once with busybox's sh, sed,
# awk, diff and xargs; once with bash as sh, original-awk, a wc that pads its numbers, and clang without OpenMP; both
# without addr2line and timeout. The tools are put over the system's in a namespace of our own.
#
#     tests/checks/tools.sh [busybox] [bash]        (make test-tools; as root)
#
# The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."
die() { echo "tools: $*" >&2; exit 2; }
place=$PWD/build/tools

# inside the namespace: lays WHAT over the file that NAME leads to
over() { # WHAT NAME
    file=$(readlink -f "$(command -v "$2")") || die "there is no $2"
    mount --bind "$1" "$file" || die "$2 can't be replaced"
}
script() { printf '#!/bin/sh\n%s\n' "$2" >"$place/$1" && chmod +x "$place/$1"; }
if [ "${TOOLS_INSIDE:-}" ]; then
    for tool in addr2line timeout; do over "$place/nothing" $tool; done
    case $1 in
        busybox) for tool in sed awk diff xargs sh; do over "$(command -v busybox)" $tool; done ;;
        bash)
            cp "$(readlink -f "$(command -v clang)")" "$place/clang.system"
            script clang "case \" \$* \" in *' -fopenmp'*) echo 'clang: unknown argument -fopenmp' >&2; exit 1 ;; esac
exec '$place/clang.system' \"\$@\""
            script wc "busybox wc \"\$@\" | sed 's/^/       /'"
            over "$place/clang" clang && over "$place/wc" wc
            over "$(command -v original-awk)" awk
            over "$(command -v bash)" sh ;;
    esac
    exec sh -c "$2"
fi

[ "$(id -u)" = 0 ] || die "laying other tools over the system's needs root"
for tool in busybox original-awk clang; do
    command -v $tool >/dev/null || die "$tool was not found: make setup-dev installs it"
done
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir -p "$place/tree" && : >"$place/nothing" && chmod -x "$place/nothing"
jobs=-j$(getconf _NPROCESSORS_ONLN)
passed=0 failed=0
for kind in ${*:-busybox bash}; do
    case $kind in busybox) cc=gcc ;; bash) cc=clang ;; *) die "expected busybox or bash, not '$kind'" ;; esac
    rm -rf "$place/tree" && mkdir "$place/tree" && git ls-files -z | xargs -0 tar -cf - | tar -xf - -C "$place/tree"
    for goal in "test CC=$cc" test-lessons test-grading; do
        TOOLS_INSIDE=1 unshare --mount "$0" "$kind" "cd '$place/tree' && exec make $jobs $goal" >"$place/log" 2>&1
        status=$?
        said=$(grep -e 'Checks: ' -e ' passed, ' "$place/log" | tail -n 1)
        if [ $status -eq 0 ] && [ "$said" ]; then passed=$((passed + 1)); echo "passed: $kind: make $goal: $said"
        else failed=$((failed + 1)); echo "failed: $kind: make $goal:"; tail -n 20 "$place/log"; fi
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
