/* Does the emulation find the races that there are, and no others? Random kernels of loads, stores, atomics, fences,
 * barriers and __syncwarps over a few bytes, each in all three orders of threads, against an oracle that knows nothing
 * of clocks and histories: it draws the graph of what must come before what, and asks of every two accesses whether a
 * path leads from one to the other.
 *
 *     order [KERNELS [SEED]]        (make fuzz-5)
 *
 * It stands in the place of reports.cpp, and so hears of every race. What must agree: every race that is noted, by its
 * threads and kinds, is one of the graph's; every kind of race of the graph's (who reads, writes, or adds, where) is
 * noted; and where nothing races, the reads of what nobody has written. */
#include "machine.h"
#include "program.h"
#include <bitset>
#include <set>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <tuple>

/* ---- a random kernel ---- */
enum { Threads = 35, Most = 56, Nodes = 2 * Most, Runs = 3 };
static const unsigned active[2] = {4, 3}; /* of each warp; the other threads come to barriers */

struct Event { /* one step of one or of several threads */
    Step step;
    unsigned block, thread; /* of Syncwarp: the first of the warp */
    int happened;           /* when, for an atomic */
    bool is(unsigned b, unsigned t) const /* one of its steps */
    {
        if (block != b) return false;
        if (step.op == Barrier) return true;
        return step.op == Syncwarp ? t / 32 == thread / 32 && step.mask >> t % 32 & 1 : t == thread;
    }
    bool accesses() const { return step.op <= Add; }
    bool writes() const { return step.op == Store || step.op == Add; }
    unsigned bytes() const { return step.op == Add ? 4 : width(step.place); }
};
static std::vector<Event> events;
static unsigned blocks, bytes, cursor[3][Threads];
static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}
static Event random_event(unsigned syncs)
{
    Event e = {};
    const unsigned warp = below(2), lane = below(active[warp]);
    e.block = below(blocks), e.thread = 32 * warp + lane;
    if (below(10) < syncs) {
        e.step.op = below(4) ? (unsigned char)Syncwarp : (unsigned char)Barrier;
        e.thread = 32 * warp;
        e.step.mask = below(4) ? 1 + below((1u << active[warp]) - 1) : ~0u;
    } else if (below(5) == 0) e.step.op = (unsigned char)(below(3) ? Fence : Fence_block);
    else {
        e.step.op = (unsigned char)below(3), e.step.place = (unsigned char)below(6), e.step.shared = below(2);
        e.step.offset = (unsigned char)(below(bytes / e.bytes()) * e.bytes());
    }
    return e;
}

Step next_step(unsigned block, unsigned thread)
{
    for (unsigned &at = cursor[block][thread]; at < events.size();)
        if (events[at++].is(block, thread)) return events[at - 1].step;
    return {End, 0, 0, 0, 0, 0};
}
static int moment;
void has_happened(int event) { events[event].happened = ++moment; }

