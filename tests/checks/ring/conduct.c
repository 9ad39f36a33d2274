/* The tests of what travels, what is held, who works how much, and what happens on errors. */
#include "tests.h"
#include "watch.h"
#include "../../suites/counted.h"
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t none_fails = (size_t)-1;

void bytes(void)
{
    static const size_t lengths[] = {0, 1, 5, 13, 64, 101};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const size_t n = lengths[i], m = lengths[j], kv = 2 * 2;
            whole w = random_whole(ask(2, 4, 2, n, m, 3, 5, false), 1);
            memset(&watch, 0, sizeof watch);
            run_ring(&w);
            const size_t of_next = ring_share_of((rank + 1) % ranks, ranks, m).tokens;
            const long long expected = n ? (long long)(4 * kv * (3 + 5) * (m - of_next)) : 0;
            check(watch.sent == expected, "%lld bytes sent, expected %lld: n %zu, m %zu", watch.sent, expected,
                  n, m);
            memset(&watch, 0, sizeof watch);
            run_tree(&w);
            const long long rows = (long long)(2 * 4 * n);
            check(watch.sent == 0 && watch.merged == rows * (5 + 2) * 4, "tree: %lld bytes, expected %lld",
                  watch.merged, rows * (5 + 2) * 4);
            free_whole(&w);
        }
}

/* causal: all compute the same number of scores, within two rows of them, and together no more than there are */
void balance(void)
{
    const size_t lengths[] = {28 * (size_t)ranks, 101, 257};
    for (int i = 0; i < 3; i++) {
        const size_t n = lengths[i];
        double least, most, sum;
        whole w = random_whole(ask(1, 1, 1, n, n, 1, 1, true), 1);
        memset(&watch, 0, sizeof watch);
        run_ring(&w);
        MPI_Allreduce(&watch.scores, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&watch.scores, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&watch.scores, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        check(sum == (double)(n * (n + 1) / 2), "n %zu: %.0f scores, expected n (n + 1) / 2 = %zu", n, sum,
              n * (n + 1) / 2);
        check(most - least <= (i ? 2 * (double)n : 0), "n %zu: from %.0f to %.0f scores a rank", n, least, most);
        free_whole(&w);
    }
}

void waits(void)
{
    whole w = random_whole(ask(1, 2, 2, 64, 64, 8, 8, false), 1);
    memset(&watch, 0, sizeof watch);
    run_ring(&w);
    check(watch.open_most <= 1 && watch.open == 0, "up to %d messages sent and not waited for", watch.open_most);
    free_whole(&w);
}

/* calls with this problem, but the last rank with that one; O must stay as it was */
static void expect_error(const flash_problem *p, const flash_problem *last, bool null, size_t fail_at, int expected,
                         const char *what)
{
    enum { ROOM = 1024 };
    static float x[ROOM], O[ROOM];
    const bool me = rank == ranks - 1;
    for (int tree = 0; tree < 2; tree++) {
        for (int i = 0; i < ROOM; i++) O[i] = 12345;
        counted_begin(me ? fail_at : none_fails);
        const int error = (tree ? attention_tree : attention_ring)(me ? last : p, me && null ? NULL : x, x, x, O, NULL,
                                                                   MPI_COMM_WORLD);
        const size_t held = counted_held();
        counted_begin(none_fails);
        bool untouched = true;
        for (int i = 0; i < ROOM; i++) untouched &= O[i] == 12345;
        check(error == expected, "%s: error %d (%s), expected %s", what, error, strerror(error), strerror(expected));
        check(untouched && held == 0, "%s: O was written, or memory kept", what);
    }
}

void errors(void)
{
    const flash_problem p = ask(1, 1, 1, 2 * (size_t)ranks, 2 * (size_t)ranks, 1, 1, false);
    flash_problem other = p;
    expect_error(&p, &p, true, none_fails, EINVAL, "one null Q");
    expect_error(&p, NULL, false, none_fails, EINVAL, "one null problem");
    expect_error(NULL, NULL, false, none_fails, EINVAL, "no problem");
    expect_error(&p, &p, false, 0, ENOMEM, "no memory for the accounts of one rank");
    expect_error(&p, &p, false, 1, ENOMEM, "no memory for the tile of one rank");
    other.heads = 3, other.kv_heads = 2;
    expect_error(&other, &other, false, none_fails, EINVAL, "heads no multiple of kv_heads");
    other = p, other.d = 0;
    expect_error(&other, &other, false, none_fails, EINVAL, "d = 0");
    if (ranks > 1) expect_error(&p, &other, false, none_fails, EINVAL, "one rank has another d");
    other = p, other.n = 0;
    if (ranks > 1) expect_error(&p, &other, false, none_fails, EINVAL, "one rank has another n");
    other = p, other.scale = 2;
    if (ranks > 1) expect_error(&p, &other, false, none_fails, EINVAL, "one rank has another scale");
    other = p, other.causal = true, other.m++;
    expect_error(&other, &other, false, none_fails, EINVAL, "causal, n and m different");
    other = p, other.n = SIZE_MAX / 4, other.m = SIZE_MAX;
    expect_error(&other, &other, false, none_fails, EOVERFLOW, "more tokens than can be addressed");
    other = p, other.dv = SIZE_MAX - 1;
    expect_error(&other, &other, false, none_fails, EOVERFLOW, "dv too large");
}

/* at so many tokens a rank its memory does not depend on the number of ranks */
void storage(void)
{
    enum { TOKENS = 2 * 64, HEADS = 4, KV = 2, D = 16, DV = 8 };
    whole w = random_whole(ask(1, HEADS, KV, TOKENS * (size_t)ranks, TOKENS * (size_t)ranks, D, DV, true), 1);
    flash_problem chunk = w.p;
    chunk.n = chunk.m = TOKENS / 2;
    counted_begin(none_fails);
    attention_flash(&chunk, w.Q, w.K, w.V, w.O, w.lse);
    const size_t tile = counted_peak(), accounts = HEADS * TOKENS * (DV + 2);
    const size_t room = (HEADS * TOKENS / 2 + 1) * (DV + 2);
    const size_t expected = tile + 4 * (accounts + room + 2 * KV * TOKENS * (D + DV));
    counted_begin(none_fails);
    run_ring(&w);
    check(counted_peak() == expected, "%zu bytes, expected %zu", counted_peak(), expected);
    check(counted_held() == 0, "%zu bytes kept", counted_held());
    free_whole(&w);
}

/* a receive that the caller has waiting gets the caller's message, whatever travels meanwhile */
void mail(void)
{
    int ours = 0, sent = 4711;
    MPI_Request waiting;
    whole w = random_whole(ask(1, 1, 1, 8, 8, 1, 1, false), 1);
    MPI_Irecv(&ours, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting);
    const int error = run_ring(&w);
    MPI_Send(&sent, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD);
    MPI_Wait(&waiting, MPI_STATUS_IGNORE);
    check(error == 0 && ours == sent, "the caller received %d, expected %d", ours, sent);
    free_whole(&w);
}

/* the last rank is killed while all work; this never returns */
void killed(void)
{
    for (int turn = 0;; turn++) {
        whole w = random_whole(ask(1, 1, 1, 64, 64, 8, 8, false), 1);
        if (turn == 100 && rank == ranks - 1) raise(SIGKILL);
        run_ring(&w);
        free_whole(&w);
    }
}
