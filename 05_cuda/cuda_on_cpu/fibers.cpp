/* Fibers: many threads of control on one, each with a stack of its own, switched by _setjmp and _longjmp.
 *
 * A switch takes some 30 ns; swapcontext, which was made for it, makes two system calls each time and takes 2 us. So
 * makecontext gives a fiber its stack, once, and from then on it is jumped to. Jumping from stack to stack is more than
 * the C standard promises, but every system's _longjmp does it; only glibc's check for jumps "up the stack", part of
 * _FORTIFY_SOURCE, must be off in this file. */
#undef _FORTIFY_SOURCE
#define _XOPEN_SOURCE 700 /* macOS: ucontext.h */
#define _DARWIN_C_SOURCE  /* and MAP_ANONYMOUS */
#include "machine.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(from, to)
#endif

__thread Core *core;

void switch_to(Fiber *to)
{
    Fiber *from = core->me;
    if (to == from) return;
    core->me = to;
    cuda_on_cpu_now.thread = to->index;
    if (!_setjmp(from->context)) _longjmp(to->context, 1);
}

void make_fiber(Fiber *fiber, void (*body)())
{
    fiber->stack = (char *)mmap(NULL, Stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fiber->stack == MAP_FAILED) abort();
    VALGRIND_STACK_REGISTER(fiber->stack, fiber->stack + Stack);
    mprotect(fiber->stack, 4096, PROT_NONE); /* an overflow is a fault and not a riddle */
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber->stack;
    context.uc_stack.ss_size = Stack - (fiber - core->fiber) % 256 * 192; /* else all tops share a few cache lines */
    context.uc_link = NULL;
    makecontext(&context, body, 0);
    Fiber *from = core->me;
    core->me = fiber;
    if (!_setjmp(from->context)) setcontext(&context);
}