/* ---- the oracle ---- */
typedef std::bitset<Nodes> Row;
struct Graph { /* an event has two nodes: what it does, and what is known after it */
    Row after[Nodes];
    void edge(size_t a, size_t b) { after[a][b] = true; }
    void close()
    {
        for (size_t k = 0; k < Nodes; k++)
            for (size_t a = 0; a < Nodes; a++)
                if (after[a][k]) after[a] |= after[k];
    }
    bool before(size_t a, size_t b) const { return after[2 * a][2 * b]; } /* events */
};
static bool same_place(const Event &a, const Event &b)
{
    return a.step.shared == b.step.shared && (!a.step.shared || a.block == b.block) &&
           a.step.offset < b.step.offset + b.bytes() && b.step.offset < a.step.offset + a.bytes();
}
/* of each thread, step after step; then from a fence to what follows an atomic that has seen a later atomic */
static Graph draw()
{
    Graph g = {};
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned t = 0; t < Threads; t++) {
            int last = -1;
            for (size_t i = 0; i < events.size(); i++) {
                if (!events[i].is(b, t)) continue;
                g.edge(2 * i, 2 * i + 1);
                if (last >= 0) g.edge(2 * last + 1, 2 * i);
                last = (int)i;
            }
        }
    g.close();
    Graph more = g;
    for (size_t f = 0; f < events.size(); f++)
        for (size_t w = 0; w < events.size(); w++)
            for (size_t r = 0; r < events.size(); r++) {
                const Event &F = events[f], &W = events[w], &R = events[r];
                if ((F.step.op != Fence && F.step.op != Fence_block) || W.step.op != Add || R.step.op != Add) continue;
                if (!g.before(f, w) || !same_place(W, R) || R.happened < W.happened) continue;
                if (F.step.op == Fence || F.block == R.block) more.edge(2 * f, 2 * r + 1);
            }
    more.close();
    return more;
}
/* an atomic's effect is also known to whoever comes after a later atomic on the place */
static bool handed_on(const Graph &g, size_t a, size_t b)
{
    for (size_t i = 0; i < events.size() && events[a].step.op == Add; i++)
        if (events[i].step.op == Add && same_place(events[i], events[a]) && g.before(i, b) &&
            events[a].happened < events[i].happened) return true;
    return false;
}
static bool race(const Graph &g, size_t i, size_t j)
{
    const Event &a = events[i], &b = events[j];
    return a.accesses() && b.accesses() && (a.writes() || b.writes()) && !(a.step.op == Add && b.step.op == Add) &&
           same_place(a, b) && !g.before(i, j) && !g.before(j, i) && !handed_on(g, i, j) && !handed_on(g, j, i);
}
/* a read of a byte that no write comes before */
static bool unwritten(const Graph &g, size_t i)
{
    const Event &e = events[i];
    for (unsigned byte = 0; e.accesses() && e.step.op != Store && e.step.shared && byte < e.bytes(); byte++) {
        bool written = false;
        for (size_t w = 0; w < events.size(); w++) {
            const Event &a = events[w];
            const unsigned at = e.step.offset + byte - a.step.offset;
            if (!a.writes() || !same_place(a, e) || at >= a.bytes()) continue;
            if (g.before(w, i) || (a.step.op == Add && e.step.op == Add && a.happened < e.happened)) written = true;
        }
        if (!written) return true;
    }
    return false;
}

/* ---- what the emulation has noted, and what the graph says ---- */
typedef std::tuple<int, unsigned, unsigned> Who; /* Load, Store or Add; block, thread */
typedef std::tuple<bool, Who, Who> Pair;         /* in shared memory? */
typedef std::tuple<bool, int, int> Kind;
struct Findings {
    std::set<Pair> races;
    std::set<Kind> kinds;
    std::set<Who> unwritten;
    void add(bool shared, Who a, Who b)
    {
        if (b < a) std::swap(a, b);
        races.emplace(shared, a, b);
        kinds.emplace(shared, std::get<0>(a), std::get<0>(b));
    }
};
static Findings noted;
/* which atomic it was is not asked: they are a chain, of which the emulation keeps the last of each line */
static Who who(int op, unsigned block, unsigned thread)
{
    return op == Add ? Who(Add, 0, 0) : Who(op, block, thread);
}
static Who who(const Place_of_access &p)
{
    return who(p.kind & Atomic ? Add : p.kind & Write ? Store : Load, p.block, p.thread);
}
static Who who(const Event &e) { return who(e.step.op, e.block, e.thread); }
void note_race(Place_of_access a, Place_of_access b, bool shared) { noted.add(shared, who(a), who(b)); }
void note_unwritten(Place_of_access read, bool) { noted.unwritten.insert(who(read)); }
void note_pending(Place_of_access, Place_of_access) {}
void tell_findings(const dim3 &) {}
const char *place_of(const void *) { return "somewhere"; }
void report(const char *place, const char *kind, const Fiber *, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s: %s: ", place, kind);
    vprintf(format, arguments);
    puts("");
    exit(2);
}

