#!/bin/sh
# Version 5 where Check cannot look: every kernel under the checks of the emulation, the counted bytes, the planted
# faults, and what nvcc made of the kernels.
#
#     tests/checks/cuda.sh        (make test-cuda, which builds first)
#
# The last line counts: "N passed, N failed".
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # the makes called here are not jobs of the make above
cd "$(dirname "$0")/../.."

build=build/05_cuda
passed=0 failed=0
expect() { # what, and the command that must succeed
    what=$1
    shift
    if said=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "$what: ok"
    else
        failed=$((failed + 1))
        printf '%s: failed\n%s\n' "$what" "$said"
    fi
}

# built as 05_cuda/Makefile builds the kernels
primitives() {
    awk -v ours=05_cuda/cuda_on_cpu -f 05_cuda/cuda_on_cpu/translate.awk tests/checks/primitives.cu >$build/primitives.cu &&
        ${CXX:-c++} -std=c++17 -I05_cuda/cuda_on_cpu -x c++ $build/primitives.cu -x none $build/cuda_on_cpu/*.o \
            $(make -s -C 05_cuda CXX="${CXX:-c++}" libs) -o $build/primitives && $build/primitives
}

expect 'shuffles, votes, atomics, early leavers, error codes' primitives
expect 'no report on clean kernels, equal bits in three orders, bytes by formula' $build/check
expect 'bytes counted as by formula at n = m = 256, 512, 1024' $build/bytes
expect 'right about right kernels and about wrong ones, in three orders' tests/checks/rules.sh
expect "anyone's program: every word, refusals, exit status, a handout" tests/checks/try.sh
heads() { CK_RUN_SUITE=cuda CK_INCLUDE_TAGS=grid CK_TIMEOUT_MULTIPLIER=5 build/run-tests | grep 'Checks: 3, Failures: 0'; }
expect '65,536 heads, more than a grid is wide' heads
expect 'right about the races of 500 random kernels, in three orders' tests/checks/order.sh
echo 'planted faults, and what reported each:'
if tests/checks/faults.sh; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
for ptx in $build/flash_mma.sm_*.ptx; do
    [ -e "$ptx" ] || { echo 'nvcc was not found: the PTX is left out'; break; }
    for instruction in mma.sync.aligned.m16n8k16.row.col.f32.f16 mma.sync.aligned.m16n8k16.row.col.f32.bf16 \
        ldmatrix.sync.aligned.m8n8.x4 ldmatrix.sync.aligned.m8n8.x4.trans cp.async.cg.shared.global; do
        expect "$instruction in $(basename "$ptx")" grep -qF "$instruction" "$ptx"
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
