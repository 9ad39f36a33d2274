#!/bin/sh
# This tree on arm64: Debian's cross compiler builds it in build/arm, and qemu runs it. Stages and ledger must print what
# they print here, to the last digit; the suites of SUITES must pass (all: every one, and exercise 5 has its 20 points);
# flash.c's inner loop must hold its sums in registers.
#
#     tests/checks/arm.sh        (make test-arm, which builds the programs of this machine first; SUITES='flash cases')
#
# The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."
die() { echo "arm: $*" >&2; exit 2; }
top=$PWD arm=$PWD/build/arm cross=aarch64-linux-gnu
qemu=$(command -v qemu-aarch64-static) && command -v $cross-g++ >/dev/null ||
    die "qemu-aarch64-static and $cross-g++ are needed: make setup-dev installs them on Debian"
mkdir -p "$arm/tree" "$arm/bin" "$arm/root"

# The kernel must know what to do with an arm64 program. Where no package has told it, a namespace of our own does (root).
echo 'int main(void) { return 0; }' | $cross-gcc -x c - -static -o "$arm/probe" || die "$cross-gcc makes no program"
if ! "$arm/probe" 2>/dev/null; then
    [ ! "${ARM_TOLD:-}" ] && [ "$(id -u)" = 0 ] || die "the kernel runs no arm64 programs: register $qemu with binfmt_misc"
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    export ARM_TOLD=1 REGISTER=":arm64:M::$magic:$mask:$qemu:FP"
    exec unshare --user --map-root-user --mount sh -c 'mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
        printf %s "$REGISTER" >/proc/sys/fs/binfmt_misc/register; exec "$0"' "$top/tests/checks/arm.sh"
fi

# Check for arm64, beside the system's own
if [ ! -e "$arm/root/made" ]; then
    lists=$arm/lists
    mkdir -p "$lists/partial" && cd "$arm" || exit 2
    foreign() {
        apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
            -o Dir::State::lists="$lists" -o Dir::Cache="$lists" "$@"
    }
    foreign update && foreign download check libsubunit-dev && cd "$top" || die "no Check for arm64 by apt-get"
    for package in "$arm"/*.deb; do dpkg-deb -x "$package" "$arm/root" || exit 2; done
    find "$arm/root" -name '*.so*' -delete # so that programs hold the library
    rm -rf "$arm"/*.deb "$lists" && touch "$arm/root/made"
fi

# from here on the compiler is the other machine's
git ls-files -z | xargs -0 tar -cf - | tar -xf - -C "$arm/tree" || exit 2
for tool in cc gcc c++ g++; do
    ln -sf "$(command -v "$cross-$(echo $tool | sed -e 's/^cc$/gcc/' -e 's/^c++$/g++/')")" "$arm/bin/$tool"
done
for tool in ld nm objcopy objdump addr2line; do ln -sf "$(command -v $cross-$tool)" "$arm/bin/$tool"; done
export PATH="$arm/bin:$PATH" QEMU_LD_PREFIX=/usr/$cross PKG_CONFIG_SYSROOT_DIR=$arm/root
export PKG_CONFIG_LIBDIR=$arm/root/usr/lib/$cross/pkgconfig
unset MAKEFLAGS MFLAGS MAKELEVEL
cd "$arm/tree" || exit 2
stages='0 1 2 3 4'
# shellcheck disable=SC2046
make -s -j"$(getconf _NPROCESSORS_ONLN)" WERROR=1 build/run-tests build/ledger $(printf 'build/stage-%s ' $stages) \
    >"$arm/log" 2>&1 || { cat "$arm/log"; die "the build failed"; }

passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); echo "passed: $1"; else failed=$((failed + 1)); echo "failed: $1"; fi
}
same() { # PROGRAM WORDS: prints the same there and here; flash's storage and digits go with the width of vectors
    (cd "$top" && "$@") | grep -v '^flash ' >"$arm/here"
    "$@" | grep -v '^flash ' >"$arm/there"
    [ -s "$arm/here" ] && diff "$arm/here" "$arm/there"
    check "$* prints what it prints here" $?
}
for n in $stages; do same build/stage-"$n"; done
same build/ledger

loop=$(objdump -d --no-show-raw-insn build/plain/04_online_softmax/flash.o | awk -f "$top/tests/checks/arm.awk")
status=$?
echo "$loop" | sed '$d'
check "flash.c's inner loop: $(echo "$loop" | tail -n 1)" $status

# how much longer a program takes here is how much longer it may
seconds() { start=$(date +%s%N); "$@" >/dev/null; echo $((($(date +%s%N) - start) / 1000000 + 1)); }
PACE=$(($(seconds build/ledger --versions 0-3 --hot 2) / $(cd "$top" && seconds build/ledger --versions 0-3 --hot 2) + 1))
export PACE CK_TIMEOUT_MULTIPLIER=$((5 * PACE))
echo "a program takes $PACE times as long"

suites=${SUITES:-flash}
[ "$suites" != all ] || suites=
export CK_EXCLUDE_TAGS='class grid'
for suite in ${suites:-all}; do
    env ${suites:+CK_RUN_SUITE=$suite} build/run-tests >"$arm/log" 2>&1 && grep -q 'Checks: [1-9]' "$arm/log"
    check "suite $suite: $(grep -o '[0-9]*%: .*' "$arm/log")" $?
    grep ':[FE]:' "$arm/log"
done
if [ ! "$suites" ]; then
    make -s exercise-5 FILE=05_cuda/flash.cu >"$arm/log" 2>&1
    check "exercise 5: $(grep '20 of 20' "$arm/log" || tail -n 3 "$arm/log")" $?
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
