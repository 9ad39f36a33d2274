/* Launches: every block of the grid on some core, every thread of the block in turn until it is done.
 *
 * A round gives each thread that is ready one turn, in ascending, descending or random order. A turn ends at a barrier
 * or a warp operation. When nobody is ready, all must be at the same barrier, and it opens; or something is wrong. */
#include "machine.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <stdio.h>
#include <string.h>
#include <string>
#include <thread>
#include <vector>

struct cuda_on_cpu cuda_on_cpu;
__thread cuda_on_cpu_place_in_grid cuda_on_cpu_now;
static std::map<const void *, int> raised; /* a kernel's limit of dynamic shared memory, by cudaFuncSetAttribute */
static std::atomic<bool> given_up;
enum { Patience = 1 << 17 }; /* turns given up in a row, until it is taken for certain that nothing will change */

void *cuda_on_cpu_shared() { return core->shared; }

Fiber *next_ready()
{
    while (core->position < core->threads) {
        Fiber *f = &core->fiber[core->turn[core->position++]];
        if (f->state == Ready) return f;
    }
    return &core->host;
}

/* what a fiber does all its life: one turn of the loop a block */
static void thread_of_each_block()
{
    for (;;) {
        core->launch->run(core->launch->arguments);
        core->me->state = Done;
        core->live--;
        core->idle = 0;
        end_lane(core->me);
        switch_to(next_ready());
    }
}

void fail(cudaError_t error)
{
    set_error(error);
    given_up = true;
    if (core && core->me != &core->host) switch_to(&core->host); /* and nobody comes back */
}

void __syncthreads(const char *file, int line)
{
    Fiber *f = core->me;
    f->state = At_barrier, f->file = file, f->line = line;
    core->waiting++;
    switch_to(next_ready());
}
int __syncthreads_count(int predicate, const char *file, int line)
{
    core->me->vote = predicate != 0;
    __syncthreads(file, line);
    return core->votes;
}

/* where a thread waits, for a sentence */
static std::string waits_at(const Fiber &f)
{
    return f.state == Ready ? place_of(f.spins) : f.file + (":" + std::to_string(f.line));
}
static bool outside(const Fiber &f) { return f.state == At_warp && !(f.mask >> f.thread % Warp & 1); }

/* nobody can go on: one thread is told for every place where threads wait; first whoever waits outside of its mask */
static void stuck()
{
    std::map<std::string, const Fiber *> waiting;
    const Fiber *first = NULL;
    for (unsigned t = 0; t < core->threads; t++) {
        const Fiber &f = core->fiber[t];
        if (f.state == Done) continue;
        waiting.emplace(waits_at(f), &f);
        if (!first || (outside(f) && !outside(*first))) first = &f;
    }
    std::string others;
    for (const auto &place : waiting)
        if (place.first != waits_at(*first))
            others += (others.empty() ? "; so do thread " : ", thread ") + std::to_string(place.second->thread) +
                      " at " + place.first;
    const char *kind = first->state == Ready ? "endless wait" :
                       first->state == At_warp ? "divergent warp operation" : "divergent barrier";
    report(waits_at(*first).c_str(), kind, first, "%s, and nobody can go on%s",
           outside(*first) ? "waits outside of its own mask" :
           first->state == Ready ? "waits for memory to change" : "waits for threads that do not come", others.c_str());
    fail(cudaErrorLaunchFailure);
}

/* An atomic or volatile access may be one of many that wait for another thread, so the others have their turns first.
 * Nothing but such accesses for a very long time: nobody will change what they ask for. */
void give_turn(const void *pc)
{
    core->me->spins = pc;
    if (++core->idle > Patience) stuck();
    switch_to(next_ready());
}

