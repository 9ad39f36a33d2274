/* Ring attention on version 4's worked example, twice as long: 8 queries and 8 keys, causal.
 *
 *     mpirun -n 4 build/ring/ring [--schedule]        (make ring RANKS=4)
 *
 * Shows who holds what; whose keys are where at each step, which chunks meet, and the account of each rank's last query
 * after it; then attention_ring's result beside version 0's, and the bytes that were sent. --schedule prints instead,
 * comma-separated, where and when each chunk of queries meets each chunk of keys. */
#include "ring.h"
#include "../common.h"
#include <stdio.h>
#include <string.h>

enum { N = 8, D = 4, DV = 2, LINE = 160 };
static const float two_queries[2][D] = {{1, 0, 3, 2}, {3, 1, 0, 2}};
static const flash_problem whole = {.batch = 1, .heads = 1, .kv_heads = 1, .n = N, .m = N, .d = D, .dv = DV,
                                    .scale = 0.5f, .causal = true, .threads = 1};
static const char *const sights[] = {[SKIPPED] = "-", [OWN] = "own", [FULL] = "full"};
static float Q[N][D], K[N][D], V[N][DV];
static int rank, p;
static ring_share mine;
static long long sent;

/* MPI's profiling interface: our MPI_Isend is called in the place of MPI's, which is also there as PMPI_Isend */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size;
    MPI_Type_size(type, &size);
    sent += (long long)count * size;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

/* key j is 2 times the unit vector j mod 4; value j is 10 (j + 1), and a 1 that sums the weights */
static void fill(void)
{
    for (size_t i = 0; i < N; i++) {
        memcpy(Q[i], two_queries[i % 2], sizeof Q[i]);
        K[i][i % D] = 2, V[i][0] = 10 * (float)(i + 1), V[i][1] = 1;
    }
}

