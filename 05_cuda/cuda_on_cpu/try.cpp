/* Linked with anyone's program (make try): it runs three times, with the threads of a block in ascending, descending
 * and random order, and all checks on. What it prints comes from the first run; of the others, only what it says on
 * stderr and has not said before, the reports. Exit status 1 if there was one, else the program's own.
 *
 * It all happens before main: this process stays outside and forks one that goes on to main for each order. */
#include "cuda_on_cpu.h"
#include <fcntl.h>
#include <set>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern void print_traffic();
extern const char *place_of(const void *pc);
static int *reports; /* of all runs; shared with them */

static void at_end()
{
    *reports += cuda_on_cpu.reports;
    cuda_on_cpu.reports = 0;
    if (cuda_on_cpu.traffic) print_traffic();
}
static void at_signal(int number)
{
    *reports += cuda_on_cpu.reports;
    signal(number, SIG_DFL);
    raise(number);
}

static void begin_run(int order, int err)
{
    cuda_on_cpu.order = (enum cuda_on_cpu_order)order;
    cuda_on_cpu.seed = cuda_on_cpu.check = 1;
    cuda_on_cpu.traffic = order == 0 && getenv("TRAFFIC") && *getenv("TRAFFIC");
    dup2(err, 2), close(err);
    if (order) dup2(open("/dev/null", O_WRONLY), 1);
    if (cuda_on_cpu.traffic) place_of((const void *)print_traffic); /* what it remembers shall outlive at_end */
    atexit(at_end);
    for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(number, at_signal);
}

/* a report is known by its place and its kind, any other line by all of it: "my.cu:7: race in shared memory: ..." */
static size_t end_of_kind(const std::string &line)
{
    const size_t place = line.find(": ");
    const bool report = place != std::string::npos && line.find(' ') == place + 1 && line.find(':') < place;
    return report ? line.find(": ", place + 2) : std::string::npos;
}
/* from one run to stderr, at once where somebody watches, else behind what the run prints; how many reports were new */
static int pass_on(int from)
{
    static std::set<std::string> said;
    std::set<std::string> now;
    std::string later;
    int count = 0;
    char *line = NULL;
    size_t size = 0;
    FILE *f = fdopen(from, "r");
    while (f && getline(&line, &size, f) > 0) {
        const size_t kind = end_of_kind(line);
        const std::string key = std::string(line).substr(0, kind);
        if (said.count(key)) continue;
        isatty(2) ? (void)fputs(line, stderr) : (void)(later += line);
        now.insert(key);
        count += kind != std::string::npos;
    }
    fputs(later.c_str(), stderr);
    said.insert(now.begin(), now.end());
    return free(line), fclose(f), count;
}

__attribute__((constructor(101))) static void run_in_all_orders()
{
    static const char *const name[] = {"ascending", "descending", "random"};
    reports = (int *)mmap(NULL, sizeof *reports, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int result = 0, told = 0;
    for (int order = CUDA_ASCENDING; order <= CUDA_RANDOM; order++) {
        int ends[2], status;
        if (reports == MAP_FAILED || pipe(ends)) _exit((perror("try"), 2));
        const pid_t child = fork();
        if (child < 0) _exit((perror("try"), 2));
        if (child == 0) return close(ends[0]), begin_run(order, ends[1]);
        close(ends[1]);
        told += pass_on(ends[0]);
        waitpid(child, &status, 0);
        const int own = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (WIFSIGNALED(status))
            fprintf(stderr, "%s order of threads: ended by a signal: %s\n", name[order], strsignal(WTERMSIG(status)));
        else if (own != result && order) fprintf(stderr, "%s order of threads: exit status %d\n", name[order], own);
        if (!result) result = own;
    }
    if (!*reports) told = 0; /* only the program's own lines looked like it */
    fprintf(stderr, "ascending, descending and random order of threads: %d report%s\n", told, told == 1 ? "" : "s");
    _exit(*reports ? 1 : result);
}
