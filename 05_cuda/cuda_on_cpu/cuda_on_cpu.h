/* CUDA kernels on a CPU: what a program can ask of the emulation, and what it can learn from it. C11 and C++17.
 *
 * The kernels' source stays as it is. Each CUDA thread is a fiber of its own, blocks go over the CPU's cores, and a
 * fiber is left only at a barrier, a warp operation, or an access that may wait for another thread (atomic, volatile).
 * Built with -fsanitize=thread and linked with hooks.cpp in place of the sanitizer's library, every access to memory is
 * counted and, if asked, checked.
 *
 * Stricter than CUDA: two lanes of a warp that touch a volatile place in shared memory race unless a __syncwarp lies
 * between, though cards before compute capability 7.0 ran them in step. Laxer: memory that was freed is not known once
 * another allocation has its place; leaks, and what a kernel's own malloc gave, are not looked at; of the static shared
 * memory what is never touched is not counted against the limit.
 *
 * What is not modelled: time; caches (bytes are those requested by the kernel); registers and their initialisation;
 * threads of a warp in lock step; more than one stream (each call is done when it returns); the order of sums inside
 * mma. Static shared memory is recognised where the system can tell where it lies (Linux, the BSDs, macOS with one
 * core); elsewhere it is not checked. */
#ifndef CUDA_ON_CPU_H
#define CUDA_ON_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

enum cuda_on_cpu_order { CUDA_ASCENDING, CUDA_DESCENDING, CUDA_RANDOM };

struct cuda_on_cpu_counts {
    unsigned long long global_read, global_written; /* bytes */
    unsigned long long shared_read, shared_written;
    /* with traffic on, one request being what a warp does at one place in the source */
    unsigned long long requests[2], sectors[2];     /* global memory: reads, writes; a sector is 32 bytes */
    unsigned long long passes, passes_needed;       /* shared memory: 32 banks of 4 bytes, and without conflicts */
};

struct cuda_on_cpu {
    enum cuda_on_cpu_order order; /* in which the threads of a block take turns */
    unsigned seed;                /* of the random order */
    int cores;                    /* how many blocks run at a time; 0: one on each core. Checks use one */
    int check;                    /* report races, uninitialised reads and so on, to stderr, once per place */
    int traffic;                  /* count requests, sectors and passes; one core, and slow */
    int reports;                  /* how many there were */
    struct cuda_on_cpu_counts counts;
};
extern struct cuda_on_cpu cuda_on_cpu;

#ifdef __cplusplus
}
#endif
#endif
