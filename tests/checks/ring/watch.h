/* What a rank does, watched: the folder's files are compiled with -Dattention_flash=watched_flash, and MPI's profiling
 * interface (every MPI_X is also there as PMPI_X) lets our MPI_X be called first. The folder knows nothing of it. */
#ifndef WATCH_H
#define WATCH_H

#include "../../../04_online_softmax/ring/ring.h"

typedef struct {
    double scores;         /* computed by attention_flash */
    double computing;      /* seconds of this process's processor in attention_flash */
    double waiting;        /* seconds in MPI_Waitall, or wherever watch_overlap makes us wait */
    long long sent;        /* bytes given to MPI_Isend, MPI_Send, MPI_Sendrecv */
    long long merged;      /* bytes given to MPI_Allreduce for another operation than MPI_MAX */
    int open, open_most;   /* messages sent and not yet waited for; their largest number */
} watched;
extern watched watch;

/* false: a message is waited for as soon as it is sent, so that nothing travels while something is computed */
extern bool watch_overlap;

/* is told of an error of MPI while keys travel, and must not return; NULL: MPI ends the program */
extern void (*watch_error)(const char *said);

#endif
