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
 * An atomic chain is handed on: who comes after the last one of those comes after all. What races with the chain is
 * told of one atomic in it.
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
    Cell before; /* the rest of the list */
    Cell next;   /* what becomes of it ... */
    Did by;      /* ... by this */
    bool written, pending; /* by anybody so far; a copy under way is on the list */
};
enum { Unwritten, Written, Roots }; /* the ends of all lists */
static std::vector<History> all[2] = {std::vector<History>(Roots), std::vector<History>(Roots)}; /* global, shared */

static bool was_written(Cell h, bool shared) { return h < Roots ? h == Written : all[shared][h].written; }

/* the one with this content, if it was lately made; else a new one */
static Cell make_history(Cell before, const Did &did, bool written, bool shared)
{
    static Cell lately[2][1 << 12];
    const uint64_t mixed = (did.stamp ^ (uintptr_t)did.pc << 20 ^ before) * 0x9e3779b97f4a7c15;
    Cell &known = lately[shared][mixed >> 52];
    if (known >= Roots && known < all[shared].size()) {
        const History &h = all[shared][known];
        if (h.before == before && h.last == did && h.written == written) return known;
    }
    const bool pending = did.kind() & Pending || (before >= Roots && all[shared][before].pending);
    all[shared].push_back({did, before, 0, {}, written, pending});
    return known = (Cell)(all[shared].size() - 1);
}

