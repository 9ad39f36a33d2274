/* The ledger's tensors: the article's, or those of three .npy files. */
#include "ledger.h"
#include "../suites/article.h"
#include <string.h>

static npy_array read_tensor(const char *path)
{
    npy_array a;
    char message[NPY_MESSAGE];
    if (npy_read(path, &a, message)) fail("%s", message);
    return a;
}

/* Two sizes that should agree */
static void agree(const char *file, const char *what, size_t found, const char *other, size_t expected)
{
    if (found != expected)
        fail("%s: shape: %s is %zu, expected %zu as in %s", file, what, found, expected, other);
}

input read_input(const options *o)
{
    static const char *const article[] = {ARTICLE "Q.npy", ARTICLE "K.npy", ARTICLE "V.npy"};
    const char *const *file = o->file_count ? o->files : article;
    input in = {.Q = read_tensor(file[0]), .K = read_tensor(file[1]), .V = read_tensor(file[2])};
    const size_t D = in.Q.dimensions, *q = in.Q.shape + D, *k = in.K.shape + D, *v = in.V.shape + D;
    agree(file[1], "the number of dimensions", in.K.dimensions, file[0], D);
    agree(file[2], "the number of dimensions", in.V.dimensions, file[0], D);
    agree(file[1], "the row length d", k[-1], file[0], q[-1]);
    agree(file[2], "the number of keys m", v[-2], file[1], k[-2]);
    in.p = simple_problem(q[-2], k[-2], q[-1], v[-1], o->block);
    if (D >= 3) {
        in.p.heads = q[-3], in.p.kv_heads = k[-3];
        agree(file[2], "heads", v[-3], file[1], k[-3]);
    }
    if (D == 4) {
        in.p.batch = q[-4];
        agree(file[1], "batch", k[-4], file[0], q[-4]);
        agree(file[2], "batch", v[-4], file[0], q[-4]);
    }
    if (in.p.d == 0) fail("%s: shape: d is 0, expected at least 1", file[0]);
    if (in.p.kv_heads == 0 ? in.p.heads != 0 : in.p.heads % in.p.kv_heads)
        fail("%s: shape: heads is %zu, expected a divisor of the %zu heads in %s",
             file[1], in.p.kv_heads, in.p.heads, file[0]);
    if (o->scaled) in.p.scale = o->scale;
    in.p.causal = o->causal;
    in.dimensions = D;
    memcpy(in.shape, in.Q.shape, sizeof in.shape);
    in.shape[D - 1] = in.p.dv;
    return in;
}
