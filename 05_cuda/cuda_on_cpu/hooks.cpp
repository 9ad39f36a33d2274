/* The hooks. -fsanitize=thread makes a compiler call a function before every access to memory that might be shared;
 * here are those functions. They find out whose memory it is, count it, and have it checked. So kernels need no change,
 * and the sanitizer's own library is not linked. -fsanitize=bounds adds the indices of arrays whose size is known. */
#include "machine.h"
#include <set>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>
#if defined(__linux__) || defined(__FreeBSD__)
#include <link.h>

/* Static shared memory is __thread (cuda_runtime.h), so it lies in the program's thread-local storage. */
static int first_object(dl_phdr_info *object, size_t, void *range)
{
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS) {
            unsigned char *begin = (unsigned char *)object->dlpi_tls_data;
            *(Range *)range = {begin, begin + object->dlpi_phdr[i].p_memsz};
        }
    return 1; /* the first object is the program itself */
}
Range static_shared()
{
    Range range = {};
    dl_iterate_phdr(first_object, &range);
    return range;
}
/* For an array of classes gcc asks a hidden variable whether it has been set up; that is none of the kernel's. Linker's
 * tools know where it lies. */
static bool hidden(size_t offset)
{
    static std::set<size_t> *known;
    if (!known) {
        known = new std::set<size_t>();
        char line[1024];
        FILE *f = popen(("nm /proc/" + std::to_string(getpid()) + "/exe 2>/dev/null").c_str(), "r");
        while (f && fgets(line, sizeof line, f))
            if (strstr(line, " _ZGV")) known->insert(strtoul(line, NULL, 16));
        if (f) pclose(f);
    }
    return known->count(offset);
}
extern "C" unsigned char __executable_start[] __attribute__((weak)), _end[] __attribute__((weak));
static bool in_program(const unsigned char *p) { return p >= __executable_start && p < _end; }
#else
Range static_shared() { return {}; }
static bool hidden(size_t) { return false; }
static bool in_program(const unsigned char *) { return false; }
#endif

static bool within(const unsigned char *p, const void *begin, size_t bytes)
{
    return (size_t)(p - (const unsigned char *)begin) < bytes;
}

static void illegal(const unsigned char *p, size_t bytes, Access kind, const void *pc)
{
    const char *what = kind == Read ? "read" : "write";
    const Allocation *a = find_allocation(p);
    if (a && p < a->begin + a->bytes + Stack)
        report(place_of(pc), "out of bounds in global memory", core->me, "%s of %zu bytes, %td from the start of %zu",
               what, bytes, p - a->begin, a->bytes);
    else
        report(place_of(pc), "not device memory", core->me, "%s of %zu bytes at %p; a host pointer?", what, bytes, (void *)p);
    fail(cudaErrorIllegalAddress);
}

static void count(unsigned long long *read, unsigned long long *written, size_t bytes, Access kind)
{
    if (kind != Write) *read += bytes;
    if (kind != Read) *written += bytes;
}

static void access_shared(const unsigned char *p, size_t bytes, Access kind, bool dynamic, const void *pc)
{
    count(&core->counts.shared_read, &core->counts.shared_written, bytes, kind);
    if (dynamic && p + bytes > core->shared + core->launch->shared) {
        report(place_of(pc), "out of bounds in shared memory", core->me, "bytes %td to %td of %zu", p - core->shared,
               p - core->shared + bytes - 1, core->launch->shared);
        fail(cudaErrorIllegalAddress);
    }
    if (cuda_on_cpu.traffic) note_request(p, bytes, true, kind != Read, pc);
    if (cuda_on_cpu.check) check_access(NULL, p, bytes, kind, pc);
}

static void access_global(const unsigned char *p, size_t bytes, Access kind, const void *pc)
{
    if (!holds(core->last, p, bytes)) core->last = find_allocation(p);
    const Allocation *a = core->last;
    if (!holds(a, p, bytes)) illegal(p, bytes, kind, pc);
    count(&core->counts.global_read, &core->counts.global_written, bytes, kind);
    if (cuda_on_cpu.traffic) note_request(p, bytes, false, kind != Read, pc);
    if (cuda_on_cpu.check && a->cells) check_access(a, p, bytes, kind, pc);
}

