/* The runtime's functions: errors, the device, memory and copies, streams and events.
 *
 * Device memory is the host's; a list of allocations tells whose an address is. Variables in device memory lie in
 * sections of the program that the linker tells the ends of. */
#include "machine.h"
#include <algorithm>
#include <chrono>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <thread>

/* ---- errors ---- */
static cudaError_t last_error;

bool sticks(cudaError_t error)
{
    return error >= cudaErrorIllegalAddress && error <= cudaErrorLaunchFailure &&
           error != cudaErrorLaunchOutOfResources;
}
void set_error(cudaError_t error)
{
    if (!sticks(last_error)) last_error = error;
}
static cudaError_t failed(cudaError_t error) { return set_error(error), last_error; }

cudaError_t cudaPeekAtLastError() { return last_error; }
cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    if (!sticks(error)) last_error = cudaSuccess;
    return error;
}
cudaError_t cudaDeviceSynchronize() { return sticks(last_error) ? last_error : cudaSuccess; }

static const struct { cudaError_t error; const char *name, *text; } errors[] = {
#define ROW(name, number, text) {name, #name, text},
    CUDA_ON_CPU_ERRORS(ROW)
};
const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &e : errors)
        if (e.error == error) return e.text;
    return "unrecognized error code";
}
const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &e : errors)
        if (e.error == error) return e.name;
    return "unrecognized error code";
}

/* What assert of the C library calls, by its name there: a kernel's ends the launch, the host's the program. */
#ifdef __APPLE__
extern "C" void assertion_failed(const char *, const char *file, int line, const char *what) __asm__("___assert_rtn");
void assertion_failed(const char *, const char *file, int line, const char *what)
#else
extern "C" void assertion_failed(const char *what, const char *file, int line) __asm__("__assert_fail");
void assertion_failed(const char *what, const char *file, int line)
#endif
{
    const char *slash = strrchr(file, '/');
    const std::string place = std::string(slash ? slash + 1 : file) + ":" + std::to_string(line);
    if (core) report(place.c_str(), "assertion failed", core->me, "%s", what), fail(cudaErrorAssert);
    fprintf(stderr, "%s: assertion failed: %s\n", place.c_str(), what);
    abort();
}

/* ---- the device ---- */
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return device ? failed(cudaErrorInvalidDevice) : cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    if (device) return failed(cudaErrorInvalidDevice);
    *p = {};
    strcpy(p->name, "the CPU, by cuda_on_cpu");
    p->major = 8, p->minor = 0, p->multiProcessorCount = (int)std::thread::hardware_concurrency();
    p->totalGlobalMem = Device_memory, p->totalConstMem = 64 * 1024;
    p->sharedMemPerBlock = Default_shared;
    p->sharedMemPerBlockOptin = p->sharedMemPerMultiprocessor = Max_shared;
    p->regsPerBlock = p->regsPerMultiprocessor = 64 * 1024;
    p->warpSize = Warp, p->maxThreadsPerBlock = Max_threads, p->maxThreadsPerMultiProcessor = 2 * Max_threads;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = Max_threads, p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff, p->maxGridSize[1] = p->maxGridSize[2] = 0xffff;
    p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->integrated = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p.sharedMemPerBlockOptin; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrIntegrated: case cudaDevAttrManagedMemory: *value = 1; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    default: *value = 0; /* clocks, modes, concurrency */
    }
    return cudaSuccess;
}

/* ---- memory ---- */
std::map<unsigned char *, Allocation> &allocations() /* there before any of the program's own variables */
{
    static std::map<unsigned char *, Allocation> all;
    return all;
}
static size_t in_use;

