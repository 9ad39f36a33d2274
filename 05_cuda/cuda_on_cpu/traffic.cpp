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
#include <stdio.h>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

struct Request {
    uintptr_t address[Warp];
    unsigned lanes; /* bit l: lane l takes part */
    size_t bytes;
    bool shared, write;
};
typedef std::pair<const void *, unsigned> Visit; /* place, how many times before */
struct Hash {
    size_t operator()(const Visit &v) const { return (size_t)v.first * 0x9e3779b97f4a7c15 + v.second * 0x85ebca6b; }
};
static std::unordered_map<Visit, Request, Hash> requests[Max_threads / Warp];
static std::unordered_map<const void *, unsigned> visits[Max_threads];

/* what each place has cost so far */
struct Cost { size_t requests, units, least; }; /* units: sectors, or passes; least: if all lay side by side */
typedef std::tuple<const void *, bool, bool> Place; /* where, shared, write */
static std::map<Place, Cost> &costs = *new std::map<Place, Cost>; /* still there when the program ends */

void note_request(const void *p, size_t bytes, bool shared, bool write, const void *pc)
{
    const unsigned thread = core->me->thread, lane = thread % Warp;
    Request &r = requests[thread / Warp][Visit(pc, visits[thread][pc]++)];
    r.address[lane] = (uintptr_t)p;
    r.lanes |= 1u << lane;
    r.bytes = bytes, r.shared = shared, r.write = write;
}

static Cost count_sectors(const Request &r)
{
    uintptr_t sector[2 * Warp];
    size_t n = 0;
    for (int l = 0; l < Warp; l++)
        if (r.lanes >> l & 1) sector[n++] = r.address[l] / 32, sector[n++] = (r.address[l] + r.bytes - 1) / 32;
    std::sort(sector, sector + n);
    n = std::unique(sector, sector + n) - sector;
    core->counts.sectors[r.write] += n;
    core->counts.requests[r.write]++;
    return {1, n, (__builtin_popcount(r.lanes) * r.bytes + 31) / 32};
}

static Cost count_passes(const Request &r)
{
    Cost cost = {1, 0, 0};
    const int together = r.bytes <= 4 ? Warp : 128 / (int)r.bytes;
    for (int first = 0; first < Warp; first += together) {
        std::vector<uintptr_t> bank[32]; /* the words that it is asked for */
        size_t most = 0;
        for (int l = first; l < first + together; l++)
            for (uintptr_t w = r.address[l] / 4; r.lanes >> l & 1 && w <= (r.address[l] + r.bytes - 1) / 4; w++) {
                std::vector<uintptr_t> &words = bank[w % 32];
                if (std::find(words.begin(), words.end(), w) == words.end()) words.push_back(w);
                most = std::max(most, words.size());
            }
        cost.units += most, cost.least += most > 0;
    }
    core->counts.passes += cost.units, core->counts.passes_needed += cost.least;
    return cost;
}

void flush_requests()
{
    for (auto &warp : requests) {
        for (const auto &visit : warp) {
            const Request &r = visit.second;
            const Cost cost = r.shared ? count_passes(r) : count_sectors(r);
            Cost &sum = costs[Place(visit.first.first, r.shared, r.write)];
            sum.requests += cost.requests, sum.units += cost.units, sum.least += cost.least;
        }
        warp.clear();
    }
    for (auto &thread : visits) thread.clear();
}
/* a table by source line */
void print_traffic()
{
    std::map<std::tuple<std::string, int, bool, bool>, Cost> lines;
    for (const auto &entry : costs) {
        const std::string place = place_of(std::get<0>(entry.first));
        const size_t colon = place.find(':');
        const int line = colon == std::string::npos ? 0 : atoi(place.c_str() + colon + 1);
        Cost &sum = lines[{place.substr(0, colon), line, std::get<1>(entry.first), std::get<2>(entry.first)}];
        const Cost &c = entry.second;
        sum.requests += c.requests, sum.units += c.units, sum.least += c.least;
    }
    printf("\n%-32s %-14s %10s  %s\n", "line", "", "requests", "sectors or passes a request, and the least possible");
    for (const auto &entry : lines) {
        const Cost &c = entry.second;
        const bool shared = std::get<2>(entry.first), write = std::get<3>(entry.first);
        const std::string place = std::get<0>(entry.first) + ":" + std::to_string(std::get<1>(entry.first));
        printf("%-32s %s %-7s %10zu  %6.2f %s  %6.2f\n", place.c_str(), write ? "writes" : "reads ",
               shared ? "shared" : "global", c.requests, (double)c.units / c.requests, shared ? "passes " : "sectors",
               (double)c.least / c.requests);
    }
    fflush(stdout);
}