static bool same_place(const Fiber *a, const Fiber *b)
{
    return a->state == b->state && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* opens the barrier if all are there; what else can be the matter is reported */
static void open_barrier()
{
    const Fiber *first = NULL, *done = NULL;
    bool together = true;
    for (unsigned t = 0; t < core->threads; t++) {
        const Fiber *f = &core->fiber[t];
        if (f->state == Done) done = done ? done : f;
        else if (!first) first = f;
        else together = together && same_place(f, first);
    }
    if (core->waiting < core->live || !together) return stuck(); /* a GPU hangs here, or goes on with half of them */
    if (done && cuda_on_cpu.check) {
        const std::string place = std::string(first->file) + ":" + std::to_string(first->line);
        report(place.c_str(), "missing barrier", first, "thread %u ended without this __syncthreads", done->thread);
    }

    core->waiting = core->votes = core->idle = 0;
    for (Fiber *f = core->fiber; f < core->fiber + core->threads; f++)
        if (f->state == At_barrier) {
            f->state = Ready;
            core->votes += f->vote, f->vote = 0;
        }
    if (core->launch->hooked && cuda_on_cpu.traffic) flush_requests();
    if (core->checked) order_block(), tidy_shared();
}

static void deal_turns()
{
    for (unsigned t = 0; t < core->threads; t++)
        core->turn[t] = cuda_on_cpu.order == CUDA_DESCENDING ? core->threads - 1 - t : t;
    if (cuda_on_cpu.order == CUDA_RANDOM)
        for (unsigned t = core->threads; t > 1; t--) {
            core->random = core->random * 1664525u + 1013904223u;
            std::swap(core->turn[t - 1], core->turn[(core->random >> 8) % t]);
        }
    core->position = 0;
}

static void begin_block(size_t number)
{
    const dim3 grid = core->launch->grid, block = core->launch->block;
    cuda_on_cpu_now.blocks = grid, cuda_on_cpu_now.threads = block;
    cuda_on_cpu_now.block = {(unsigned)(number % grid.x), (unsigned)(number / grid.x % grid.y),
                             (unsigned)(number / grid.x / grid.y)};
    core->threads = core->live = block.x * block.y * block.z;
    core->waiting = core->idle = 0;
    core->touched = 0;
    core->random = cuda_on_cpu.seed * 2654435761u + (unsigned)number;
    memset(core->shared, 0xff, core->launch->shared); /* NaN: nothing useful may be found there */
    for (unsigned t = 0; t < core->threads; t++) {
        Fiber *f = &core->fiber[t];
        if (!f->stack || f->state != Done) make_fiber(f, thread_of_each_block); /* new, or given up */
        f->thread = t;
        f->index = {t % block.x, t / block.x % block.y, t / (block.x * block.y)};
        f->state = Ready;
        f->copies.clear(), f->group = 0;
    }
    for (unsigned w = 0; w * Warp < core->threads; w++) {
        const unsigned left = core->threads - w * Warp;
        core->warp[w].ended = left < Warp ? ~0u << left : 0;
        core->warp[w].meetings = 0;
    }
    if (core->checked) begin_block_time(), forget_shared();
}

/* static shared memory stays within 48 KB, and within what the dynamic leaves of all that this launch may have */
static size_t most_static(const cuda_on_cpu_launch &l)
{
    const size_t most = raised.count(l.kernel) ? Max_shared : Default_shared;
    return std::min(most - l.shared, (size_t)Default_shared);
}

static void run_block(const cuda_on_cpu_launch &launch, size_t number)
{
    static __thread Core *mine;
    if (!mine) {
        mine = new Core();
        mine->statics = static_shared(&mine->statics_bytes);
    }
    core = mine;
    core->launch = &launch;
    core->checked = launch.hooked && cuda_on_cpu.check;
    core->most_static = most_static(launch);
    if (core->checked && !core->cells)
        core->cells = make_cells(Max_shared), core->static_cells = make_cells(core->statics_bytes);
    core->me = &core->host;
    core->last = NULL;
    begin_block(number);
    while (core->live && !given_up) {
        deal_turns();
        Fiber *first = next_ready();
        if (first != &core->host) switch_to(first);
        else if (!answer_masks()) open_barrier();
    }
    for (unsigned t = 0; t < core->threads; t++) /* given up in the middle of a kernel */
        if (core->fiber[t].state != Done) end_fiber(&core->fiber[t]);
    if (launch.hooked && cuda_on_cpu.traffic) flush_requests();
#pragma omp critical
    {
        unsigned long long *total = (unsigned long long *)&cuda_on_cpu.counts;
        const unsigned long long *part = (const unsigned long long *)&core->counts;
        for (size_t i = 0; i < sizeof core->counts / sizeof *part; i++) total[i] += part[i];
    }
    core->counts = {};
    core = NULL;
}

static cudaError_t refused(const cuda_on_cpu_launch &l)
{
    const dim3 g = l.grid, b = l.block;
    const bool grid = g.x && g.y && g.z && g.x <= 0x7fffffff && g.y < 65536 && g.z < 65536;
    const bool block = b.x && b.y && b.z && (size_t)b.x * b.y * b.z <= Max_threads && b.z <= 64;
    if (!grid || !block) return cudaErrorInvalidConfiguration;
    const auto limit = raised.find(l.kernel);
    if (l.shared > (limit == raised.end() ? (size_t)Default_shared : limit->second)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cuda_on_cpu_set_attribute(const void *kernel, cudaFuncAttribute, int value)
{
    if (value < 0 || value > Max_shared) return set_error(cudaErrorInvalidValue), cudaErrorInvalidValue;
    raised[kernel] = value;
    return cudaSuccess;
}

void cuda_on_cpu_launch_bounds(unsigned threads, unsigned, unsigned)
{
    if (core->threads > threads) fail(cudaErrorInvalidValue);
}
void __trap() { fail(cudaErrorLaunchFailure); }
long long clock64()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

void cuda_on_cpu_run(const cuda_on_cpu_launch &launch)
{
    if (given_up) return; /* as on a GPU, the error stays */
    if (const cudaError_t error = refused(launch)) return set_error(error);
    const size_t blocks = (size_t)launch.grid.x * launch.grid.y * launch.grid.z;
#ifdef __APPLE__ /* static shared memory is there once */
    cuda_on_cpu.cores = 1;
#endif
    const bool alone = blocks == 1 || (launch.hooked && (cuda_on_cpu.check || cuda_on_cpu.traffic));
    const int wanted = cuda_on_cpu.cores ? cuda_on_cpu.cores : std::thread::hardware_concurrency();
    const int cores = alone ? 1 : wanted;
    (void)cores; /* without OpenMP there is one */
    if (cuda_on_cpu.check) begin_launch_time();
#pragma omp parallel for schedule(dynamic) num_threads(cores)
    for (size_t block = 0; block < blocks; block++)
        if (!given_up) run_block(launch, block);
    if (cuda_on_cpu.check) tell_findings(launch.grid);
    given_up = sticks(cudaPeekAtLastError());
}
