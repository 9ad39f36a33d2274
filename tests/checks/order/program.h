/* A random kernel, as data: what each thread does, step by step. */
#ifndef PROGRAM_H
#define PROGRAM_H

enum Op { Load, Store, Add, Fence_block, Fence, Syncwarp, Barrier, End };
enum { Cells = 8 }; /* bytes of shared memory, and as many of global */

struct Step {
    unsigned char op, place, offset, shared; /* place: which of six lines makes the access; two of each width */
    unsigned mask;
    int event;
};
constexpr unsigned width(unsigned place) { return 1u << place / 2; }

Step next_step(unsigned block, unsigned thread);
void has_happened(int event); /* an atomic */
void run(unsigned blocks, unsigned threads, unsigned char *global);

#endif
