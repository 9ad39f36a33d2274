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
static std::map<const void *, int> shared_limit; /* by kernel, where cudaFuncSetAttribute has raised it */
static std::atomic<bool> given_up;

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
        end_lane(core->me);
        switch_to(next_ready());
    }
}

void fail(cudaError_t error)
{
    set_error(error);
    given_up = true;
    if (core && core->launch && core->me != &core->host) switch_to(&core->host); /* and nobody comes back */
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

static bool same_place(const Fiber *a, const Fiber *b)
{
    return a->state == b->state && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* nobody can go on: the first thread that waits, and one at each of the other places where threads wait */
static void stuck()
{
    const Fiber *first = NULL;
    std::vector<const Fiber *> seen;
    std::string others;
    for (unsigned t = 0; t < core->threads; t++) {
        const Fiber *f = &core->fiber[t];
        const auto same = [f](const Fiber *other) { return same_place(f, other); };
        if (f->state == Done || std::any_of(seen.begin(), seen.end(), same)) continue;
        seen.push_back(f);
        if (!first) first = f;
        else others += (others.empty() ? ", thread " : "; thread ") + std::to_string(t) + " at " + f->file + ":" +
                       std::to_string(f->line);
    }
    const bool barrier = first->state == At_barrier;
    const std::string place = std::string(first->file) + ":" + std::to_string(first->line);
    const bool outside = !barrier && !(first->mask >> first->thread % Warp & 1);
    report(place.c_str(), barrier ? "divergent barrier" : "divergent warp operation", first,
           outside ? "a thread waits outside of its own mask%s" : "threads wait for others that never come%s",
           others.c_str());
    fail(cudaErrorLaunchFailure);
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

    core->waiting = core->votes = 0;
    for (Fiber *f = core->fiber; f < core->fiber + core->threads; f++)
        if (f->state == At_barrier) {
            f->state = Ready, f->warp_epoch = 0;
            core->votes += f->vote, f->vote = 0;
        }
    if (core->launch->hooked && cuda_on_cpu.traffic) flush_requests();
    new_epoch(New_barrier);
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
    core->waiting = 0;
    core->random = cuda_on_cpu.seed * 2654435761u + (unsigned)number;
    memset(core->shared, 0xff, core->launch->shared); /* NaN: nothing useful may be found there */
    for (unsigned t = 0; t < core->threads; t++) {
        Fiber *f = &core->fiber[t];
        if (!f->stack) make_fiber(f, thread_of_each_block);
        f->thread = t;
        f->index = {t % block.x, t / block.x % block.y, t / (block.x * block.y)};
        f->state = Ready, f->warp_epoch = 0;
        f->copies.clear(), f->group = 0;
    }
    for (unsigned w = 0; w * Warp < core->threads; w++) {
        const unsigned left = core->threads - w * Warp;
        core->warp[w].ended = left < Warp ? ~0u << left : 0;
        core->warp[w].meetings = 0;
    }
    new_epoch(New_block);
}

static void run_block(const cuda_on_cpu_launch &launch, size_t number)
{
    if (!core) core = new Core(), core->statics = static_shared();
    core->launch = &launch;
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
    core->launch = NULL;
#pragma omp critical
    {
        unsigned long long *total = (unsigned long long *)&cuda_on_cpu.counts;
        const unsigned long long *part = (const unsigned long long *)&core->counts;
        for (size_t i = 0; i < sizeof core->counts / sizeof *part; i++) total[i] += part[i];
    }
    core->counts = {};
}

static cudaError_t refused(const cuda_on_cpu_launch &l)
{
    const dim3 g = l.grid, b = l.block;
    const bool grid = g.x && g.y && g.z && g.x <= 0x7fffffff && g.y < 65536 && g.z < 65536;
    const bool block = b.x && b.y && b.z && (size_t)b.x * b.y * b.z <= Max_threads && b.z <= 64;
    if (!grid || !block) return cudaErrorInvalidConfiguration;
    const auto raised = shared_limit.find(l.kernel);
    const size_t limit = raised == shared_limit.end() ? (size_t)Default_shared : raised->second;
    return l.shared > limit ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cuda_on_cpu_set_attribute(const void *kernel, cudaFuncAttribute, int value)
{
    if (value < 0 || value > Max_shared) return set_error(cudaErrorInvalidValue), cudaErrorInvalidValue;
    shared_limit[kernel] = value;
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
    const bool alone = blocks == 1 || (launch.hooked && (cuda_on_cpu.check || cuda_on_cpu.traffic));
    const int wanted = cuda_on_cpu.cores ? cuda_on_cpu.cores : std::thread::hardware_concurrency();
    const int cores = alone ? 1 : wanted;
    (void)cores; /* without OpenMP there is one */
    new_epoch(New_launch);
#pragma omp parallel for schedule(dynamic) num_threads(cores)
    for (size_t block = 0; block < blocks; block++)
        if (!given_up) run_block(launch, block);
    given_up = sticks(cudaPeekAtLastError());
}
