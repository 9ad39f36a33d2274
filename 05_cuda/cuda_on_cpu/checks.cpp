/* The checks: races, uninitialised reads, copies under way.
 *
 * Every byte of shared and global memory has a cell, and a cell names a history: the accesses to this byte that a
 * later one may still race with, as a list. An access is compared with all of the list, then joins it. What is a race
 * is only asked of clocks.cpp, never of the order in which the fibers came, and no access leaves a list that could
 * race with one to come; so every race of what was executed is found, and none is invented. There leave
 *     all that came before, when a barrier lies between and the memory is the block's own;
 *     one that happened before a new one of the same kind at the same place in the source: whatever races with it and
 *     comes later, races with the new one;
 *     of two of the same kind and place in other blocks which let nobody know anything, the second.
 * An atomic chain is handed on: who comes after the last one of those comes after all.
 *
 * Bytes with the same history share it, and what an access makes of a history is remembered. So the work is done once
 * for all the bytes of a tile, and a repeated step is a comparison and a store. */
#include "machine.h"
#include <algorithm>
#include <stdlib.h>

struct Did { /* an access that was made */
    uint64_t stamp; /* time, thread, kind: 48, 10 and 6 bits */
    const void *pc;
    bool operator==(const Did &other) const { return stamp == other.stamp && pc == other.pc; }
    Time when() const { return stamp >> 16; }
    unsigned thread() const { return stamp >> 6 & 1023; }
    int kind() const { return stamp & 63; }
};
struct History {
    Did last;
    Cell before;  /* the rest of the list */
    Cell loud;    /* from here on the first that is not a plain read */
    unsigned length;
    bool written;
    Cell next[2]; /* what becomes of it ... */
    Did by[2];    /* ... by these, the latest first */
};
/* the ends of all lists */
enum { Unwritten, Written, Shared_unwritten, Shared_written, Roots };
static std::vector<History> histories;

static Cell make_history(Cell before, const Did &did, bool written)
{
    const Cell self = (Cell)histories.size();
    histories.push_back({did, before, did.kind() == Read ? histories[before].loud : self, histories[before].length + 1,
                         written, {}, {}});
    return self;
}

Cell *make_cells(size_t bytes)
{
    if (histories.empty()) histories.resize(Roots);
    Cell *cells = (Cell *)calloc(bytes + 1, sizeof *cells); /* Unwritten */
    return cells; /* NULL: no room for them here */
}
void initialised(const Allocation &a, size_t offset, size_t bytes)
{
    if (a.cells) std::fill(a.cells + offset, a.cells + offset + bytes, (Cell)Written);
}
/* histories that no cell needs any more make room */
static void tidy()
{
    static size_t limit = 1 << 20;
    if (histories.size() < limit) return;
    std::vector<Cell> place(histories.size());
    for (const auto &a : allocations())
        for (size_t i = 0; a.second.cells && i < a.second.bytes; i++) place[a.second.cells[i]] = 1;
    for (size_t h = histories.size(); h-- > Roots;)
        if (place[h]) place[histories[h].before] = 1;
    Cell count = Roots;
    for (size_t h = 0; h < histories.size(); h++) {
        if (h < Roots) place[h] = h;
        if (h < Roots || !place[h]) continue;
        const History old = histories[h];
        const Cell before = place[old.before];
        histories[count] = {old.last, before, old.last.kind() == Read ? histories[before].loud : count,
                            histories[before].length + 1, old.written, {}, {}};
        place[h] = count++;
    }
    for (const auto &a : allocations())
        for (size_t i = 0; a.second.cells && i < a.second.bytes; i++)
            if (a.second.cells[i] >= Roots) a.second.cells[i] = place[a.second.cells[i]];
    for (size_t h = 0; h < Roots; h++) histories[h].by[0] = histories[h].by[1] = {};
    histories.resize(count);
    limit = std::max((size_t)1 << 20, 2 * histories.size());
}
/* a block begins: what lies in shared memory is nobody's */
void forget_shared()
{
    tidy();
    std::fill(core->cells, core->cells + core->launch->shared, (Cell)Shared_unwritten);
    std::fill(core->static_cells, core->static_cells + core->statics_bytes, (Cell)Shared_unwritten);
}

/* ---- the rules ---- */
static bool conflict(const Did &a, const Did &b, bool shared)
{
    if (!((a.kind() | b.kind()) & Write)) return false;
    if ((a.kind() | b.kind()) & Pending) return true;
    if (a.kind() & Atomic) return !(b.kind() & (Atomic | Volatile));
    if (b.kind() & Atomic) return !(a.kind() & Volatile);
    if (!(a.kind() & b.kind() & Volatile)) return true;
    return shared && a.thread() / Warp == b.thread() / Warp; /* lanes were in step before 7.0; they are not now */
}

static Place_of_access where(const Did &did) { return {did.pc, did.kind(), did.thread(), block_of(did.when())}; }

