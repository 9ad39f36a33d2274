/* What all ranks do together, before and after: whoever left alone with an error would let the others wait for ever. */
#include "ring.h"
#include "../common.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ring_largest(MPI_Comm comm, int x)
{
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_MAX, comm);
    return x;
}

/* do all ranks ask the same? Where the largest x and the largest ~x belong together, all x are equal. */
static bool all_ask_the_same(const flash_problem *p, MPI_Comm comm)
{
    enum { SIZES = 9 };
    uint64_t x[2 * SIZES] = {p->batch, p->heads, p->kv_heads, p->n, p->m, p->d, p->dv, p->causal};
    memcpy(&x[SIZES - 1], &p->scale, sizeof p->scale);
    for (int i = 0; i < SIZES; i++) x[SIZES + i] = ~x[i];
    MPI_Allreduce(MPI_IN_PLACE, x, 2 * SIZES, MPI_UINT64_T, MPI_MAX, comm);
    bool same = true;
    for (int i = 0; i < SIZES; i++) same &= x[i] == ~x[SIZES + i];
    return same;
}

int ring_begin(const flash_problem *p, MPI_Comm *comm, int error, size_t rows, size_t more, float **accounts)
{
    const bool nothing = !p->batch || !p->heads || !p->n || !p->dv;
    const size_t w = p->dv + 2, floats = times(rows, w);
    MPI_Comm_dup(*comm, comm); /* so that our mail and the caller's can't be taken for each other */
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_ARE_FATAL);

    if (nothing) error = 0;
    else if (!p->d || !p->kv_heads || p->heads % p->kv_heads) error = EINVAL;
    else if (!error && most(floats, more) > PTRDIFF_MAX / sizeof(float) / 2) error = EOVERFLOW;
    if (!all_ask_the_same(p, *comm)) error = EINVAL;
    *accounts = error || nothing ? NULL : calloc(floats + more, sizeof(float));
    error = ring_largest(*comm, error || nothing || *accounts ? error : ENOMEM);
    if (error || nothing) return free(*accounts), *accounts = NULL, MPI_Comm_free(comm), error;
    for (size_t row = 0; row < rows; row++) (*accounts)[row * w + MAXIMUM] = -INFINITY;
    return 0;
}

int ring_end(MPI_Comm *comm, float *accounts, int error)
{
    return MPI_Comm_free(comm), free(accounts), error;
}