static bool allocated(unsigned char *begin, size_t bytes, bool host, bool written)
{
    Cell *cells = cuda_on_cpu.check ? make_cells(bytes) : NULL;
    if (cuda_on_cpu.check && !cells) return false;
    const Allocation &a = allocations()[begin] = {begin, bytes, cells, host};
    if (written) initialised(a, 0, bytes);
    return true;
}
#ifdef __ELF__ /* see cuda_runtime.h */
#define SECTION_END(name) extern unsigned char name[] __attribute__((weak, visibility("hidden")))
extern "C" {
SECTION_END(__start_cuda_on_cpu_device);
SECTION_END(__stop_cuda_on_cpu_device);
SECTION_END(__start_cuda_on_cpu_managed);
SECTION_END(__stop_cuda_on_cpu_managed);
}
static const bool variables = [] {
    unsigned char *const ends[][2] = {{__start_cuda_on_cpu_device, __stop_cuda_on_cpu_device},
                                      {__start_cuda_on_cpu_managed, __stop_cuda_on_cpu_managed}};
    for (int host = 0; host < 2; host++)
        if (ends[host][0]) allocated(ends[host][0], ends[host][1] - ends[host][0], host, true);
    return true;
}();
#endif

/* what the host may use is taken for written: not all of its own writes are seen */
cudaError_t cuda_on_cpu_malloc(void **p, size_t bytes, bool host)
{
    *p = NULL;
    if (bytes == 0) return cudaSuccess;
    if (bytes > Device_memory - in_use) return failed(cudaErrorMemoryAllocation);
    unsigned char *begin = (unsigned char *)aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!begin) return failed(cudaErrorMemoryAllocation);
    memset(begin, 0xff, std::min(bytes, (size_t)1 << 28)); /* NaN: nothing useful may be found there */
    if (!allocated(begin, bytes, host, host)) return free(begin), failed(cudaErrorMemoryAllocation);
    in_use += bytes;
    *p = begin;
    return cudaSuccess;
}
cudaError_t cudaFree(void *p)
{
    if (!p) return cudaSuccess;
    const auto found = allocations().find((unsigned char *)p);
    if (found == allocations().end()) return failed(cudaErrorInvalidValue);
    in_use -= found->second.bytes;
    free(found->second.cells);
    free(p);
    allocations().erase(found);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void *p) { return cudaFree(p); }
cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    return *all = Device_memory, *left = Device_memory - in_use, cudaSuccess;
}
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    if (!p || !bytes) return failed(cudaErrorInvalidValue);
    return allocated((unsigned char *)p, bytes, true, true), cudaSuccess;
}
cudaError_t cudaHostUnregister(void *p)
{
    return allocations().erase((unsigned char *)p) ? cudaSuccess : failed(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceReset()
{
    return cudaDeviceSynchronize();
}

const Allocation *find_allocation(const void *p)
{
    auto next = allocations().upper_bound((unsigned char *)p);
    return next == allocations().begin() ? NULL : &(--next)->second;
}
bool holds(const Allocation *a, const void *p, size_t bytes)
{
    const unsigned char *begin = (const unsigned char *)p;
    return a && begin >= a->begin && begin + bytes <= a->begin + a->bytes;
}

/* whether p may stand at one end of a copy: the device's memory, or the host's */
static bool fits(const void *p, size_t bytes, bool device)
{
    const Allocation *a = find_allocation(p);
    if (holds(a, p, bytes)) return device || a->host;
    return !device && !holds(a, p, 1);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (sticks(last_error)) return last_error;
    if (bytes == 0) return cudaSuccess;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return failed(cudaErrorInvalidMemcpyDirection);
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = any ? holds(find_allocation(to), to, 1) : kind & cudaMemcpyHostToDevice;
    const bool from_device = any ? holds(find_allocation(from), from, 1) : kind & cudaMemcpyDeviceToHost;
    if (!to || !from || !fits(to, bytes, to_device) || !fits(from, bytes, from_device))
        return failed(cudaErrorInvalidValue);
    memmove(to, from, bytes);
    if (to_device) initialised(*find_allocation(to), (unsigned char *)to - find_allocation(to)->begin, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    if (sticks(last_error)) return last_error;
    if (bytes == 0) return cudaSuccess;
    const Allocation *a = find_allocation(to);
    if (!holds(a, to, bytes)) return failed(cudaErrorInvalidValue);
    memset(to, byte, bytes);
    initialised(*a, (unsigned char *)to - a->begin, bytes);
    return cudaSuccess;
}

/* ---- streams and events ---- */
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return *stream = (cudaStream_t) new char, cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete (char *)stream, cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = new double(0), cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
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
