/* mma.sync.m16n8k16 and ldmatrix for the CPU; ../tensor_cores.h tells what they do. */
#ifndef WARP_MATRIX_H
#define WARP_MATRIX_H

#include "cuda_runtime.h"

template <class T>
void mma(float c[4], const unsigned a[4], const unsigned b[2], CUDA_ON_CPU_HERE); /* sums in ascending order of k */
void ldmatrix(unsigned r[4], const void *row, CUDA_ON_CPU_HERE);
void ldmatrix_trans(unsigned r[4], const void *row, CUDA_ON_CPU_HERE);

#endif
