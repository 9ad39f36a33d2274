/* What a kernel does to memory beside plain reads and writes: cp.async, atomics. */
#include "machine.h"
#include <mutex>
#include <string.h>

/* ---- cp.async ---- */
void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros)
{
    const void *pc = __builtin_return_address(0);
    const Copy copy = {(unsigned char *)to, (const unsigned char *)from, bytes, zeros, core->me->group, pc};
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
        report(place_of(pc), "cp.async of a wrong size", core->me, "%zu bytes, %zu of them zeros; 4, 8 and 16 exist",
               bytes, zeros);
        fail(cudaErrorLaunchFailure);
    }
    if (((uintptr_t)to | (uintptr_t)from) & (bytes - 1)) {
        report(place_of(pc), "misaligned address", core->me, "a copy of %zu bytes from %p to %p", bytes, from, to);
        fail(cudaErrorMisalignedAddress);
    }
    if (core->launch->hooked) {
        if (bytes > zeros) access(from, bytes - zeros, Read | Pending, pc);
        access(to, bytes, Write | Pending, pc);
    }
    core->me->copies.push_back(copy);
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
        if (core->launch->hooked) arrived(c);
    }
    me->copies.erase(me->copies.begin(), me->copies.begin() + landed);
}

/* ---- atomics ---- */
void cuda_on_cpu_atomic(void *p, size_t bytes, void (*update)(void *, void *), void *with)
{
    static std::mutex one_at_a_time;
    const void *pc = __builtin_return_address(0);
    unsigned char old[16];
    give_turn(pc);
    if (core->launch->hooked) access(p, bytes, Read | Write | Atomic, pc);
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    memcpy(old, p, bytes);
    update(p, with);
    if (memcmp(old, p, bytes)) core->idle = 0; /* something has changed: who waits for it may go on */
}
