/* The runtime's functions: device memory, copies, errors, events. And what a kernel does to memory beside plain reads
 * and writes: cp.async and atomicAdd.
 *
 * Device memory is the host's; a list of allocations tells whose an address is. */
#include "cuda_pipeline.h"
#include "machine.h"
#include <chrono>
#include <map>
#include <mutex>
#include <stdlib.h>
#include <string.h>
#include <thread>

/* ---- errors ---- */
static cudaError_t last_error;

static bool sticks(cudaError_t error) { return error >= cudaErrorIllegalAddress; } /* the context is lost */
void set_error(cudaError_t error)
{
    if (!sticks(last_error)) last_error = error;
}
static cudaError_t failed(cudaError_t error) { return set_error(error), last_error; }

cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    if (!sticks(error)) last_error = cudaSuccess;
    return error;
}
cudaError_t cudaDeviceSynchronize() { return sticks(last_error) ? last_error : cudaSuccess; }

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorMisalignedAddress: return "misaligned address";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    }
    return "unrecognized error code";
}

/* ---- the device ---- */
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    if (device) return failed(cudaErrorInvalidValue);
    *p = {"the CPU, by cuda_on_cpu", 8, 0, (int)std::thread::hardware_concurrency(), Max_shared};
    return cudaSuccess;
}

/* ---- device memory ---- */
std::map<unsigned char *, Allocation> allocations;

cudaError_t cuda_on_cpu_malloc(void **p, size_t bytes)
{
    *p = NULL;
    if (bytes == 0) return cudaSuccess;
    if (bytes > SIZE_MAX / 2) return failed(cudaErrorMemoryAllocation);
    const size_t rounded = (bytes + 63) / 64 * 64;
    unsigned char *begin = (unsigned char *)aligned_alloc(64, rounded);
    if (!begin) return failed(cudaErrorMemoryAllocation);
    memset(begin, 0xff, rounded); /* NaN: nothing useful may be found there */
    allocations[begin] = {begin, bytes, cuda_on_cpu.check ? make_cells(bytes) : NULL};
    *p = begin;
    return cudaSuccess;
}
cudaError_t cudaFree(void *p)
{
    if (!p) return cudaSuccess;
    const auto found = allocations.find((unsigned char *)p);
    if (found == allocations.end()) return failed(cudaErrorInvalidValue);
    free(found->second.cells);
    free(p);
    allocations.erase(found);
    return cudaSuccess;
}
const Allocation *find_allocation(const void *p)
{
    auto next = allocations.upper_bound((unsigned char *)p);
    return next == allocations.begin() ? NULL : &(--next)->second;
}
bool holds(const Allocation *a, const void *p, size_t bytes)
{
    const unsigned char *begin = (const unsigned char *)p;
    return a && begin >= a->begin && begin + bytes <= a->begin + a->bytes;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (sticks(last_error)) return last_error;
    if (bytes == 0) return cudaSuccess;
    const Allocation *target = find_allocation(to);
    if (holds(target, to, bytes) != (kind == cudaMemcpyHostToDevice) ||
        holds(find_allocation(from), from, bytes) != (kind == cudaMemcpyDeviceToHost))
        return failed(cudaErrorInvalidValue);
    memcpy(to, from, bytes);
    if (kind == cudaMemcpyHostToDevice) initialised(*target, (unsigned char *)to - target->begin, bytes);
    return cudaSuccess;
}

/* ---- events ---- */
cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = new double(0), cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaDeviceSynchronize(); }
cudaError_t cudaEventRecord(cudaEvent_t event)
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    *event = std::chrono::duration<double, std::milli>(now).count();
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    *ms = (float)(*to - *from);
    return cudaDeviceSynchronize();
}

/* ---- cp.async ---- */
void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros)
{
    const void *pc = __builtin_return_address(0);
    const Copy copy = {(unsigned char *)to, (const unsigned char *)from, bytes, zeros, core->me->group, pc};
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
        report(place_of(pc), "cp.async of a wrong size", core->me, "%zu bytes, %zu of them zeros; 4, 8 and 16 exist", bytes,
               zeros);
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
template <class T> static T add(T *address, T x, const void *pc)
{
    static std::mutex one_at_a_time;
    give_turn(pc);
    if (core->launch->hooked) access(address, sizeof *address, Read | Write | Atomic, pc);
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    const T old = *address;
    *address = old + x;
    if (memcmp(&old, address, sizeof old)) core->idle = 0;
    return old;
}
float atomicAdd(float *address, float x) { return add(address, x, __builtin_return_address(0)); }
int atomicAdd(int *address, int x) { return add(address, x, __builtin_return_address(0)); }
