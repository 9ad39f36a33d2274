/* See watch.h. */
#include "watch.h"
#include <time.h>

watched watch;
bool watch_overlap = true;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int watched_flash(const flash_problem *p, const float *Q, const float *K, const float *V, float *O, float *lse);
int watched_flash(const flash_problem *p, const float *Q, const float *K, const float *V, float *O, float *lse)
{
    const double heads = (double)(p->batch * p->heads);
    for (size_t i = 0; i < p->n; i++) { /* causal: query i sees key j when j <= i + m - n */
        const size_t seen = !p->causal ? p->m : i + 1 + p->m < p->n ? 0 : i + 1 + p->m - p->n;
        watch.scores += heads * (double)(seen < p->m ? seen : p->m);
    }
    const double start = processor_seconds();
    const int error = attention_flash(p, Q, K, V, O, lse);
    watch.computing += processor_seconds() - start;
    return error;
}

void (*watch_error)(const char *said);

static void report(MPI_Comm *comm, int *error, ...)
{
    char said[MPI_MAX_ERROR_STRING];
    int length;
    (void)comm;
    MPI_Error_string(*error, said, &length);
    watch_error(said);
}

/* the communicator on which keys travel tells its errors to watch_error */
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    MPI_Errhandler ours = handler;
    if (watch_error) MPI_Comm_create_errhandler(report, &ours);
    const int error = PMPI_Comm_set_errhandler(comm, ours);
    if (watch_error) MPI_Errhandler_free(&ours);
    return error;
}

static long long bytes_of(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (long long)count * size;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    watch.sent += bytes_of(count, type);
    if (++watch.open > watch.open_most) watch.open_most = watch.open;
    const int error = PMPI_Isend(data, count, type, to, tag, comm, request);
    const double start = PMPI_Wtime();
    if (!watch_overlap) PMPI_Wait(request, MPI_STATUS_IGNORE);
    watch.waiting += PMPI_Wtime() - start;
    return error;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    watch.sent += bytes_of(count, type);
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *room, int most,
                 MPI_Datatype their_type, int from, int their_tag, MPI_Comm comm, MPI_Status *status)
{
    watch.sent += bytes_of(count, type);
    return PMPI_Sendrecv(data, count, type, to, tag, room, most, their_type, from, their_tag, comm, status);
}

int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (op != MPI_MAX) watch.merged += bytes_of(count, type);
    return PMPI_Allreduce(data, result, count, type, op, comm);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    const double start = PMPI_Wtime();
    const int error = PMPI_Wait(request, status);
    watch.waiting += PMPI_Wtime() - start;
    watch.open = 0;
    return error;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    const double start = PMPI_Wtime();
    const int error = PMPI_Waitall(count, requests, statuses);
    watch.waiting += PMPI_Wtime() - start;
    watch.open = 0;
    return error;
}
