/* NumPy's .npy files, read and written: the way for anyone's own Q, K and V into the ledger, and for O out of it.
 *
 * Read: float16, float32 and float64 (descr '<f2', '<f4', '<f8'; float64 is rounded to nearest), C or Fortran order,
 * versions 1.0, 2.0 and 3.0, two to four dimensions, sizes of zero too. NaN and infinity are data like any other.
 * Everything else is refused with one sentence: file, field, what was found, what was expected.
 * Written: version 1.0, C order, '<f4' or '<f8'. Bytes are put together one by one: any host's byte order will do.
 *
 * The header is not trusted: memory is asked for only when the file has been found to be as long as the shape says.
 * So it must be a file whose length can be told, not a pipe. Price: one call of fread an element.
 * The format is described in NumPy's documentation of numpy.lib.format. */
#ifndef NPY_H
#define NPY_H

#include <stddef.h>
#include <stdio.h>

enum { NPY_DIMENSIONS = 4, NPY_MESSAGE = 512 }; /* at most so many dimensions; room for any sentence */

typedef struct {
    size_t dimensions, shape[NPY_DIMENSIONS]; /* the product of the sizes that are not zero fits a size_t */
    float *data;                              /* C order: the last index runs fastest; the caller frees it */
} npy_array;

/* All return 0, or an errno value and a sentence in message: EINVAL where the file is not as described above,
 * EOVERFLOW where its shape means more bytes than can be counted, else what the system said. Then data is NULL. */
int npy_read(const char *path, npy_array *array, char message[NPY_MESSAGE]);
int npy_read_stream(FILE *file, const char *name, npy_array *array, char message[NPY_MESSAGE]); /* from its beginning */

/* descr: "<f4" (data is rounded to nearest) or "<f8". npy_write fills a neighbour of path and renames it: path holds
 * the whole new array, or is left as it was. */
int npy_write(const char *path, const char *descr, size_t dimensions, const size_t shape[], const double data[],
              char message[NPY_MESSAGE]);
int npy_write_stream(FILE *file, const char *name, const char *descr, size_t dimensions, const size_t shape[],
                     const double data[], char message[NPY_MESSAGE]);

#endif
