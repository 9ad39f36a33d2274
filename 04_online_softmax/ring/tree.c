/* One query, and keys on many machines: each enters its own keys into an account, and the accounts are added up.
 *
 * merge makes one account of two, whichever keys they come from. So it can stand where MPI has its sum: MPI_Allreduce
 * gives every rank the account of all keys, in about log2(p) rounds of dv + 2 floats a row. No key travels. */
#include "ring.h"
#include "../common.h"
#include <errno.h>
#include <limits.h>

/* decode.c's merge as an operation of MPI, on a datatype of one account. The datatype keeps an account from being cut
 * in two on its way, and says how wide it is. */
static void merge_accounts(void *others, void *accounts, int *rows, MPI_Datatype *account)
{
    int bytes;
    MPI_Type_size(*account, &bytes);
    const size_t w = (size_t)bytes / sizeof(float);
    for (size_t x = 0; x < (size_t)*rows * w; x += w) merge(w - 2, (float *)accounts + x, (float *)others + x);
}

int attention_tree(const flash_problem *p, const float *Q, const float *K, const float *V, float *O, float *lse,
                   MPI_Comm comm)
{
    if (!p) p = &ring_no_problem;
    const size_t rows = times(times(p->batch, p->heads), p->n), w = p->dv + 2, room = times(rows + 1, w);
    const bool right = Q && O && !p->causal && (!p->m || (K && V));
    const bool large = most(rows, most(p->d, p->dv)) > INT_MAX / 8 || room > PTRDIFF_MAX / 16;
    flash_problem whole = *p;
    float *accounts;
    whole.m = 0; /* it may differ */
    int error = ring_begin(&whole, &comm, !right ? EINVAL : large ? EOVERFLOW : 0, rows, room, &accounts);
    if (!accounts) return error;
    whole.m = (size_t)ring_largest(comm, p->m > 0); /* does anybody have a key? Rows that see none become zeros */

    flash_problem mine = *p;
    mine.trace = NULL;
    error = ring_largest(comm, ring_meet(&mine, Q, K, V, accounts + rows * w, accounts));
    if (!error) {
        MPI_Op merging;
        MPI_Datatype account;
        MPI_Op_create(merge_accounts, false, &merging); /* in the order of ranks: so all get the same last bit */
        MPI_Type_contiguous((int)w, MPI_FLOAT, &account), MPI_Type_commit(&account);
        MPI_Allreduce(MPI_IN_PLACE, accounts, (int)rows, account, merging, comm);
        MPI_Op_free(&merging), MPI_Type_free(&account);
    }
    for (size_t row = 0; !error && row < rows; row++)
        settle(&whole, row % p->n, accounts + row * w, O + row * p->dv, lse ? lse + row : NULL);
    return ring_end(&comm, accounts, error);
}
