#!/bin/sh
# Random kernels on the emulation, and on a graph of what must come before what: do they agree about every race?
#
#     tests/checks/order.sh [KERNELS [SEED]]        (make fuzz-5, which builds first; make test-cuda)
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL # the makes called here are not jobs of the make above
cd "$(dirname "$0")/../.."

cxx=${CXX:-c++}
here=tests/checks/order emulation=05_cuda/cuda_on_cpu build=build/05_cuda/order
made() { make -s -C 05_cuda CXX="$cxx" "$1"; }

mkdir -p $build
awk -v to=$build -v ours=$emulation -f $emulation/translate.awk $here/interpreter.cu
$cxx -std=c++17 -I$here -I$emulation $(made hooks) -include cuda_runtime.h -x c++ -c $build/interpreter.cu \
    -o $build/interpreter.o
# all of the emulation but its reports, in whose place the oracle stands
$cxx -std=c++17 -O2 -Wall -Wextra -I$here -I$emulation $here/oracle.cpp -x none $build/interpreter.o \
    $(ls build/05_cuda/cuda_on_cpu/*.o | grep -v /reports) $(made libs) -o $build/order
exec $build/order "$@"
