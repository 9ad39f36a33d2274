/* What happens before what.
 *
 * One clock ticks for all: at every launch, block, barrier, __syncwarp and fence. A thread's accesses carry the time of
 * its last tick. Blocks run one after the other while checks are on, so a time also tells the launch and the block.
 * An access happened before what a thread does now if
 *     it belongs to an earlier launch, or to the thread itself;
 *     it is of the same block, and older than the block's last barrier;
 *     it is of the same warp, and older than what the thread has seen of that lane: __syncwarp hands this on among the
 *     lanes of its mask, so it grows as far as the order goes, and no further;
 *     it is of any other thread, and known by way of a fence: what a thread knows at a __threadfence goes out with its
 *     next atomic or volatile write, and comes in with another thread's atomic or volatile read of the same place.
 * The first three are a vector clock of which most entries are equal and therefore kept once; the last is one in
 * pairs of thread and time, empty for kernels without fences. */
#include "machine.h"
#include <algorithm>
#include <unordered_map>

static Time now = 1;
Times times;
static std::vector<Time> block_began; /* of this launch's blocks, as they were run */
static std::vector<char> told;        /* which of them have let others know anything */

unsigned block_of(Time when)
{
    return std::upper_bound(block_began.begin(), block_began.end(), when) - block_began.begin() - 1;
}
bool unknown_to_others(Time when) { return !told[block_of(when)]; }

/* ---- clocks of other threads ---- */
enum { All = 2047 }; /* in place of a thread: all of its block */
static uint64_t key(unsigned block, unsigned thread) { return (uint64_t)block << 11 | thread; }

static bool join(Clock &clock, const Clock &more)
{
    if (more.empty()) return false;
    Clock both;
    size_t i = 0;
    for (const auto &entry : more) {
        while (i < clock.size() && clock[i].first < entry.first) both.push_back(clock[i++]);
        both.push_back(entry);
        if (i < clock.size() && clock[i].first == entry.first)
            both.back().second = std::max(entry.second, clock[i++].second);
    }
    both.insert(both.end(), clock.begin() + i, clock.end());
    const bool grown = both != clock;
    clock.swap(both);
    return grown;
}
static void join(Clocks &clocks, const Clocks &more)
{
    join(clocks.known, more.known), join(clocks.fence[0], more.fence[0]), join(clocks.fence[1], more.fence[1]);
}
static bool covers(const Clock &clock, uint64_t who, Time when)
{
    const auto at = std::lower_bound(clock.begin(), clock.end(), std::make_pair(who, (Time)0));
    return at != clock.end() && at->first == who && at->second > when;
}
static bool known(unsigned block, unsigned thread, Time when)
{
    if (core->me->clocks.known.empty() && core->clocks.known.empty()) return false;
    for (const Clock *clock : {&core->me->clocks.known, &core->clocks.known})
        if (!clock->empty() && (covers(*clock, key(block, All), when) || covers(*clock, key(block, thread), when)))
            return true;
    return false;
}

bool ordered(Time when, unsigned thread)
{
    if (when < times.launch) return true;
    if (when < times.block) return known(block_of(when), thread, when);
    const unsigned me = core->me->thread;
    if (thread == me || when < core->barrier) return true;
    return (thread / Warp == me / Warp && when < core->me->seen[thread % Warp]) ||
           known(block_began.size() - 1, thread, when);
}

/* ---- ticks ---- */
struct Told { /* what was let out with the last atomic or volatile write of a place */
    Clock fence[2];
    unsigned block;
    bool shared;
};
static std::unordered_map<const void *, Told> places;

void begin_launch_time()
{
    times.launch = ++now;
    block_began.clear(), told.clear(), places.clear();
}
void begin_block_time()
{
    block_began.push_back(times.block = ++now);
    told.push_back(0);
    core->barrier = now;
    core->clocks = {};
    for (auto place = places.begin(); place != places.end();)
        place = place->second.shared ? places.erase(place) : std::next(place);
    for (unsigned t = 0; t < core->threads; t++) {
        Fiber &f = core->fiber[t];
        f.when = now, f.clocks = {};
        std::fill(f.seen, f.seen + Warp, 0);
    }
}
void order_block()
{
    core->barrier = ++now;
    for (unsigned t = 0; t < core->threads; t++) {
        Fiber &f = core->fiber[t];
        f.when = now;
        join(core->clocks, f.clocks);
        f.clocks = {};
    }
}
void order_lanes(Fiber *warp, unsigned lanes)
{
    Time seen[Warp] = {};
    Clocks clocks;
    ++now;
    for (int l = 0; l < Warp; l++)
        if (lanes >> l & 1) {
            for (int other = 0; other < Warp; other++) seen[other] = std::max(seen[other], warp[l].seen[other]);
            join(clocks, warp[l].clocks);
        }
    for (int l = 0; l < Warp; l++)
        if (lanes >> l & 1) seen[l] = now;
    for (int l = 0; l < Warp; l++)
        if (lanes >> l & 1) {
            std::copy(seen, seen + Warp, warp[l].seen);
            warp[l].when = now;
            warp[l].clocks = clocks;
        }
}

/* all that this thread knows, itself included */
static void fence(bool device)
{
    Fiber *me = core->me;
    const unsigned block = block_began.size() - 1, first = me->thread / Warp * Warp;
    me->when = ++now;
    Clock all;
    for (unsigned l = 0; l < Warp; l++) {
        const Time seen = first + l == me->thread ? now : me->seen[l];
        if (seen > core->barrier) all.push_back({key(block, first + l), seen});
    }
    all.push_back({key(block, All), core->barrier});
    join(all, me->clocks.known), join(all, core->clocks.known);
    join(me->clocks.fence[0], all);
    if (device) join(me->clocks.fence[1], all);
}
void __threadfence_block() { if (core->launch->hooked && cuda_on_cpu.check) fence(false); }
void __threadfence() { if (core->launch->hooked && cuda_on_cpu.check) fence(true); }

/* an atomic or volatile access, which lets out what came before a fence, and takes in what others have let out */
void pass_on(const void *p, int kind, bool shared)
{
    Fiber *me = core->me;
    const bool fenced = !me->clocks.fence[0].empty() || !core->clocks.fence[0].empty();
    if (places.empty() && !fenced) return;
    const unsigned block = block_began.size() - 1;
    const auto found = places.find(p);
    if (found != places.end() && (kind & Atomic || !(kind & Write))) {
        bool news = join(me->clocks.known, found->second.fence[1]);
        if (found->second.block == block) news |= join(me->clocks.known, found->second.fence[0]);
        if (news) me->when = ++now;
    }
    if (!(kind & Write)) return;
    if (found != places.end() && !(kind & Atomic)) places.erase(p); /* what it wrote over is not seen any more */
    if (!fenced) return;
    Told &place = places[p];
    if (place.block != block) place.fence[0].clear();
    place.block = block, place.shared = shared;
    told[block] = 1;
    for (int scope = 0; scope < 2; scope++)
        join(place.fence[scope], me->clocks.fence[scope]), join(place.fence[scope], core->clocks.fence[scope]);
}