/* ---- cells ---- */
Cell *make_cells(size_t bytes)
{
    return (Cell *)calloc(bytes + 1, sizeof(Cell)); /* Unwritten; NULL: no room for them here */
}
void initialised(const Allocation &a, size_t offset, size_t bytes)
{
    if (a.cells) std::fill(a.cells + offset, a.cells + offset + bytes, (Cell)Written);
}
/* Histories that no cell needs any more make room. */
typedef std::pair<Cell *, Cell *> Cells;
static void tidy(std::vector<History> &histories, const std::vector<Cells> &places)
{
    std::vector<Cell> now(histories.size()); /* first 1 for those that are needed, then the new number */
    for (const Cells &c : places)
        for (Cell *cell = c.first; cell < c.second; cell++) now[*cell] = 1;
    for (size_t h = histories.size(); h-- > Roots;)
        if (now[h]) now[histories[h].before] = 1;
    Cell count = 0;
    for (size_t h = 0; h < histories.size(); h++) {
        if (h >= Roots && !now[h]) continue;
        now[h] = count;
        History kept = histories[h];
        kept.before = now[kept.before], kept.by = {};
        histories[count++] = kept;
    }
    histories.resize(count);
    for (const Cells &c : places)
        for (Cell *cell = c.first; cell < c.second; cell++) *cell = now[*cell];
}
void tidy_shared()
{
    if (all[1].size() < 1 << 15) return;
    tidy(all[1], {{core->cells, core->cells + core->launch->shared},
                  {core->static_cells, core->static_cells + core->statics_bytes}});
}
static void tidy_global()
{
    static size_t limit = 1 << 16;
    if (all[0].size() < limit) return;
    std::vector<Cells> places;
    size_t bytes = 0;
    for (const auto &a : allocations()) {
        if (!a.second.cells) continue;
        places.push_back({a.second.cells, a.second.cells + a.second.bytes});
        bytes += a.second.bytes;
    }
    tidy(all[0], places);
    limit = std::max({(size_t)1 << 16, 2 * all[0].size(), bytes / 4}); /* so that it is a small part of the work */
}
/* a block begins: what lies in shared memory is nobody's */
void forget_shared()
{
    tidy_global();
    std::fill(core->cells, core->cells + core->launch->shared, (Cell)Unwritten);
    std::fill(core->static_cells, core->static_cells + core->statics_bytes, (Cell)Unwritten);
    all[1].resize(Roots);
    all[1][Unwritten].by = all[1][Written].by = {};
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

static bool reads(int kind) { return kind & Atomic || !(kind & Write); }
static Place_of_access where(const Did &did) { return {did.pc, did.kind(), did.thread(), block_of(did.when())}; }

/* The history is compared with what is done now. What stays of it comes into stay, newest first; true if it is less
 * than it was. seen: an atomic or volatile access that came before now has seen what others of the kind had written. */
static bool compare(Cell history, const Did &now, bool shared, std::vector<Did> &stay)
{
    bool seen = false, less = false;
    for (; history >= Roots; history = all[shared][history].before) {
        const History &h = all[shared][history];
        const Did then = h.last;
        if (then.when() < times.launch || (shared && then.when() < core->barrier && !h.pending)) return true;
        const bool before = ordered(then.when(), then.thread()), pending = then.kind() & Pending;
        const bool strong = then.kind() & (Atomic | Volatile), own = then.when() >= times.block;
        if (conflict(then, now, shared)) {
            if (pending && before) note_pending(where(then), where(now));
            else if (!before && !(strong && seen)) note_race(where(then), where(now), shared);
        }
        if (before && strong && reads(then.kind())) seen = true;
        bool stays = true;
        if (shared && then.when() < core->barrier) stays = pending;
        else if (pending) {}
        else if (then.pc == now.pc && then.kind() == now.kind()) stays = !(before || then.kind() & Atomic);
        if (stays && !own && !pending && unknown_to_others(then.when()))
            for (Did &other : stay)
                if (other.pc == then.pc && other.kind() == then.kind() && other.when() < times.block &&
                    unknown_to_others(other.when())) {
                    other = then; /* the older one stands for both */
                    stays = false;
                    break;
                }
        if (stays) stay.push_back(then);
        else less = true;
    }
    return less;
}

static bool contains(Cell history, const Did &did, bool shared)
{
    for (; history >= Roots; history = all[shared][history].before) {
        const Did &then = all[shared][history].last;
        if (then == did) return true;
        if (then.when() < times.block || (shared && then.when() < core->barrier)) return false;
    }
    return false;
}

static Cell extend(Cell history, const Did &did, bool shared)
{
    static std::vector<Did> stay;
    stay.clear();
    const bool written = was_written(history, shared);
    if (!(did.kind() & (Pending | Atomic | Volatile)) && contains(history, did, shared)) return history;
    if (!written && reads(did.kind())) note_unwritten(where(did), shared);
    if (compare(history, did, shared, stay)) {
        history = written ? Written : Unwritten;
        for (size_t i = stay.size(); i-- > 0;) history = make_history(history, stay[i], written, shared);
    }
    return make_history(history, did, written || did.kind() & Write, shared);
}

/* a copy under way has arrived: from now on it is an access like others, made now */
static Cell land(Cell history, const Did &did, bool shared)
{
    static std::vector<Did> list;
    list.clear();
    const bool written = was_written(history, shared);
    size_t set_out = 0;
    for (Cell h = history; h >= Roots; h = all[shared][h].before) {
        const Did &then = all[shared][h].last;
        list.push_back(then);
        if (then.pc == did.pc && then.thread() == did.thread() && then.kind() == (did.kind() | Pending))
            set_out = list.size(); /* the oldest */
    }
    if (!set_out) return history;
    list.erase(list.begin() + set_out - 1);
    history = written ? Written : Unwritten;
    for (size_t i = list.size(); i-- > 0;) history = make_history(history, list[i], written, shared);
    return make_history(history, did, written, shared);
}

static Cell step(Cell history, const Did &did, bool shared)
{
    const Cell next = did.kind() & Landing ? land(history, {did.stamp & ~(uint64_t)Landing, did.pc}, shared)
                                           : extend(history, did, shared);
    all[shared][history].by = did, all[shared][history].next = next;
    return next;
}

void check_access(Cell *cells, size_t bytes, int kind, bool shared, const void *pc)
{
    const Fiber *me = core->me;
    const Did did = {me->when << 16 | (uint64_t)me->thread << 6 | (uint64_t)kind, pc};
    for (size_t i = 0; i < bytes;) {
        const Cell history = cells[i];
        const History &h = all[shared][history];
        const Cell next = h.by == did ? h.next : step(history, did, shared);
        if (shared && history == Unwritten) core->touched += bytes; /* roughly: mostly all or none of the bytes */
        for (; i < bytes && cells[i] == history; i++) cells[i] = next;
    }
}
