#!/bin/sh
# The same with other tools: every command of the lessons, the suites and a graded class, once with busybox's sh, sed,
# awk, diff and xargs; once with bash as sh, original-awk, a wc that pads its numbers, and clang without OpenMP; both
# without timeout, and the grader without addr2line. /usr/bin is changed in a namespace of our own, and nowhere else.
#
#     tests/checks/tools.sh [busybox] [bash]        (make test-tools; as root)
#
# The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."
die() { echo "tools: $*" >&2; exit 2; }
place=$PWD/build/tools

# inside the namespace: changes /usr/bin, and runs the command in it
if [ "${TOOLS_INSIDE:-}" ]; then
    mount -t tmpfs tmpfs "$place/over" && mkdir "$place/over/up" "$place/over/work" &&
        mount -t overlay overlay -o "lowerdir=/usr/bin,upperdir=$place/over/up,workdir=$place/over/work" /usr/bin ||
        die "/usr/bin can't be laid over here"
    cd /usr/bin && rm -f timeout $3
    script() { rm -f "$1" && printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"; }
    case $1 in
        busybox) for tool in sed awk diff xargs sh; do ln -sf busybox $tool; done ;;
        bash)
            ln -sf bash sh && ln -sf original-awk awk && mv clang clang.system
            script wc 'busybox wc "$@" | sed "s/^/       /"'
            script clang 'case " $* " in *" -fopenmp"*) echo "clang: unknown argument -fopenmp" >&2; exit 1 ;; esac
exec clang.system "$@"' ;;
    esac
    exec sh -c "$2"
fi

[ "$(id -u)" = 0 ] || die "laying other tools over the system's needs root"
for tool in busybox original-awk clang; do
    command -v $tool >/dev/null || die "$tool was not found: make setup-dev installs it"
done
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir -p "$place/tree" "$place/over"
jobs=-j$(getconf _NPROCESSORS_ONLN)
passed=0 failed=0
for kind in ${*:-busybox bash}; do
    case $kind in busybox) cc=gcc ;; bash) cc=clang ;; *) die "expected busybox or bash, not '$kind'" ;; esac
    rm -rf "$place/tree" && mkdir "$place/tree" && git ls-files -z | xargs -0 tar -cf - | tar -xf - -C "$place/tree"
    for goal in "test CC=$cc" test-lessons test-grading; do
        lacking=addr2line
        [ "$goal" != test-lessons ] || lacking= # the lessons show lines of source that it finds
        TOOLS_INSIDE=1 unshare --mount "$0" "$kind" "cd '$place/tree' && exec make $jobs $goal" "$lacking" \
            >"$place/log" 2>&1
        status=$?
        said=$(grep -e 'Checks: ' -e ' passed, ' "$place/log" | tail -n 1)
        if [ $status -eq 0 ] && [ "$said" ]; then passed=$((passed + 1)); echo "passed: $kind: make $goal: $said"
        else failed=$((failed + 1)); echo "failed: $kind: make $goal:"; tail -n 20 "$place/log"; fi
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
