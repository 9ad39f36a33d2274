/* The table of versions. Each adapter gives its version one head after the other; results
 * are handed over as float64. What O holds before the call is copied in, so that a test
 * can see what a version that failed has left there. */
#include "versions.h"
#define UNCOUNTED
#include "article.h"
#include "counted.h"
#include "reference.h"
#include "../../00_loop/attention.h"
#include "../../01_matrix/attention.h"
#include "../../02_safe_softmax/attention.h"
#include "../../03_blockwise_bug/attention.h"
#include "../../04_online_softmax/attention.h"
#include "../../04_online_softmax/tiled.h"
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
        const size_t kv = kv_head(p, i);
        const int error = head(p, Q ? Q + i * p->n * p->d : NULL, K ? K + kv * p->m * p->d : NULL,
                               V ? V + kv * p->m * p->dv : NULL, O ? O + i * p->n * p->dv * size : NULL);
        if (error) return error;
    }
    return 0;
}

static int each_head_double(const problem *p, const float *Q, const float *K, const float *V, double *O,
                            one_head *head)
{
    return each_head(p, Q, K, V, (char *)O, sizeof *O, head);
}

size_t outputs_margin;
bool margin_was_written;

/* a copy of O for a version whose results are float32, and back again, with what the version returned */
static float *narrow(const problem *p, const double *O)
{
    const size_t count = O ? outputs(p) : 0;
    float *o = malloc((count + outputs_margin + (count == 0)) * sizeof *o);
    for (size_t i = 0; o && i < count; i++) o[i] = (float)O[i];
    for (size_t i = 0; o && i < outputs_margin; i++) o[count + i] = IN_MARGIN;
    return o;
}
static int widen(const problem *p, float *o, double *O, int error)
{
    for (size_t i = 0; i < outputs_margin && O; i++) margin_was_written |= o[outputs(p) + i] != IN_MARGIN;
    for (size_t i = 0; O && i < outputs(p); i++) O[i] = o[i];
    free(o);
    return error;
}

static int each_head_float(const problem *p, const float *Q, const float *K, const float *V, double *O, one_head *head)
{
    float *o = narrow(p, O);
    return o ? widen(p, o, O, each_head(p, Q, K, V, O ? (char *)o : NULL, sizeof *o, head)) : ENOMEM;
}

/* The versions that know one head and the default scale, a row each. */
#define TENSORS(type) (const void *)Q, (const void *)K, (const void *)V, (type(*)[p->dv])O
#define SIZES p->n, p->m, p->d, p->dv
typedef const float *input;
#define ONE_HEAD(name, each_head, call)                                                                              \
    static int name##_head(const problem *p, input Q, input K, input V, void *O) { return call; }                    \
    static int run_##name(const problem *p, input Q, input K, input V, double *O)                                    \
    {                                                                                                                \
        return each_head(p, Q, K, V, O, name##_head);                                                                \
    }
ONE_HEAD(loop, each_head_double, attention_loop(SIZES, TENSORS(double)))
ONE_HEAD(matrix, each_head_float, attention_matrix(SIZES, TENSORS(float)))
ONE_HEAD(safe, each_head_float, attention_safe(SIZES, TENSORS(float)))
ONE_HEAD(blockwise, each_head_float, attention_blockwise_bug(SIZES, p->block, TENSORS(float)))
ONE_HEAD(online, each_head_float, attention_online(SIZES, p->block, TENSORS(float)))
/* tiles of about half as many queries as a block has keys, so that the suites meet ragged ones of either kind */
ONE_HEAD(tiled, each_head_float, attention_tiled(SIZES, p->block / 2 + 1, p->block, p->causal, TENSORS(float)))

/* Takes heads, scale and causal itself. Of the block, odd ones also make tiles of the fewest queries there can be;
 * with even ones attention_flash chooses, and few queries go alone. So the suites meet both paths. */
static int run_flash(const problem *p, input Q, input K, input V, double *O)
{
    flash_problem f = flash_of(p);
    f.br = p->block % 2, f.bc = p->block;
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
    {.stage = 4, .name = "tiled", .run = run_tiled, .unit = 0x1p-24, .overflow = INFINITY,
     .blocks = true, .divides_last = true, .causal = true},
    {.stage = 4, .name = "flash", .run = run_flash, .unit = 0x1p-24, .overflow = INFINITY,
     .blocks = true, .divides_last = true, .causal = true, .options = true},
#ifdef HAVE_CUDA
    {.stage = 5, .name = "cuda", .run = run_cuda, .unit = 0x1p-24, .overflow = INFINITY,
     .divides_last = true, .causal = true, .options = true},
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

bool only_stage(int stage)
{
    size_t count = 0;
    for (size_t i = 0; i < version_count; i++)
        if (versions[i].stage == stage) versions[count++] = versions[i];
    if (count) version_count = count;
    return count > 0;
}

problem simple_problem(size_t n, size_t m, size_t d, size_t dv, size_t block)
{
    return (problem){.batch = 1, .heads = 1, .kv_heads = 1, .n = n, .m = m, .d = d, .dv = dv, .block = block,
                     .scale = 1 / sqrt((double)d)};
}

flash_problem flash_of(const problem *p)
{
    return (flash_problem){.batch = p->batch, .heads = p->heads, .kv_heads = p->kv_heads, .n = p->n, .m = p->m,
                           .d = p->d, .dv = p->dv, .scale = (float)p->scale, .causal = p->causal};
}

size_t outputs(const problem *p) { return p->batch * p->heads * p->n * p->dv; }

size_t kv_head(const problem *p, size_t head)
{
    return head / p->heads * p->kv_heads + head % p->heads / (p->heads / p->kv_heads);
}

size_t visible_keys(const problem *p, size_t i)
{
    return !p->causal ? p->m : i + p->m < p->n ? 0 : i + p->m - p->n + 1;
}

size_t storage_asked(const version *v, size_t n)
{
    const problem p = simple_problem(n, n, STORAGE_D, STORAGE_D, ARTICLE_BLOCK);
    float *x = need(n * STORAGE_D, sizeof *x);
    double *O = need(n * STORAGE_D, sizeof *O);
    counted_begin(0);
    v->run(&p, x, x, x, O);
    const size_t bytes = counted_peak();
    free(x), free(O);
    return bytes;
}
