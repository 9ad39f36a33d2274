/* The table of versions. Each adapter gives its version one head after the other; results
 * are handed over as float64. What O holds before the call is copied in, so that a test
 * can see what a version that failed has left there. */
#include "versions.h"
#include "../../00_loop/attention.h"
#include "../../01_matrix/attention.h"
#include "../../02_safe_softmax/attention.h"
#include "../../03_blockwise_bug/attention.h"
#include "../../04_online_softmax/attention.h"
#include "../../04_online_softmax/flash.h"
#ifdef HAVE_CUDA
#include "../../05_cuda/attention.h"
#include "../../05_cuda/cuda_on_cpu/cuda_on_cpu.h"
#endif
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int one_head(const problem *p, const float *Q, const float *K, const float *V, void *O);

/* calls head for every head of every batch; size: bytes of a result's element */
static int each_head(const problem *p, const float *Q, const float *K, const float *V, char *O, size_t size,
                     one_head *head)
{
    for (size_t i = 0; i < p->batch * p->heads; i++) {
        const size_t kv = i / p->heads * p->kv_heads + i % p->heads / (p->heads / p->kv_heads);
        const int error = head(p, Q ? Q + i * p->n * p->d : NULL, K ? K + kv * p->m * p->d : NULL,
                               V ? V + kv * p->m * p->dv : NULL, O ? O + i * p->n * p->dv * size : NULL);
        if (error) return error;
    }
    return 0;
}

/* a copy of O for a version whose results are float32, and back again, with what the version returned */
static float *narrow(const problem *p, const double *O)
{
    const size_t count = O ? p->batch * p->heads * p->n * p->dv : 0;
    float *o = malloc((count + 1) * sizeof *o);
    for (size_t i = 0; o && i < count; i++) o[i] = (float)O[i];
    return o;
}
static int widen(const problem *p, float *o, double *O, int error)
{
    for (size_t i = 0; O && i < p->batch * p->heads * p->n * p->dv; i++) O[i] = o[i];
    free(o);
    return error;
}

static int each_head_float(const problem *p, const float *Q, const float *K, const float *V, double *O, one_head *head)
{
    float *o = narrow(p, O);
    return o ? widen(p, o, O, each_head(p, Q, K, V, O ? (char *)o : NULL, sizeof *o, head)) : ENOMEM;
}

#define TENSORS(type) (const void *)Q, (const void *)K, (const void *)V, (type(*)[p->dv])O
#define SIZES p->n, p->m, p->d, p->dv
typedef const float *input;

static int loop_head(const problem *p, input Q, input K, input V, void *O)
{ return attention_loop(SIZES, TENSORS(double)); }
static int matrix_head(const problem *p, input Q, input K, input V, void *O)
{ return attention_matrix(SIZES, TENSORS(float)); }
static int safe_head(const problem *p, input Q, input K, input V, void *O)
{ return attention_safe(SIZES, TENSORS(float)); }
static int blockwise_head(const problem *p, input Q, input K, input V, void *O)
{ return attention_blockwise_bug(SIZES, p->block, TENSORS(float)); }
static int online_head(const problem *p, input Q, input K, input V, void *O)
{ return attention_online(SIZES, p->block, TENSORS(float)); }

static int run_loop(const problem *p, input Q, input K, input V, double *O)
{ return each_head(p, Q, K, V, (char *)O, sizeof *O, loop_head); }
static int run_matrix(const problem *p, input Q, input K, input V, double *O)
{ return each_head_float(p, Q, K, V, O, matrix_head); }
static int run_safe(const problem *p, input Q, input K, input V, double *O)
{ return each_head_float(p, Q, K, V, O, safe_head); }
static int run_blockwise(const problem *p, input Q, input K, input V, double *O)
{ return each_head_float(p, Q, K, V, O, blockwise_head); }
static int run_online(const problem *p, input Q, input K, input V, double *O)
{ return each_head_float(p, Q, K, V, O, online_head); }

/* Takes heads, scale and causal itself. Of the block, odd ones also make tiles of the fewest queries there can be;
 * with even ones attention_flash chooses, and few queries go alone. So the suites meet both paths. */
static int run_flash(const problem *p, input Q, input K, input V, double *O)
{
    const flash_problem f = {.batch = p->batch, .heads = p->heads, .kv_heads = p->kv_heads, .n = p->n, .m = p->m,
                             .d = p->d, .dv = p->dv, .scale = (float)p->scale, .causal = p->causal,
                             .br = p->block % 2, .bc = p->block};
    float *o = narrow(p, O);
    return o ? widen(p, o, O, attention_flash(&f, Q, K, V, O ? o : NULL, NULL)) : ENOMEM;
}

#ifdef HAVE_CUDA
int run_cuda_kernel(int kernel, const problem *p, input Q, input K, input V, double *O)
{
    const cuda_problem c = {.batch = p->batch, .heads = p->heads, .kv_heads = p->kv_heads, .n = p->n, .m = p->m,
                            .d = p->d, .dv = p->dv, .scale = (float)p->scale, .causal = p->causal};
    float *o = narrow(p, O);
    return o ? widen(p, o, O, attention_cuda(&c, kernel, Q, K, V, O ? o : NULL)) : ENOMEM;
}
static int run_cuda(const problem *p, input Q, input K, input V, double *O)
{ return run_cuda_kernel(ATTENTION_FLASH, p, Q, K, V, O); }
#endif

version versions[] = {
    {.stage = 0, .name = "loop", .run = run_loop, .unit = 0x1p-53, .overflow = 709.78},
    {.stage = 1, .name = "matrix", .run = run_matrix, .unit = 0x1p-24, .overflow = 88.72},
    {.stage = 2, .name = "safe", .run = run_safe, .unit = 0x1p-24, .overflow = INFINITY},
    {.stage = 3, .name = "blockwise_bug", .run = run_blockwise, .unit = 0x1p-24, .overflow = INFINITY,
     .blocks = true, .wrong = true},
    {.stage = 4, .name = "online", .run = run_online, .unit = 0x1p-24, .overflow = INFINITY,
     .blocks = true, .divides_last = true},
    {.stage = 4, .name = "flash", .run = run_flash, .unit = 0x1p-24, .overflow = INFINITY,
     .blocks = true, .divides_last = true, .options = true},
#ifdef HAVE_CUDA
    {.stage = 5, .name = "cuda", .run = run_cuda, .unit = 0x1p-24, .overflow = INFINITY,
     .divides_last = true, .options = true},
#endif
};
size_t version_count = sizeof versions / sizeof *versions;

const version *version_named(const char *name)
{
    for (size_t i = 0; i < version_count; i++)
        if (!strcmp(versions[i].name, name)) return &versions[i];
    return NULL;
}

void one_core(void)
{
#ifdef HAVE_CUDA
    cuda_on_cpu.cores = 1;
#endif
}

bool only_version(const char *name)
{
    const version *v = version_named(name);
    if (!v) return false;
    versions[0] = *v;
    version_count = 1;
    return true;
}

problem simple_problem(size_t n, size_t m, size_t d, size_t dv, size_t block)
{
    return (problem){.batch = 1, .heads = 1, .kv_heads = 1, .n = n, .m = m, .d = d, .dv = dv, .block = block,
                     .scale = 1 / sqrt((double)d)};
}

size_t visible_keys(const problem *p, size_t i)
{
    return !p->causal ? p->m : i + p->m < p->n ? 0 : i + p->m - p->n + 1;
}
