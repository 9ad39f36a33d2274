#!/bin/sh
# make try-5 and 05_cuda/try: every word of vocabulary.cu, what they refuse and how, the exit status, and a handout.
#
#     tests/checks/try.sh        (make test-cuda)
#
# The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."

here=build/try-here
rm -rf $here && mkdir -p $here
passed=0 failed=0
# what, the exit status and a pattern for all that is said, and what was run: its status and what it said
check() {
    if [ "$4" -eq "$2" ] && echo "$5" | grep -v '^  C++  ' | tr '\n' '~' | grep -q "^$3~*\$"; then passed=$((passed + 1))
    else failed=$((failed + 1)); printf '%s: expected %s, %s; was %s:\n%s\n' "$1" "$2" "$3" "$4" "$5"; fi
}
none='ascending, descending and random order of threads: 0 reports'

said=$(05_cuda/try tests/checks/vocabulary.cu 2>&1)
check 'every word' 0 "$none" $? "$said"
said=$(build/05_cuda/try/program assert 2>&1)
check 'an assertion' 1 'vocabulary.cu:[0-9]*: assertion failed: x == 1; thread 0 of block (0,0,0)~.*: 1 report' $? "$said"

# a refusal is one sentence: the line, the name, and that it is not part of the emulation
refuse() { # the name, the program
    echo "$2" | tr @ '\n' >$here/no.cu
    said=$(FROM=. CXX="${CXX:-c++}" OURS=05_cuda/cuda_on_cpu PLACE=$here/no LINK= \
        COMPILE="${CXX:-c++} -std=c++17 -I05_cuda/cuda_on_cpu -include cuda_runtime.h" \
        05_cuda/cuda_on_cpu/try.sh $here/no.cu 2>&1)
    check "$1" 2 "[a-z/-]*no.cu:[12]: $1.* not part of the emulation[^~]*" $? "$said"
}
while IFS='|' read -r name program; do
    refuse "$name" "$program"
done <<'END'
texture|texture<float> t;
cudaTextureObject_t|__global__ void k(cudaTextureObject_t t) {}
cudaGraph_t|cudaGraph_t g;
cudaStreamBeginCapture|int main() { cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal); }
__cluster_dims__|__global__ void __cluster_dims__(2, 1, 1) k() {}
cudaLaunchKernelEx|int main() { cudaLaunchKernelEx(0, 0); }
cudaLaunchCooperativeKernel|int main() { cudaLaunchCooperativeKernel(0, 1, 1, 0); }
CUtensorMap|__global__ void k(const __grid_constant__ CUtensorMap m) {}
asm|__global__ void k() { asm("bar.sync 0;"); }
mma.h|#include <mma.h>
cublasHandle_t|#include <cublas_v2.h>@cublasHandle_t h;
curandState|#include <curand_kernel.h>@__global__ void k(curandState *s) {}
thrust/device_vector.h|#include <thrust/device_vector.h>
cub/cub.cuh|#include <cub/cub.cuh>
cuda/barrier|#include <cuda/barrier>
cudaLaunchKernel|int main() { cudaLaunchKernel(0, 1, 1, 0, 0, 0); }
cuInit|int main() { cuInit(0); }
grid.sync|#include <cooperative_groups.h>@__global__ void k() { cooperative_groups::this_grid().sync(); }
cudaLaunchHostFunc|int main() { cudaLaunchHostFunc(0, 0, 0); }
__vadd4|__global__ void k(int *x) { *x = __vadd4(1, 2); }
END

# 05_cuda/try: the program's own status, its arguments; 2 where there is nothing to run
cat >$here/status.cu <<'END'
#include <stdlib.h>
__global__ void k(int *p, int n) { p[threadIdx.x] = n; }
int main(int argc, char **argv)
{
    int *p;
    cudaMalloc(&p, 32 * sizeof *p);
    k<<<1, 33 - atoi(argv[1])>>>(p, argc);
    return atoi(argv[2]);
}
END
said=$(05_cuda/try $here/status.cu 1 7 2>&1)
check "the program's status" 7 "$none" $? "$said"
said=$($here/../05_cuda/try/program 0 0 2>&1)
check 'a report' 1 'status.cu:2: out of bounds in global memory: .*: 1 report' $? "$said"
said=$(make -s try-5 FILE=$here/status.cu ARGS='0 0' 2>&1)
check 'a report, by make' 2 'status.cu:2: out of bounds in global memory: .*: 1 report~make.*' $? "$said"
said=$(05_cuda/try $here/nothing.cu 2>&1)
check 'no such file' 2 "try: '$here/nothing.cu' cannot be read~make.*" $? "$said"

# the five first programs: right as they are, and each reported when it is broken as its head says
first() { # the number, a script for awk that breaks it, the report
    file=$(echo 05_cuda/first/$1_*.cu)
    said=$(05_cuda/try $file 2>&1)
    check "$file" 0 "[^~]*~$none" $? "$said"
    awk "$2 { print }" $file >$here/first.cu
    said=$(05_cuda/try $here/first.cu 2>&1)
    check "$file, broken" 1 "[^~]*~first.cu:[0-9]*: $3: .* reports*" $? "$said"
}
first 1 '{ sub(/if .i < n. /, "") }' 'out of bounds in global memory'
first 2 '/__syncthreads.*this step/ { next }' 'race in shared memory'
first 3 '/__syncthreads[(]/ && n++ { next }' 'race in shared memory'
first 4 '/__shfl_xor_sync.0x/ { sub(/for/, "if (threadIdx.x < 16) for") }' 'undefined warp operation'
first 5 '{ sub(/<<<n, 32>>>/, "<<<n, 20>>>") }' 'undefined warp operation'

# in a handout; the emulation itself is built already
make -s handout DIR=$here/handout >/dev/null
mkdir -p $here/handout/build && cp -R build/05_cuda $here/handout/build/
find $here/handout/build -name '*.o' -exec touch {} +
said=$(cd $here/handout && make -s try-5 FILE=05_cuda/first/2_sum.cu 2>&1)
check 'in a handout' 0 "0 + 1 + ... + 255 = 32640~$none" $? "$said"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