/* rank 0 prints every rank's line, in their order */
static void say(const char line[LINE])
{
    char other[LINE];
    if (rank) MPI_Send(line, LINE, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    else fputs(line, stdout);
    for (int r = 1; r < p && !rank; r++) {
        MPI_Recv(other, LINE, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fputs(other, stdout);
    }
}

/* One step of attention_ring with its numbers printed: my chunks meet those of rank from, and the last of my queries
 * has this account. Everybody has the few keys of the example, so none travels here. */
static void step_by_hand(int step, float accounts[2][N * (DV + 2)])
{
    float room[(N + 1) * (DV + 2)];
    const int from = ring_keys_at(step, rank, p);
    char line[LINE];
    int length = snprintf(line, LINE, "%4d %5d  %7d  ", step, rank, from);
    for (size_t pair = 0; pair < 4; pair++) {
        const ring_chunk q = mine.chunk[pair / 2], k = ring_share_of(from, p, N).chunk[pair % 2];
        const ring_sight sight = ring_sees(&whole, q, k);
        flash_problem part = whole;
        part.n = q.tokens, part.m = k.tokens, part.causal = sight == OWN;
        if (sight != SKIPPED) ring_meet(&part, Q[q.first], K[k.first], V[k.first], room, accounts[pair / 2]);
        length += snprintf(line + length, (size_t)(LINE - length), " %zux%zu %-5s", q.number, k.number, sights[sight]);
    }
    const size_t last = most(mine.chunk[1].tokens, 1) - 1;
    const float *a = accounts[1] + last * (DV + 2);
    snprintf(line + length, (size_t)(LINE - length), " %7zu %4g %8.4f   [%.4f %.4f]\n", mine.chunk[1].first + last,
             a[MAXIMUM], a[SUM], a[VALUES], a[VALUES + 1]);
    say(line);
}

/* version 0 for query i: three loops in float64 */
static void version_0(size_t i, double O[DV])
{
    double sum = 0, w;
    O[0] = O[1] = 0;
    for (size_t j = 0; j <= i; j++) {
        double s = 0;
        for (size_t c = 0; c < D; c++) s += (double)Q[i][c] * K[j][c];
        sum += w = exp(s / 2);
        for (size_t c = 0; c < DV; c++) O[c] += w * V[j][c];
    }
    for (size_t c = 0; c < DV; c++) O[c] /= sum;
}

/* attention_ring on everybody's share, and each output beside version 0's; returns how many of mine are wrong */
static int together(void)
{
    float q[N][D], k[N][D], v[N][DV], O[N][DV];
    size_t of_row[N], rows = 0;
    for (int side = 0; side < 2; side++)
        for (size_t t = 0; t < mine.chunk[side].tokens; t++) of_row[rows++] = mine.chunk[side].first + t;
    for (size_t r = 0; r < rows; r++) {
        memcpy(q[r], Q[of_row[r]], sizeof *q), memcpy(k[r], K[of_row[r]], sizeof *k);
        memcpy(v[r], V[of_row[r]], sizeof *v);
    }
    const int error = attention_ring(&whole, *q, *k, *v, *O, NULL, MPI_COMM_WORLD);
    if (error) return fprintf(stderr, "attention_ring: %s\n", strerror(error)), MPI_Abort(MPI_COMM_WORLD, 2), 1;

    int wrong = 0;
    for (size_t i = 0; i < N; i++) {
        char line[LINE] = "";
        double expected[DV];
        version_0(i, expected);
        for (size_t r = 0; r < rows; r++) {
            if (of_row[r] != i) continue;
            for (size_t c = 0; c < DV; c++) wrong += !(fabs(O[r][c] - expected[c]) <= 1e-5);
            snprintf(line, LINE, "%5zu %5d   [%.4f %.4f]   [%.4f %.4f]\n", i, rank, O[r][0], O[r][1], expected[0],
                     expected[1]);
        }
        say(line);
    }
    return wrong;
}

/* when and where each chunk of queries meets each chunk of keys */
static void print_schedule(void)
{
    puts("step, rank, query chunk, key chunk, meet");
    for (int step = 0; step < p; step++)
        for (int r = 0; r < p; r++)
            for (int pair = 0; pair < 4; pair++) {
                const ring_chunk q = ring_share_of(r, p, N).chunk[pair / 2];
                const ring_chunk k = ring_share_of(ring_keys_at(step, r, p), p, N).chunk[pair % 2];
                printf("%d, %d, %zu, %zu, %s\n", step, r, q.number, k.number, sights[ring_sees(&whole, q, k)]);
            }
}

/* the scores that queries first .. first + tokens - 1 compute: query i sees i + 1 keys */
static size_t scores(ring_chunk c) { return c.tokens * c.first + c.tokens * (c.tokens + 1) / 2; }

static void print_shares(void)
{
    char line[LINE];
    const size_t begin = N * (size_t)rank / (size_t)p, end = N * (size_t)(rank + 1) / (size_t)p;
    if (!rank) printf("Ring attention: %d queries and keys, causal, in %d chunks on %d ranks\n\n", N, 2 * p, p);
    if (!rank) puts(" rank  chunks  tokens  scores it computes   if chunks were dealt in order");
    snprintf(line, LINE, "%5d %3zu %3zu %7zu %19zu %31zu\n", rank, mine.chunk[0].number, mine.chunk[1].number,
             mine.tokens, scores(mine.chunk[0]) + scores(mine.chunk[1]), scores((ring_chunk){0, begin, end - begin}));
    say(line);
}

static int worked_example(void)
{
    float accounts[2][N * (DV + 2)];
    for (size_t x = 0; x < N * (DV + 2); x++)
        accounts[0][x] = accounts[1][x] = x % (DV + 2) == MAXIMUM ? -INFINITY : 0;
    print_shares();
    if (!rank) puts("\nstep  rank  keys of   query chunk x key chunk "
                    "                     query  max      sum   values");
    for (int step = 0; step < p; step++) step_by_hand(step, accounts);
    if (!rank) puts("\nquery  rank   attention_ring      version 0");
    const int wrong = together();
    char line[LINE];
    const size_t keys = N - ring_share_of((rank + 1) % p, p, N).tokens;
    snprintf(line, LINE, "rank %d sent %lld bytes; 4 (d + dv) (m - m_next) = %zu\n", rank, sent, 4 * (D + DV) * keys);
    if (!rank) puts("");
    say(line);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &p);
    const bool schedule = argc == 2 && !strcmp(argv[1], "--schedule");
    if (argc > 1 && !schedule) {
        if (!rank) fprintf(stderr, "usage: mpirun -n 4 %s [--schedule]\n", argv[0]);
        return MPI_Finalize(), 2;
    }
    mine = ring_share_of(rank, p, N);
    fill();
    if (schedule && !rank) print_schedule();
    const int wrong = schedule ? 0 : worked_example();
    const bool lost = fflush(stdout) || ferror(stdout);
    if (lost) perror("standard output");
    MPI_Finalize();
    if (lost) return 2;
    if (wrong) fprintf(stderr, "rank %d: %d outputs differ from version 0's by more than 1e-5\n", rank, wrong);
    return wrong != 0;
}
