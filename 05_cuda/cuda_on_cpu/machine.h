/* What the parts of the emulation know of each other: fibers, the core they run on, and who calls whom.
 *
 *     fibers.cpp      switching from one CUDA thread to another
 *     launching.cpp   launches, blocks over cores, turns of threads, __syncthreads
 *     warps.cpp       shuffles, ballot, mma, ldmatrix
 *     runtime.cpp     the runtime's functions: device memory, copies, errors, events
 *     memory.cpp      cp.async, atomics, fences
 *     hooks.cpp       what -fsanitize=thread makes a kernel call: counting, and whose memory it is
 *     clocks.cpp      what happens before what
 *     checks.cpp      races and uninitialised reads
 *     reports.cpp     places in the source, and what is said about them
 *     traffic.cpp     sectors and bank conflicts */
#ifndef MACHINE_H
#define MACHINE_H

#include "cuda_on_cpu.h"
#include "cuda_runtime.h"
#include <map>
#include <utility>
#include <vector>

enum { Max_threads = 1024, Warp = 32, Stack = 128 * 1024 };
constexpr size_t Device_memory = (size_t)24 << 30;
enum { Max_shared = 163 * 1024, Default_shared = 48 * 1024 }; /* as compute capability 8.0 has it */

struct Copy { /* a cp.async under way */
    unsigned char *to;
    const unsigned char *from;
    size_t bytes, zeros;
    int group;
    const void *pc; /* where it was set out */
};

typedef uint64_t Time;                                    /* see clocks.cpp */
typedef std::vector<std::pair<uint64_t, Time>> Clock;     /* of other threads, in ascending order */
struct Clocks {
    Clock known;    /* by way of fences */
    Clock fence[2]; /* known at the last fence: for the block, for the device */
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
    const void *spins; /* where it gave up its turn, asking for memory to change */
    Time when;         /* of its last barrier, __syncwarp or fence */
    Time seen[Warp];   /* what the lanes of its warp did before, it has seen */
    Clocks clocks;
    int vote;          /* that it brings to a barrier */
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

typedef uint32_t Cell; /* what is known of a byte; see checks.cpp */
struct Allocation {
    unsigned char *begin;
    size_t bytes;
    Cell *cells; /* one a byte; NULL when nothing is checked */
    bool host;   /* the host may use it, too */
};
struct Core { /* one CPU core and the block it works on */
    Fiber host; /* the loop that hands out turns */
    Fiber fiber[Max_threads];
    Lanes warp[Max_threads / Warp];
    Fiber *me;
    const cuda_on_cpu_launch *launch;
    bool checked;                     /* this launch */
    unsigned threads, live, waiting;  /* in the block; not yet done; at __syncthreads */
    int votes;                        /* counted by the last barrier */
    unsigned turn[Max_threads], position, random; /* who is next, how far the round is, state of the generator */
    unsigned idle;                    /* turns given up since anything has changed */
    Time barrier;                     /* the last one */
    Clocks clocks;                    /* what all threads of the block knew there */
    unsigned char *statics;           /* its static shared memory; empty where the system does not tell */
    size_t statics_bytes, touched, most_static; /* all of the program's; what this block has used, and may use */
    Cell *cells, *static_cells;       /* of dynamic and static shared memory */
    const Allocation *last;           /* the allocation last used */
    cuda_on_cpu_counts counts;
    alignas(128) unsigned char shared[Max_shared];
};
extern __thread Core *core; /* NULL on a thread that runs no kernel now */

/* fibers.cpp */
void make_fiber(Fiber *fiber, void (*body)()); /* body never returns; it begins when it is switched to */
void end_fiber(Fiber *fiber);                  /* gives its stack back; not from within itself */
void switch_to(Fiber *to);

/* warps.cpp */
void end_lane(Fiber *fiber);                     /* the fiber has ended; who waits for it waits no longer */
bool answer_masks();                             /* all who wait in __activemask go on; whether there were any */

/* launching.cpp */
Fiber *next_ready();          /* whose turn it is; the host when all have had theirs */
void give_turn(const void *pc); /* before an atomic or volatile access: others may have to go on first */
void fail(cudaError_t error); /* gives up the launch; inside of a kernel it does not return */

/* runtime.cpp */
std::map<unsigned char *, Allocation> &allocations();
const Allocation *find_allocation(const void *p); /* the last one that begins at or before p */
bool holds(const Allocation *a, const void *p, size_t bytes);
void set_error(cudaError_t error);
bool sticks(cudaError_t error); /* the context is lost */

/* hooks.cpp */
enum Access_kind { Read = 0, Write = 1, Volatile = 2, Atomic = 4, Pending = 8, Landing = 16 }; /* bits */
void access(const void *p, size_t bytes, int kind, const void *pc);
void arrived(const Copy &copy);        /* at a wait */
unsigned char *static_shared(size_t *bytes);

/* clocks.cpp: only while checks are on */
void begin_launch_time();
void begin_block_time();
void order_block();                             /* a barrier */
void order_lanes(Fiber *warp, unsigned lanes);  /* a __syncwarp */
void pass_on(const void *p, int kind, bool shared);
bool ordered(Time when, unsigned thread);       /* whether it happened before what core->me does now */
bool unknown_to_others(Time when);              /* what the block of that time did */
struct Times { Time launch, block; }; /* when this one began */
extern Times times;
unsigned block_of(Time when);

/* checks.cpp */
Cell *make_cells(size_t bytes);
void forget_shared(); /* a block begins */
void tidy_shared();   /* now and then */
void initialised(const Allocation &a, size_t offset, size_t bytes);
void check_access(Cell *cells, size_t bytes, int kind, bool shared, const void *pc);

/* reports.cpp */
struct Place_of_access { const void *pc; int kind; unsigned thread, block; };
void note_race(Place_of_access a, Place_of_access b, bool shared);
void note_pending(Place_of_access copy, Place_of_access now);
void note_unwritten(Place_of_access read, bool shared);
void tell_findings(const dim3 &grid);         /* when the launch has ended */
const char *place_of(const void *pc);         /* "flash.cu:41" */
/* who: the thread it is about, or NULL */
void report(const char *place, const char *kind, const Fiber *who, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* traffic.cpp */
void note_request(const void *p, size_t bytes, bool shared, bool write, const void *pc);
void flush_requests();

#endif
