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
static int first_object(dl_phdr_info *object, size_t, void *segment)
{
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(std::pair<void *, size_t> *)segment = {object->dlpi_tls_data, object->dlpi_phdr[i].p_memsz};
    return 1; /* the first object is the program itself */
}
unsigned char *static_shared(size_t *bytes)
{
    std::pair<void *, size_t> segment = {};
    dl_iterate_phdr(first_object, &segment);
    *bytes = segment.second;
    return (unsigned char *)segment.first;
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
#elif defined(__APPLE__)
/* There it has a section of its own, of which the linker tells the ends, and one core. */
extern unsigned char shared_begin[] __asm("section$start$__DATA$cuda_shared");
extern unsigned char shared_end[] __asm("section$end$__DATA$cuda_shared");
unsigned char *static_shared(size_t *bytes)
{
    *bytes = shared_end - shared_begin;
    return shared_begin;
}
static bool hidden(size_t) { return false; }
static bool in_program(const unsigned char *) { return false; }
#else
unsigned char *static_shared(size_t *bytes) { return *bytes = 0, (unsigned char *)NULL; }
static bool hidden(size_t) { return false; }
static bool in_program(const unsigned char *) { return false; }
#endif

static bool within(const unsigned char *p, const void *begin, size_t bytes)
{
    return (size_t)(p - (const unsigned char *)begin) < bytes;
}

static void illegal(const unsigned char *p, size_t bytes, int kind, const void *pc)
{
    const char *what = kind & Write ? "write" : "read";
    const Allocation *a = find_allocation(p);
    if (a && p < a->begin + a->bytes + Stack)
        report(place_of(pc), "out of bounds in global memory", core->me, "%s of %zu bytes, %td from the start of %zu",
               what, bytes, p - a->begin, a->bytes);
    else
        report(place_of(pc), "not device memory", core->me, "%s of %zu bytes at %p; a host pointer?", what, bytes,
               (const void *)p);
    fail(cudaErrorIllegalAddress);
}

static void count(unsigned long long *read, unsigned long long *written, size_t bytes, int kind)
{
    if (kind & Atomic || !(kind & Write)) *read += bytes;
    if (kind & Write) *written += bytes;
}

/* cells: of the place, NULL when nothing is checked */
static inline void note(const unsigned char *p, size_t bytes, int kind, bool shared, Cell *cells, const void *pc)
{
    if (kind & Write && !(kind & Atomic)) core->idle = 0;
    if (shared) count(&core->counts.shared_read, &core->counts.shared_written, bytes, kind);
    else count(&core->counts.global_read, &core->counts.global_written, bytes, kind);
    if (__builtin_expect(cuda_on_cpu.traffic, 0)) note_request(p, bytes, shared, kind & Write, pc);
    if (cells) check_access(cells, bytes, kind, shared, pc);
    if (kind & (Atomic | Volatile) && core->checked) pass_on(p, kind, shared);
}

static void too_much_shared(const void *pc)
{
    report(place_of(pc), "too much shared memory", core->me,
           "%zu bytes of static where %zu are the limit; the launch asks for %zu of dynamic", core->touched,
           core->most_static, core->launch->shared);
    fail(cudaErrorInvalidValue);
}

static void access_dynamic(const unsigned char *p, size_t bytes, int kind, const void *pc)
{
    const size_t offset = p - core->shared;
    if (offset + bytes > core->launch->shared) {
        report(place_of(pc), "out of bounds in shared memory", core->me, "bytes %zu to %zu of %zu", offset,
               offset + bytes - 1, core->launch->shared);
        fail(cudaErrorIllegalAddress);
    }
    note(p, bytes, kind, true, core->checked ? core->cells + offset : NULL, pc);
}

static void access_global(const unsigned char *p, size_t bytes, int kind, const void *pc)
{
    if (!holds(core->last, p, bytes)) core->last = find_allocation(p);
    const Allocation *a = core->last;
    if (!holds(a, p, bytes)) illegal(p, bytes, kind, pc);
    note(p, bytes, kind, false, core->checked && a->cells ? a->cells + (p - a->begin) : NULL, pc);
}

/* a cp.async has landed, as its thread now knows */
void arrived(const Copy &c)
{
    if (!core->checked) return;
    const Allocation *a = find_allocation(c.from);
    const size_t fixed = c.to - core->statics;
    Cell *to = fixed < core->statics_bytes ? core->static_cells + fixed : core->cells + (c.to - core->shared);
    check_access(to, c.bytes, Write | Landing, true, c.pc);
    if (c.bytes > c.zeros && a->cells)
        check_access(a->cells + (c.from - a->begin), c.bytes - c.zeros, Read | Landing, false, c.pc);
}

static void access_by_host(const void *p, size_t bytes, const void *pc)
{
    const Allocation *a = find_allocation(p);
    if (cuda_on_cpu.check && holds(a, p, bytes) && !a->host)
        report(place_of(pc), "device memory used by the host", NULL, "%zu bytes at %p", bytes, p);
}

static inline void whose(const void *address, size_t bytes, int kind, const void *pc)
{
    const unsigned char *p = (const unsigned char *)address;
    if (!core || !core->launch) return access_by_host(p, bytes, pc);
    if (within(p, &cuda_on_cpu_now, sizeof cuda_on_cpu_now)) return;
    if (within(p, core->me->stack, Stack)) return; /* registers, and what has no room there */
    if (__builtin_expect((uintptr_t)p & (bytes - 1) && bytes <= 16 && (bytes & (bytes - 1)) == 0, 0)) {
        report(place_of(pc), "misaligned address", core->me, "%zu bytes at %p", bytes, address);
        fail(cudaErrorMisalignedAddress);
    }
    const size_t offset = p - core->statics;
    if (bytes == 1 && core->statics && hidden(offset)) return;
    if (offset < core->statics_bytes) {
        note(p, bytes, kind, true, core->checked ? core->static_cells + offset : NULL, pc);
        if (__builtin_expect(core->touched > core->most_static, 0)) too_much_shared(pc);
    } else if (within(p, core->shared, sizeof core->shared)) access_dynamic(p, bytes, kind, pc);
    else if (in_program(p) && !holds(find_allocation(p), p, bytes)) return; /* constants, tables of the compiler */
    else if (core->statics || holds(find_allocation(p), p, bytes)) access_global(p, bytes, kind, pc);
    else count(&core->counts.shared_read, &core->counts.shared_written, bytes, kind); /* most likely */
}
void access(const void *p, size_t bytes, int kind, const void *pc) { whose(p, bytes, kind, pc); }

/* a volatile access may be one of many that wait for another thread */
static void access_volatile(const void *p, size_t bytes, int kind, const void *pc)
{
    if (core && !within((const unsigned char *)p, core->me->stack, Stack)) give_turn(pc);
    access(p, bytes, kind | Volatile, pc);
}

extern "C" {
#define PC __builtin_return_address(0)
#define HOOKS(bytes)                                                                                                   \
    void __tsan_read##bytes(void *p) { whose(p, bytes, Read, PC); }                                                    \
    void __tsan_write##bytes(void *p) { whose(p, bytes, Write, PC); }                                                  \
    void __tsan_unaligned_read##bytes(void *p) { whose(p, bytes, Read, PC); }                                          \
    void __tsan_unaligned_write##bytes(void *p) { whose(p, bytes, Write, PC); }                                        \
    void __tsan_volatile_read##bytes(void *p) { access_volatile(p, bytes, Read, PC); }                                 \
    void __tsan_volatile_write##bytes(void *p) { access_volatile(p, bytes, Write, PC); }                               \
    void __tsan_unaligned_volatile_read##bytes(void *p) { access_volatile(p, bytes, Read, PC); }                       \
    void __tsan_unaligned_volatile_write##bytes(void *p) { access_volatile(p, bytes, Write, PC); }
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