/* The history before is compared with what is done now; what stays of it, newest first. quick: only with what a plain
 * read can race with, and all of it stays. */
static bool compare(Cell history, const Did &now, bool shared, bool quick, std::vector<Did> &stay)
{
    bool seen = false, changed = false; /* seen: an atomic or volatile access that came before now has seen the rest */
    if (quick) history = histories[history].loud;
    for (; history >= Roots;
         history = quick ? histories[histories[history].before].loud : histories[history].before) {
        const Did then = histories[history].last;
        if (then.when() < launch_time()) return !quick;
        const bool before = ordered(then.when(), then.thread()), strong = then.kind() & (Atomic | Volatile);
        if (conflict(then, now, shared)) {
            if (then.kind() & Pending && before) note_pending(where(then), where(now));
            else if (!before && !(strong && seen)) note_race(where(then), where(now), shared);
        }
        if (before && strong && (then.kind() & Atomic || !(then.kind() & Write))) seen = true;
        if (quick) continue;
        const bool same = then.pc == now.pc && then.kind() == now.kind() && !(then.kind() & Pending);
        const bool own = then.when() >= block_time();
        if (shared && then.when() < core->barrier && !(then.kind() & Pending)) changed = true;
        else if (same && (before || then.kind() & Atomic)) changed = true;
        else if (!own && unknown_to_others(then.when()) && !(then.kind() & Pending)) {
            const auto twin = std::find_if(stay.begin(), stay.end(), [&](const Did &other) {
                return other.pc == then.pc && other.kind() == then.kind() && other.when() < block_time() &&
                       unknown_to_others(other.when());
            });
            if (twin == stay.end()) stay.push_back(then);
            else *twin = then, changed = true; /* the older one stands for both */
        } else stay.push_back(then);
    }
    return changed;
}

/* is it among what its thread did last? */
static bool contains(Cell history, const Did &did)
{
    for (; history >= Roots && histories[history].last.thread() == did.thread() &&
           histories[history].last.when() == did.when(); history = histories[history].before)
        if (histories[history].last == did) return true;
    return false;
}
static bool was_written(Cell h) { return h < Roots ? h == Written || h == Shared_written : histories[h].written; }
static Cell root(bool written, bool shared)
{
    if (shared) return written ? Shared_written : Shared_unwritten;
    return written ? Written : Unwritten;
}

static Cell extend(Cell history, const Did &did, bool shared)
{
    static std::vector<Did> stay;
    stay.clear();
    const bool written = was_written(history);
    if (!(did.kind() & Pending) && contains(history, did)) return history;
    if (!written && (did.kind() & Atomic || !(did.kind() & Write))) note_unwritten(where(did), shared);
    Cell rest = history;
    const bool quick = did.kind() == Read && histories[history].length % 64 != 63; /* now and then it is pruned */
    if (compare(history, did, shared, quick, stay)) {
        rest = root(written, shared);
        for (size_t i = stay.size(); i-- > 0;) rest = make_history(rest, stay[i], written);
    }
    return make_history(rest, did, written || did.kind() & Write);
}

/* a copy under way has arrived: from now on it is an access like others, made now */
static Cell land(Cell history, const Did &did, bool shared)
{
    static std::vector<Did> list;
    list.clear();
    size_t set_out = 0;
    for (Cell h = history; h >= Roots; h = histories[h].before) {
        const Did &then = histories[h].last;
        if (then.pc == did.pc && then.thread() == did.thread() && then.kind() == (did.kind() | Pending))
            set_out = list.size() + 1; /* the oldest */
        list.push_back(then);
    }
    if (!set_out) return history;
    list.erase(list.begin() + set_out - 1);
    const bool written = was_written(history);
    Cell rest = root(written, shared);
    for (size_t i = list.size(); i-- > 0;) rest = make_history(rest, list[i], written);
    return make_history(rest, did, written);
}

static Cell step(Cell history, const Did &did, bool shared)
{
    const Did by = {did.stamp, did.pc};
    Cell next;
    if (did.kind() & Landing) next = land(history, {did.stamp & ~(uint64_t)Landing, did.pc}, shared);
    else next = extend(history, did, shared);
    History &h = histories[history];
    h.by[1] = h.by[0], h.next[1] = h.next[0];
    h.by[0] = by, h.next[0] = next;
    return next;
}

void check_access(Cell *cells, size_t bytes, int kind, bool shared, const void *pc)
{
    const Fiber *me = core->me;
    const Did did = {me->when << 16 | (uint64_t)me->thread << 6 | (uint64_t)kind, pc};
    for (size_t i = 0; i < bytes;) {
        const Cell history = cells[i];
        const History &h = histories[history];
        const Cell next = h.by[0] == did ? h.next[0] : h.by[1] == did ? h.next[1] : step(history, did, shared);
        if (history == Shared_unwritten) core->touched += bytes; /* roughly: a group of bytes is mostly touched whole */
        for (; i < bytes && cells[i] == history; i++) cells[i] = next;
    }
}
