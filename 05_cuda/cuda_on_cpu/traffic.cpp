/* Requests. A warp's lanes that pass one place in the source the same number of times since the last barrier are taken
 * to go together, as lanes in lock step would; a compiler for the GPU may join some of these, four floats in a row for
 * example.
 *
 * A request to global memory costs the sectors of 32 bytes that it touches. One to shared memory costs as many passes
 * as there are different words of 4 bytes in the busiest of 32 banks; 8 and 16 bytes a lane go by halves and quarters
 * of a warp. */
#include "machine.h"
#include <algorithm>
#include <map>
#include <set>
#include <utility>

struct Request {
    uintptr_t address[Warp];
    unsigned lanes; /* bit l: lane l takes part */
    size_t bytes;
    bool shared, write;
};
typedef std::pair<const void *, unsigned> Visit; /* place, how many times before */
static std::map<Visit, Request> requests[Max_threads / Warp];
static std::map<const void *, unsigned> visits[Max_threads];

void note_request(const void *p, size_t bytes, bool shared, bool write, const void *pc)
{
    const unsigned thread = core->me->thread, lane = thread % Warp;
    Request &r = requests[thread / Warp][Visit(pc, visits[thread][pc]++)];
    r.address[lane] = (uintptr_t)p;
    r.lanes |= 1u << lane;
    r.bytes = bytes, r.shared = shared, r.write = write;
}

static void count_sectors(const Request &r)
{
    std::set<uintptr_t> sectors;
    for (int l = 0; l < Warp; l++)
        if (r.lanes >> l & 1) sectors.insert(r.address[l] / 32), sectors.insert((r.address[l] + r.bytes - 1) / 32);
    core->counts.sectors[r.write] += sectors.size();
    core->counts.requests[r.write]++;
}

static void count_passes(const Request &r)
{
    const int together = r.bytes <= 4 ? Warp : 128 / (int)r.bytes;
    for (int first = 0; first < Warp; first += together) {
        std::set<uintptr_t> bank[32];
        size_t most = 0;
        for (int l = first; l < first + together; l++)
            for (uintptr_t w = r.address[l] / 4; r.lanes >> l & 1 && w <= (r.address[l] + r.bytes - 1) / 4; w++) {
                bank[w % 32].insert(w);
                most = std::max(most, bank[w % 32].size());
            }
        core->counts.passes += most;
        core->counts.passes_needed += most > 0;
    }
}

void flush_requests()
{
    for (auto &warp : requests) {
        for (const auto &visit : warp) visit.second.shared ? count_passes(visit.second) : count_sectors(visit.second);
        warp.clear();
    }
    for (auto &thread : visits) thread.clear();
}
void print_traffic() {}
