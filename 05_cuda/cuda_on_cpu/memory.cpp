/* What a kernel does to memory beside plain reads and writes: cp.async, atomics, fences. */
#include "cuda_pipeline.h"
#include "machine.h"
#include <mutex>
#include <string.h>

/* ---- cp.async ---- */
void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros)
{
    const void *pc = __builtin_return_address(0);
    if (core->launch->hooked) {
        if (bytes > zeros) access(from, bytes - zeros, Read, pc);
        access(to, bytes, Write, pc); /* it may land at once */
        mark_pending(to, bytes, true);
    }
    core->me->copies.push_back({(unsigned char *)to, (const unsigned char *)from, bytes, zeros, core->me->group});
}
void __pipeline_commit() { core->me->group++; }
void __pipeline_wait_prior(int groups)
{
    Fiber *me = core->me;
    size_t landed = 0;
    for (; landed < me->copies.size() && me->copies[landed].group < me->group - groups; landed++) {
        const Copy &c = me->copies[landed];
        memcpy(c.to, c.from, c.bytes - c.zeros);
        memset(c.to + c.bytes - c.zeros, 0, c.zeros);
        if (core->launch->hooked) mark_pending(c.to, c.bytes, false);
    }
    me->copies.erase(me->copies.begin(), me->copies.begin() + landed);
}

/* ---- atomics ---- */
void cuda_on_cpu_atomic(void *p, size_t bytes, void (*update)(void *, void *), void *with)
{
    static std::mutex one_at_a_time;
    if (core->launch->hooked) access(p, bytes, Atomic, __builtin_return_address(0));
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    update(p, with);
}
void __threadfence() {}
void __threadfence_block() {}
