/* attention_ring and attention_tree on as many ranks as mpirun starts:  mpirun -n 3 build/ring/test [NAME ...]
 *
 * Every test has a name, and a hint for whoever wrote ring.c as an exercise. A failure is a line "FAILED name: ...",
 * and so are a crash and a test that does not end. The last line counts: "N passed, N failed on N ranks"; the exit
 * status is 1 if any failed. NAME: just these. */
#include "tests.h"
#include "watch.h"
#include "../../grading/sentences.h"
#include "../../suites/counted.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rank, ranks;
static const char *current;      /* the test that runs */
static int checks, failed;       /* of the current test */


/* the test can't go on: says why, and ends this rank, and with it the job */
static void give_up(const char *why)
{
    char line[512];
    snprintf(line, sizeof line, "FAILED %s: %s\n", current, why);
    if (write(STDOUT_FILENO, line, strlen(line)) < 0) _exit(2);
    _exit(1);
}

static void stopped(int number)
{
    give_up(number == SIGALRM ? "it does not end: somebody waits for mail that nobody sends" : "it crashes");
}

bool check(bool right, const char *format, ...)
{
    int first = right ? ranks : rank; /* rank that finds it wrong */
    va_list list;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    checks++;
    if (first == ranks) return true;
    if (failed++ || rank != first) return false; /* the first failure tells it */
    printf("FAILED %s: rank %d: ", current, rank);
    va_start(list, format), vprintf(format, list), va_end(list);
    puts("");
    return false;
}

static const struct {
    const char *name; /* ring.NAME in tests/grading/sentences.en is its hint */
    void (*run)(void);
} tests[] = {
    {"written", written}, {"shares", shares}, {"dense", dense}, {"causal", causal}, {"hot", hot},
    {"tree", tree}, {"bytes", bytes}, {"balance", balance}, {"waits", waits}, {"policy", policy},
    {"bits", bits}, {"errors", errors}, {"storage", storage}, {"mail", mail}, {"killed", killed},
};

/* is the test asked for? */
static bool asked(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name)) return true;
    return argc == 1 && strcmp(name, "killed");
}

static void hint(void)
{
    char coded[64], text[SENTENCE];
    snprintf(coded, sizeof coded, "frame.likely|%d|%d|@ring.%s", failed, checks, current);
    printf("       %s\n", say(text, coded));
}

int main(int argc, char **argv)
{
    int passed = 0, wrong = 0;
    const char *seconds = getenv("SECONDS_A_TEST");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    watch_error = give_up;
    setvbuf(stdout, NULL, _IOLBF, 0);
    const int signals[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], stopped);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (!asked(tests[i].name, argc, argv)) continue;
        current = tests[i].name, failed = checks = 0;
        alarm(seconds ? (unsigned)atoi(seconds) : 30);
        tests[i].run();
        alarm(0);
        if (rank == 0 && failed) hint();
        if (failed || !checks) wrong++;
        else passed++;
        if (failed && !strcmp(current, "written")) break;
    }
    if (rank == 0) printf("%d passed, %d failed on %d ranks\n", passed, wrong, ranks);
    MPI_Finalize();
    return wrong || !passed;
}
