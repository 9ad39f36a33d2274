/* attention_flash over several machines: every rank of an MPI communicator holds a part of the sequence.
 *
 * All ranks of comm call, with the same problem but for what is said below. All get the same answer: 0 or, with nothing
 * written anywhere, EINVAL (as attention_flash; or the ranks' problems differ), EOVERFLOW or ENOMEM. An error of MPI
 * itself ends the program. problem->trace is not called. */
#ifndef RING_H
#define RING_H

#include "../flash.h"
#include <mpi.h>

/* A sequence is cut into 2p chunks, p being the number of ranks. Rank r holds chunk r and chunk 2p - 1 - r: one from
 * either end. Where the tokens don't divide, the first chunks have one more; a chunk may be empty. */
typedef struct { size_t number, first, tokens; } ring_chunk; /* tokens first .. first + tokens - 1 */
typedef struct { ring_chunk chunk[2]; size_t tokens; } ring_share;
ring_share ring_share_of(int rank, int p, size_t tokens);

/* Does a chunk of queries see a chunk of keys: none of it, its own as causal says, or all of it? */
typedef enum { SKIPPED, OWN, FULL } ring_sight;
ring_sight ring_sees(const flash_problem *problem, ring_chunk queries, ring_chunk keys);

/* Whose keys a rank has at a step, its own at step 0. */
int ring_keys_at(int step, int rank, int p);

/* Ring attention. n and m are the whole sequence's, and must be equal if causal. Q, K, V, O and lse (NULL: not wanted)
 * hold the rank's share, one chunk after the other: Q [2][batch][heads][tokens of the chunk][d], the others likewise.
 * Up to 2^30 - 1 keys times key heads a rank. Liu, Zaharia and Abbeel 2023, arXiv 2310.01889; one chunk from either
 * end: after Brandon et al. 2023, arXiv 2311.09431. */
int attention_ring(const flash_problem *problem, const float *Q, const float *K, const float *V, float *O, float *lse,
                   MPI_Comm comm);

/* A few queries that see all keys, as when a model writes: every rank has all queries, gets all of O, and brings m keys
 * of its own, whichever and however many (m may differ). causal: EINVAL. No key travels.
 * Shyam et al. 2024, arXiv 2408.04093. */
int attention_tree(const flash_problem *problem, const float *Q, const float *K, const float *V, float *O, float *lse,
                   MPI_Comm comm);

/* ---- what the files of this folder share ---- */

/* ring.c: rows meet keys, and what they find is merged into their accounts [batch][heads][n][dv + 2].
 * room: (batch heads n + 1)(dv + 2) floats. Returns attention_flash's errors. */
int ring_meet(const flash_problem *problem, const float *Q, const float *K, const float *V, float *room,
              float *accounts);

/* agree.c: empty accounts [rows][dv + 2] with more floats behind them, and a communicator of our own in the place of
 * comm; or the same error on all ranks: the largest of theirs, and EINVAL where their problems differ. Where there is
 * nothing to write, 0 and no accounts. */
int ring_begin(const flash_problem *problem, MPI_Comm *comm, int error, size_t rows, size_t more, float **accounts);

/* agree.c: frees what ring_begin gave, and returns error */
int ring_end(MPI_Comm *comm, float *accounts, int error);

/* agree.c: the largest x of all ranks */
int ring_largest(MPI_Comm comm, int x);

/* in the place of a null problem: one that is refused */
static const flash_problem ring_no_problem = {.batch = 1, .heads = 1, .n = 1, .dv = 1};

#endif
