/* The tests of what is computed. */
#include "tests.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void written(void)
{
    float account[3] = {-INFINITY}, room[6], one = 1;
    const flash_problem p = ask(1, 1, 1, 1, 1, 1, 1, false);
    ring_meet(&p, &one, &one, &one, room, account);
    check(account[0] != -INFINITY, "a row that has met a key has an empty account");
}

void shares(void)
{
    for (size_t tokens = 0; tokens < 40; tokens++) {
        int holders[40] = {0}, once = 1;
        size_t least = SIZE_MAX, most = 0;
        const ring_share mine = ring_share_of(rank, ranks, tokens);
        for (int side = 0; side < 2; side++) {
            const ring_chunk c = mine.chunk[side];
            for (size_t i = c.first; i < c.first + c.tokens && i < 40; i++) holders[i]++;
            least = c.tokens < least ? c.tokens : least, most = c.tokens > most ? c.tokens : most;
        }
        MPI_Allreduce(MPI_IN_PLACE, holders, 40, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (size_t i = 0; i < 40; i++) once &= holders[i] == (i < tokens);
        check(once && most - least <= 1 && mine.tokens == mine.chunk[0].tokens + mine.chunk[1].tokens,
              "%zu tokens are not dealt once each", tokens);
    }
}

/* lengths: none, one, fewer than ranks, fewer than chunks, prime, divisible */
static size_t length(int which)
{
    const size_t p = (size_t)ranks, lengths[] = {0, 1, p - 1, p, 2 * p - 1, 2 * p + 1, 13, 28 * p, 101, 257};
    return which < (int)(sizeof lengths / sizeof *lengths) ? lengths[which] : SIZE_MAX;
}

static void one_case(flash_problem p, float factor, const char *what)
{
    whole w = random_whole(p, factor);
    const int error = run_ring(&w);
    check(error == 0, "%s: error %d, n %zu, m %zu", what, error, p.n, p.m);
    if (!error) expect_right(&w, what);
    free_whole(&w);
}

static void many_cases(bool causal, const char *what)
{
    for (int which = 0; length(which) != SIZE_MAX; which++) {
        const size_t n = length(which), m = causal ? n : n / 2 + 3;
        one_case(ask(1, 1, 1, n, n, 64, 64, causal), 1, what);
        one_case(ask(2, 4, 2, n, m, 16, 8, causal), 1, what);
        one_case(ask(1, 6, 1, m, causal ? m : n, 5, 3, causal), 3, what);
    }
}

void dense(void) { many_cases(false, "every query sees every key"); }
void causal(void) { many_cases(true, "causal"); }

/* times 10: scores of some hundred; and values of 1, whose mean is 1 whatever the scores */
void hot(void)
{
    for (int c = 0; c < 2; c++)
        for (size_t n = 64; n <= 256; n *= 2) {
            const flash_problem p = ask(1, 1, 1, n, n, 128, 32, c);
            whole w = random_whole(p, 10);
            one_case(p, 10, "Q and K times 10");
            for (size_t i = 0; i < n * p.dv; i++) w.V[i] = 1;
            const int error = run_ring(&w);
            check(error == 0, "error %d", error);
            if (!error) expect_right(&w, "values of 1");
            free_whole(&w);
        }
}

void tree(void)
{
    static const size_t rows[] = {0, 1, 2, 7}, keys[] = {0, 1, 13, 168, 1001};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            for (int grouped = 0; grouped < 2; grouped++) {
                const flash_problem p = grouped ? ask(2, 4, 2, rows[i], keys[j], 16, 5, false)
                                                : ask(1, 4, 4, rows[i], keys[j], 16, 16, false);
                whole w = random_whole(p, grouped ? 10 : 1);
                const int error = run_tree(&w);
                check(error == 0, "error %d, n %zu, m %zu", error, p.n, p.m);
                if (!error) expect_right(&w, "tree");
                free_whole(&w);
            }
}

/* what stands in keys (which are the scores, for every query is 1) and values, at one place or from there on */
typedef struct { const char *name; float score, value; bool from; } special;
static const special specials[] = {
    {"one score -inf", -INFINITY, 5, false},      {"one score inf", INFINITY, 5, false},
    {"one score NaN", NAN, 5, false},             {"one value NaN", 1, NAN, false},
    {"one value inf", 1, INFINITY, false},        {"scores of -inf from here on", -INFINITY, 5, true},
    {"scores of -1e30 from here on", -1e30f, 5, true}, {"scores of NaN from here on", NAN, 5, true},
    {"NaN under -inf", -INFINITY, NAN, false},    {"inf under -inf", -INFINITY, INFINITY, false},
    {"NaN under -inf, and so to the end", -INFINITY, NAN, true},
};

enum { M = 29 };

/* batch b is special at place b, or, from M on, everywhere else */
static void place(whole *w, const special *s)
{
    for (size_t b = 0; b < w->p.batch; b++)
        for (size_t j = 0; j < M; j++) {
            const bool here = (s->from ? j >= b % M : j == b % M) != (b >= M);
            w->K[b * M + j] = here ? s->score : (float)(j % 3), w->V[b * M + j] = here ? s->value : (float)j;
        }
    for (size_t i = 0; i < w->p.batch * w->p.n; i++) w->Q[i] = 1;
}

void policy(void)
{
    for (int c = 0; c < 3; c++) /* dense, causal, tree */
        for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
            whole w = random_whole(ask(2 * M, 1, 1, c == 1 ? M : 2, M, 1, 1, c == 1), 1);
            place(&w, &specials[k]);
            const int error = c == 2 ? run_tree(&w) : run_ring(&w);
            check(error == 0, "%s: error %d", specials[k].name, error);
            if (!error) expect_right(&w, specials[k].name);
            free_whole(&w);
        }
}

/* twice the same bits; and the tree's on all ranks */
void bits(void)
{
    for (int kind = 0; kind < 3; kind++) {
        whole w = random_whole(ask(2, 4, 2, kind ? 101 : 3, 101, 16, 16, kind == 2), 3);
        const size_t count = 8 * w.p.n * 16;
        float *first = need(count, sizeof *first);
        for (int turn = 0; turn < 2; turn++) {
            const int error = kind ? run_ring(&w) : run_tree(&w);
            if (turn == 0) memcpy(first, w.O, count * sizeof *first);
            if (turn == 0 && !kind) MPI_Bcast(first, (int)count, MPI_FLOAT, ranks - 1, MPI_COMM_WORLD);
            check(!error && !memcmp(first, w.O, count * sizeof *first), "%s, turn %d: other bits",
                  kind ? "ring" : "tree", turn);
        }
        free(first), free_whole(&w);
    }
}
