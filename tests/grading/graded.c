/* Runs the suites on one version alone, a student's or a mutant, and expects the worst of it: a crash, an endless loop,
 * too much memory, an end of the program. Each test runs in a process of its own with limits.
 *
 *     CK_LOG_FILE_NAME=/dev/fd/3 VERSION=online ./graded 3>log
 *
 * The log (Check's own) is what tests/grading/report.c reads. QUIET=1: what the version prints is not shown.
 * LONG=1: the sizes suite too. */
#define _DEFAULT_SOURCE /* limits, an alternate stack, anonymous memory: beyond POSIX's core */
#define _DARWIN_C_SOURCE
#define UNCOUNTED
#include "../suites/counted.h"
#include "../suites/expect.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

Suite *cases_suite(void), *contracts_suite(void), *merge_suite(void), *mistakes_suite(void), *policy_suite(void),
    *properties_suite(void), *sizes_suite(void);

enum { BYTES = 1 << 30, FILE_BYTES = 1 << 20, NOBODY = 65534, STACK = 1 << 16 };
enum { LOG = 3, MOST_FILES = 64 }; /* the descriptor of the log, if there is one */
/* processor time for a test; after one that used it up, for the others; and after so many of these nothing is asked */
enum { SECONDS = 3, THEN_MILLISECONDS = 300, ENOUGH = 5 };

/* shared by the processes of all tests */
static struct { int ended, endless; } *counts;

static void on_signal(int number)
{
    const bool late = number == SIGPROF || number == SIGALRM;
    const char *how = late ? "late" : number == SIGFPE ? "division" : number == SIGABRT ? "c_library"
                    : number == SIGXFSZ ? "file" : counted_peak() > BYTES ? "memory"
                    : number == SIGILL ? "instruction" : "address";
    counts->endless += late;
    ck_abort_msg("%s: crash.%s", last_input(), how);
}

static void limit(int resource, rlim_t most) { setrlimit(resource, &(struct rlimit){most, most}); }

/* The log is open in the process of a test, too, and must not be: what is tested could write its own results. */
static void close_log(void)
{
    struct stat log, other;
    if (fstat(LOG, &log)) return;
    for (int file = LOG; file < MOST_FILES; file++)
        if (!fstat(file, &other) && other.st_dev == log.st_dev && other.st_ino == log.st_ino) close(file);
}

/* in the process of a test, before it: limits of processor time, memory, processes and files */
static void before(void)
{
    close_log();
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGALRM, SIGXFSZ};
    static char stack[STACK]; /* the handler's own, because the version may have used up the other */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = STACK}, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, NULL);
    const long pace = getenv("PACE") ? atol(getenv("PACE")) : 1; /* of a slower machine: see grade.sh */
    const long milliseconds = counts->endless ? THEN_MILLISECONDS : SECONDS * 1000 * pace;
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}}, NULL);
    if (counts->endless >= ENOUGH) ck_abort_msg("crash.too_many_late");
    alarm(counts->endless ? 1 : 4 * SECONDS * (unsigned)pace); /* for one that sleeps */
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, FILE_BYTES);
    if (!SANITIZED) { /* AddressSanitizer reserves terabytes */
        /* the sizes suite maps a megabyte many times; version 5 needs room for the stacks of its threads */
        limit(RLIMIT_DATA, (rlim_t)BYTES * (versions[0].stage == 5 ? 4 : 1));
        limit(RLIMIT_AS, (rlim_t)BYTES * (getenv("LONG") ? 12 : versions[0].stage == 5 ? 4 : 1));
    }
    if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY))) {} /* no limit of processes holds for root */
    limit(RLIMIT_NPROC, 0);
    const int nothing = getenv("QUIET") ? open("/dev/null", O_WRONLY) : -1;
    if (nothing >= 0) dup2(nothing, STDOUT_FILENO), dup2(nothing, STDERR_FILENO);
}

static void after(void) { counts->ended++; }

int main(void)
{
    const char *name = getenv("VERSION");
    const bool merge = name && !strcmp(name, "merge"); /* of accounts: no version of its own */
    if (!merge && (!name || !only_version(name))) {
        fprintf(stderr, "VERSION must be loop, matrix, safe, blockwise_bug, online, tiled, flash or merge\n");
        return 2;
    }
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0); /* what is tested reaches neither our memory nor our files by /proc */
#endif
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED) return perror("shared memory"), 2;
    one_core();
    before_test = before;
    after_test = after;
    Suite *(*const suites[])(void) = {properties_suite, policy_suite, cases_suite, contracts_suite, mistakes_suite};
    SRunner *runner = srunner_create(merge ? merge_suite() : NULL);
    for (size_t i = 0; i < sizeof suites / sizeof *suites && !merge; i++) srunner_add_suite(runner, suites[i]());
    if (getenv("LONG")) srunner_add_suite(runner, sizes_suite());
    /* all is asked, whatever part of the suites a caller was told to run */
    static const char *const parts[] = {"CK_RUN_SUITE", "CK_RUN_CASE", "CK_INCLUDE_TAGS", "CK_EXCLUDE_TAGS"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) unsetenv(parts[i]);
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner), passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);
    /* a test that passed has come to its end, unless the version ended the program */
    const char *log = getenv("CK_LOG_FILE_NAME");
    FILE *f = counts->ended < passed && log ? fopen(log, "a") : NULL;
    if (f) fprintf(f, "ended early: %d\n", passed - counts->ended), fclose(f);
    return failed > 0;
}
