/* What the parts of the emulation know of each other: fibers, the core they run on, and who calls whom.
 *
 *     fibers.cpp      switching from one CUDA thread to another
 *     launching.cpp   launches, blocks over cores, turns of threads, __syncthreads
 *     warps.cpp       shuffles, ballot, mma, ldmatrix
 *     runtime.cpp     the runtime's functions: device memory, copies, errors, events
 *     memory.cpp      cp.async, atomics, fences
 *     hooks.cpp       what -fsanitize=thread makes a kernel call: counting, and whose memory it is
 *     checks.cpp      races and uninitialised reads, reports
 *     traffic.cpp     sectors and bank conflicts */
#ifndef MACHINE_H
#define MACHINE_H

#include "cuda_on_cpu.h"
#include "cuda_runtime.h"
#include <vector>

enum { Max_threads = 1024, Warp = 32, Stack = 128 * 1024, Granule = 2 };
constexpr size_t Device_memory = (size_t)24 << 30;
enum { Max_shared = 163 * 1024, Default_shared = 48 * 1024 }; /* as compute capability 8.0 has it */

struct Copy { /* a cp.async under way */
    unsigned char *to;
    const unsigned char *from;
    size_t bytes, zeros;
    int group;
};

enum State { Ready, At_barrier, At_warp, At_mask, Done };
struct Fiber;
struct Post { /* what a lane brings to a warp operation, and where it wants the result */
    const Fiber *fiber;
    const void *in, *in2;
    void *out;
    int argument, width;
};
typedef void Operation(Post *const posts[Warp], size_t size); /* posts of lanes that take no part are NULL */

struct Fiber { /* one CUDA thread */
    void *context; /* its stack pointer */
    char *stack;
    unsigned thread; /* its number in the block */
    uint3 index;
    State state;
    const char *file; /* where it waits */
    int line;
    unsigned mask;
    Post *post;
    int vote; /* that it brings to a barrier */
    unsigned warp_epoch; /* __syncwarps passed since the last barrier */
    std::vector<Copy> copies;
    int group;
};

struct Meeting { /* lanes that wait for the others of their mask */
    unsigned mask, arrived;
    Operation *operation; /* NULL: __syncwarp */
    size_t size;
};
struct Lanes { /* of a warp */
    unsigned ended; /* or never there */
    int meetings;
    Meeting meeting[Warp];
};

struct Range { unsigned char *begin, *end; };

struct Allocation;
struct Core { /* one CPU core and the block it works on */
    Fiber host; /* the loop that hands out turns */
    Fiber fiber[Max_threads];
    Lanes warp[Max_threads / Warp];
    Fiber *me;
    const cuda_on_cpu_launch *launch; /* NULL outside of kernels */
    unsigned threads, live, waiting;  /* in the block; not yet done; at __syncthreads */
    int votes;                        /* counted by the last barrier */
    unsigned turn[Max_threads], position, random; /* who is next, how far the round is, state of the generator */
    Range statics;                    /* its static shared memory */
    const Allocation *last;           /* the allocation last used */
    cuda_on_cpu_counts counts;
    alignas(128) unsigned char shared[Max_shared];
};
extern __thread Core *core; /* NULL on a thread that has run no kernel yet */

/* fibers.cpp */
void make_fiber(Fiber *fiber, void (*body)()); /* body never returns; it begins when it is switched to */
void end_fiber(Fiber *fiber);                  /* gives its stack back; not from within itself */
void switch_to(Fiber *to);

/* warps.cpp */
void end_lane(Fiber *fiber);                     /* the fiber has ended; who waits for it waits no longer */
bool answer_masks();                             /* all who wait in __activemask go on; whether there were any */

/* launching.cpp */
Fiber *next_ready();        /* whose turn it is; the host when all have had theirs */
void fail(cudaError_t error); /* gives up the launch; inside of a kernel it does not return */

/* runtime.cpp */
struct Cell;
struct Allocation {
    unsigned char *begin;
    size_t bytes;
    Cell *cells; /* one a granule; NULL when nothing is checked */
    bool host;   /* the host may use it, too */
};
const Allocation *find_allocation(const void *p); /* the last one that begins at or before p */
bool holds(const Allocation *a, const void *p, size_t bytes);
void set_error(cudaError_t error);
bool sticks(cudaError_t error); /* the context is lost */

/* hooks.cpp */
enum Access { Read, Write, Atomic };
void access(const void *p, size_t bytes, Access kind, const void *pc);
Range static_shared(); /* of this core; empty where the system does not tell */

/* checks.cpp */
enum Event { New_launch, New_block, New_barrier };
void new_epoch(Event why);
Cell *make_cells(size_t bytes);
void initialised(const Allocation &a, size_t offset, size_t bytes);
void check_access(const Allocation *a, const void *p, size_t bytes, Access kind, const void *pc); /* NULL: shared */
void mark_pending(const void *p, size_t bytes, bool pending); /* by cp.async, shared memory */
const char *place_of(const void *pc);                         /* "flash.cu:41" */
/* who: the thread it is about, or NULL for the block */
void report(const char *place, const char *kind, const Fiber *who, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sync_lanes(Fiber *warp, unsigned lanes);

/* traffic.cpp */
void note_request(const void *p, size_t bytes, bool shared, bool write, const void *pc);
void flush_requests();

#endif
