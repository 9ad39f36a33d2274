/* Fibers: many threads of control on one, each with a stack of its own.
 *
 * A switch keeps what a called function must keep: a few registers and the stack pointer, onto the stack that is left,
 * and off the one that is entered. That is a dozen instructions and some 5 ns; swapcontext, which was made for it,
 * asks the system each time, takes 2 us, and is missing from some C libraries. It serves where no instructions stand
 * here. A new fiber's stack looks as if it had been left at the first instruction of its body. */
#define _XOPEN_SOURCE 700 /* macOS: ucontext.h */
#define _DARWIN_C_SOURCE  /* and MAP_ANONYMOUS */
#include "machine.h"
#include <stdlib.h>
#include <sys/mman.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(from, to)
#endif

__thread Core *core;

#if defined(__APPLE__)
#define SWITCH "_cuda_on_cpu_switch"
#else
#define SWITCH "cuda_on_cpu_switch"
#endif
/* cuda_on_cpu_switch(where to keep this stack pointer, the one to go on with) */
#if defined(__x86_64__) && !defined(CUDA_ON_CPU_UCONTEXT)
enum { Kept = 6, Return = Kept, Frame = Kept + 2 }; /* words of 8 bytes; a call leaves the stack 8 bytes off 16 */
__asm__(".text\n.globl " SWITCH "\n" SWITCH ":\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");
#elif defined(__aarch64__) && !defined(CUDA_ON_CPU_UCONTEXT)
enum { Kept = 20, Return = 11, Frame = Kept }; /* x19 to x30, of which the last is the return address; d8 to d15 */
__asm__(".text\n.globl " SWITCH "\n" SWITCH ":\n"
        "sub sp, sp, #160\n"
        "stp x19, x20, [sp]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\nstp x25, x26, [sp, #48]\n"
        "stp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x2, sp\nstr x2, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\nldp x25, x26, [sp, #48]\n"
        "ldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "add sp, sp, #160\nret\n");
#else
#include <ucontext.h>
#define UCONTEXT
#endif

/* the top of a new stack; not all at the same distance from a page, else they share a few lines of the cache */
static char *new_stack(Fiber *fiber)
{
    if (!fiber->stack)
        fiber->stack = (char *)mmap(NULL, Stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fiber->stack == MAP_FAILED) abort();
    VALGRIND_STACK_REGISTER(fiber->stack, fiber->stack + Stack);
    mprotect(fiber->stack, 4096, PROT_NONE); /* an overflow is a fault and not a riddle */
    return fiber->stack + Stack - (fiber - core->fiber) % 256 * 192;
}

#ifndef UCONTEXT
extern "C" void cuda_on_cpu_switch(void **keep, void *to);

void make_fiber(Fiber *fiber, void (*body)())
{
    void **frame = (void **)new_stack(fiber) - Frame;
    frame[Return] = (void *)body; /* the rest is 0 */
    fiber->context = frame;
}
static void change(Fiber *from, Fiber *to) { cuda_on_cpu_switch(&from->context, to->context); }
#else
void make_fiber(Fiber *fiber, void (*body)())
{
    ucontext_t *context = new ucontext_t();
    getcontext(context);
    char *top = new_stack(fiber);
    context->uc_stack.ss_sp = fiber->stack;
    context->uc_stack.ss_size = top - fiber->stack;
    makecontext(context, body, 0);
    fiber->context = context;
}
static void change(Fiber *from, Fiber *to)
{
    if (!from->context) from->context = new ucontext_t();
    swapcontext((ucontext_t *)from->context, (ucontext_t *)to->context);
}
#endif

void end_fiber(Fiber *fiber)
{
    munmap(fiber->stack, Stack);
    fiber->stack = NULL;
}

void switch_to(Fiber *to)
{
    Fiber *from = core->me;
    if (to == from) return;
    core->me = to;
    cuda_on_cpu_now.thread = to->index;
    change(from, to);
}