static Findings expected()
{
    Findings f;
    const Graph g = draw();
    for (size_t i = 0; i < events.size(); i++) {
        for (size_t j = 0; j < i; j++)
            if (race(g, i, j)) f.add(events[i].step.shared, who(events[i]), who(events[j]));
        if (unwritten(g, i)) f.unwritten.insert(who(events[i]));
    }
    return f;
}
static bool agree(const Findings &right)
{
    for (const Pair &pair : noted.races)
        if (!right.races.count(pair)) return false;
    return noted.kinds == right.kinds && (right.kinds.size() || noted.unwritten == right.unwritten);
}

static void print()
{
    static const char *const name[] = {"load", "store", "add", "fence block", "fence", "syncwarp", "barrier"};
    for (const Event &e : events) {
        printf("    block %u thread %2u %s", e.block, e.thread, name[e.step.op]);
        if (e.accesses()) printf(" %s bytes %u to %u, at %d", e.step.shared ? "shared" : "global", e.step.offset,
                                 e.step.offset + e.bytes() - 1, e.happened);
        if (e.step.op == Syncwarp) printf(" %#x", e.step.mask);
        puts("");
    }
}
static void print(const char *title, const Findings &f)
{
    static const char *const name[] = {"load", "store", "add"};
    for (const Pair &p : f.races) {
        const Who &a = std::get<1>(p), &b = std::get<2>(p);
        printf("%s: %s, %s by thread %u of block %u, %s by thread %u of block %u\n", title,
               std::get<0>(p) ? "shared" : "global", name[std::get<0>(a)], std::get<2>(a), std::get<1>(a),
               name[std::get<0>(b)], std::get<2>(b), std::get<1>(b));
    }
    for (const Who &w : f.unwritten)
        printf("%s: unwritten, by thread %u of block %u\n", title, std::get<2>(w), std::get<1>(w));
}

/* Accesses, and among them so many of ten steps that order. In two of three kernels what races is taken out again, in
 * one of them almost all of it: else few kernels were right, or wrong in one way only. */
static void make_kernel(int number, uint64_t seed)
{
    state = seed + (uint64_t)number * 1000003;
    const unsigned syncs = 1 + below(6), length = 8 + below(Most - 8);
    blocks = 1 + below(3), bytes = below(2) ? 4 : Cells;
    events.clear();
    while (events.size() < length) events.push_back(random_event(syncs));
    const Graph g = draw();
    for (size_t i = events.size(); number % 3 && i-- > 0;)
        for (size_t j = 0; j < i; j++)
            if (race(g, i, j) && (number % 3 == 1 || below(16))) events[i].step.op = Fence_block;
    for (size_t i = 0; i < events.size(); i++) events[i].step.event = (int)i;
}

int main(int argc, char **argv)
{
    const int kernels = argc > 1 ? atoi(argv[1]) : 500;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int racing = 0, differ = 0;
    unsigned char *global;
    cuda_on_cpu.check = 1;
    cudaMalloc(&global, Cells);
    for (int k = 0; k < kernels; k++) {
        make_kernel(k, seed);
        for (int order = 0; order < Runs; order++) {
            noted = {}, moment = 0;
            memset(cursor, 0, sizeof cursor);
            cuda_on_cpu.order = (cuda_on_cpu_order)order, cuda_on_cpu.seed = k;
            run(blocks, Threads, global);
            const Findings right = expected();
            racing += !right.races.empty();
            if (agree(right) || differ++) continue;
            printf("kernel %d, order %d:\n", k, order), print(), print("noted", noted), print("graph", right);
        }
    }
    printf("%d random kernels from seed %llu, each in three orders: races in %d of %d runs, %d disagreements\n",
           kernels, (unsigned long long)seed, racing, kernels * Runs, differ);
    return differ != 0;
}