void access(const void *address, size_t bytes, Access kind, const void *pc)
{
    const unsigned char *p = (const unsigned char *)address;
    if (!core || !core->launch) { /* the host's own code */
        const Allocation *a = find_allocation(p);
        if (cuda_on_cpu.check && holds(a, p, bytes) && !a->host)
            report(place_of(pc), "device memory used by the host", NULL, "%zu bytes at %p", bytes, address);
        return;
    }
    if (within(p, core->me->stack, Stack)) return; /* registers, and what has no room there */
    if (within(p, &cuda_on_cpu_now, sizeof cuda_on_cpu_now)) return;
    if ((uintptr_t)p & (bytes - 1) && bytes <= 16 && (bytes & (bytes - 1)) == 0) {
        report(place_of(pc), "misaligned address", core->me, "%zu bytes at %p", bytes, address);
        fail(cudaErrorMisalignedAddress);
    }
    if (bytes == 1 && core->statics.begin && hidden(p - core->statics.begin)) return;
    if (within(p, core->statics.begin, core->statics.end - core->statics.begin))
        return access_shared(p, bytes, kind, false, pc);
    if (within(p, core->shared, sizeof core->shared)) return access_shared(p, bytes, kind, true, pc);
    if (in_program(p) && !holds(find_allocation(p), p, bytes)) return; /* constants, tables of the compiler */
    if (core->statics.begin || holds(find_allocation(p), p, bytes)) return access_global(p, bytes, kind, pc);
    count(&core->counts.shared_read, &core->counts.shared_written, bytes, kind); /* most likely */
}

extern "C" {
#define PC __builtin_return_address(0)
#define HOOKS(bytes)                                                                                                   \
    void __tsan_read##bytes(void *p) { access(p, bytes, Read, PC); }                                                   \
    void __tsan_write##bytes(void *p) { access(p, bytes, Write, PC); }                                                 \
    void __tsan_unaligned_read##bytes(void *p) { access(p, bytes, Read, PC); }                                         \
    void __tsan_unaligned_write##bytes(void *p) { access(p, bytes, Write, PC); }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
void __tsan_read_range(void *p, size_t n) { access(p, n, Read, PC); }
void __tsan_write_range(void *p, size_t n) { access(p, n, Write, PC); }
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    access(from, n, Read, PC), access(to, n, Write, PC);
    return memcpy(to, from, n);
}
void *__tsan_memset(void *p, int byte, size_t n)
{
    access(p, n, Write, PC);
    return memset(p, byte, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n)
{
    access(from, n, Read, PC), access(to, n, Write, PC);
    return memmove(to, from, n);
}
/* atomics of C++, as the host's library uses them; a kernel's are in memory.cpp */
#define ATOMICS(bits, T)                                                                                               \
    T __tsan_atomic##bits##_load(const T *p, int) { return __atomic_load_n(p, 5); }                                    \
    void __tsan_atomic##bits##_store(T *p, T x, int) { __atomic_store_n(p, x, 5); }                                    \
    T __tsan_atomic##bits##_exchange(T *p, T x, int) { return __atomic_exchange_n(p, x, 5); }                          \
    T __tsan_atomic##bits##_fetch_add(T *p, T x, int) { return __atomic_fetch_add(p, x, 5); }                          \
    T __tsan_atomic##bits##_fetch_sub(T *p, T x, int) { return __atomic_fetch_sub(p, x, 5); }                          \
    T __tsan_atomic##bits##_fetch_and(T *p, T x, int) { return __atomic_fetch_and(p, x, 5); }                          \
    T __tsan_atomic##bits##_fetch_or(T *p, T x, int) { return __atomic_fetch_or(p, x, 5); }                            \
    int __tsan_atomic##bits##_compare_exchange_strong(T *p, T *is, T x, int, int)                                      \
    {                                                                                                                  \
        return __atomic_compare_exchange_n(p, is, x, 0, 5, 5);                                                         \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(T *p, T *is, T x, int, int)                                        \
    {                                                                                                                  \
        return __atomic_compare_exchange_n(p, is, x, 0, 5, 5);                                                         \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(5); }
void __tsan_vptr_read(void *) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}

struct bounds_data { /* what -fsanitize=bounds passes */
    const char *file;
    uint32_t line, column;
    const char *array, *index; /* types: four bytes, then the name */
};
void __ubsan_handle_out_of_bounds(bounds_data *data, intptr_t index)
{
    char place[256];
    snprintf(place, sizeof place, "%s:%u", data->file, data->line);
    report(place, "out of bounds", core->me, "index %td of %s", index, data->array + 4);
    fail(cudaErrorIllegalAddress);
}
}
