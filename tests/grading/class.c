/* Grades a class: make grade DIR=submissions OUT=grades.csv
 *
 *     build/grade-class DIR OUT
 *
 * Every file is graded by tests/grading/grade.sh, as many at a time as there are cores. What a file was graded to is
 * kept in build/grades under its content, so the same call goes on where it was interrupted; FRESH=1 starts anew. The
 * table OUT is written again whenever a student is done. STAGES_GRADED="0 1": only these.
 * Exit status: 0; 2 with a sentence on an error; 128 + its number after a signal. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "class.h"
#include "source.h"
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 64, PATH = 4096 };
static const char grades[] = "build/grades";

job *jobs;
int job_count;

static struct { pid_t process; int job; } workers[MOST_WORKERS];
static int worker_count;
static volatile sig_atomic_t interrupted;
static char temporary[PATH] = "/tmp/grade.XXXXXX";

static void on_signal(int number) { interrupted = number; }

static void remove_folder(const char *path)
{
    const pid_t child = fork();
    if (child == 0) execlp("rm", "rm", "-rf", "--", path, (char *)NULL), _exit(127);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

static void stop(int status)
{
    remove_folder(temporary);
    exit(status);
}

/* ---- what is to be done ---- */

static uint64_t hash(const char *bytes, size_t length) /* FNV-1a */
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3;
    return h;
}

static bool same_file(const char *path, const char *bytes, size_t length)
{
    static char other[FILE_SIZE];
    return read_file(path, other) == length && !memcmp(other, bytes, length);
}

static bool exists(const char *folder, const char *name)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* the job that grades these bytes: one that is there, or a new one */
static int job_for(int stage, const char *bytes, size_t length)
{
    job j = {.stage = stage};
    char source[PATH];
    for (int other = 0;; other++) { /* other: files that differ and have the same hash */
        snprintf(j.folder, sizeof j.folder, "%s/%.15s-%016llx-%d", grades, stages[stage].name,
                 (unsigned long long)hash(bytes, length), other);
        snprintf(source, sizeof source, "%s/source", j.folder);
        if (access(source, F_OK) || same_file(source, bytes, length)) break;
    }
    for (int i = 0; i < job_count; i++)
        if (!strcmp(jobs[i].folder, j.folder)) return i;
    if (access(source, F_OK)) {
        mkdir(j.folder, 0777);
        FILE *f = fopen(source, "w");
        if (!f || fwrite(bytes, 1, length, f) != length || fclose(f)) perror(source), stop(2);
    }
    j.done = exists(j.folder, "done");
    job *more = realloc(jobs, (size_t)(job_count + 1) * sizeof *jobs);
    if (!more) perror("memory"), stop(2);
    jobs = more;
    jobs[job_count] = j;
    return job_count++;
}

static bool is_asked(int stage)
{
    const char *asked = getenv("STAGES_GRADED");
    char list[256], name[32];
    snprintf(list, sizeof list, " %s ", asked && *asked ? asked : "");
    snprintf(name, sizeof name, " %.15s ", stages[stage].name);
    return !asked || !*asked || strstr(list, name);
}

/* stages that are not asked, and those that cannot be graded here, are no stages in this call */
static void leave_out_stages(void)
{
    int kept = 0;
    for (int i = 0; i < stage_count; i++) {
        const bool cuda = strstr(stages[i].file, ".cu") != NULL;
        if (!is_asked(i) || (cuda && access("build/graded/05_cuda/ready", F_OK))) continue;
        for (int k = 0; k < property_count; k++) properties[k].points[kept] = properties[k].points[i];
        stages[kept++] = stages[i];
    }
    stage_count = kept;
}

static void collect_jobs(void)
{
    static char bytes[FILE_SIZE];
    for (int i = 0; i < student_count; i++)
        for (int stage = 0; stage < stage_count; stage++) {
            submission *s = &students[i]->of[stage];
            char path[PATH + 64];
            if (s->state) continue;
            snprintf(path, sizeof path, "%s/%s", temporary, s->source);
            s->job = job_for(stage, bytes, read_file(path, bytes));
        }
}

/* ---- the work ---- */

static void start(int number, const char *how)
{
    char source[PATH], box[PATH + 64], shown[64];
    job *j = &jobs[number];
    snprintf(source, sizeof source, "%s/source", j->folder);
    snprintf(box, sizeof box, "%s/box-%d", temporary, number);
    snprintf(shown, sizeof shown, "stage-%s%s", stages[j->stage].name, strrchr(stages[j->stage].file, '.'));
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        setenv("BOX", box, 1), setenv("SHOWN", shown, 1), setenv("CLASS", "1", 1), setenv("QUIET", "1", 1);
        if (!getenv("LANG_")) setenv("LANG_", "en", 1);
        execl("tests/grading/grade.sh", "grade.sh", "work", stages[j->stage].name, source, j->folder, how,
              (char *)NULL);
        _exit(127);
    }
    if (child < 0) perror("fork"), stop(2);
    workers[worker_count].process = child;
    workers[worker_count++].job = number;
}

/* waits for one of the workers; returns the number of its job, or -1 after a signal */
static int finish(void)
{
    int status;
    const pid_t child = waitpid(-1, &status, 0);
    if (child < 0) return -1;
    for (int i = 0; i < worker_count; i++) {
        if (workers[i].process != child) continue;
        const int number = workers[i].job;
        workers[i] = workers[--worker_count];
        char path[PATH];
        snprintf(path, sizeof path, "%s/done", jobs[number].folder);
        FILE *f = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? fopen(path, "w") : NULL;
        if (!f || fclose(f)) {
            fprintf(stderr, "grade: %s could not be graded or kept: is the disk full? What was done is in the table\n",
                    jobs[number].folder);
            return -2;
        }
        jobs[number].done = true;
        return number;
    }
    return finish();
}

static void end_workers(void)
{
    for (int i = 0; i < worker_count; i++) kill(-workers[i].process, SIGTERM);
    while (worker_count && (waitpid(-1, NULL, 0) > 0 || errno == EINTR)) {}
}

bool is_done(const student *s)
{
    for (int stage = 0; stage < stage_count; stage++)
        if (s->of[stage].job >= 0 && !jobs[s->of[stage].job].done) return false;
    return true;
}

/* the line of progress, and the table anew if a student is done by this job */
static int tell(int number, int done, int todo, time_t began, const char *out)
{
    static int finished = -1;
    int now = 0;
    const char *who = "";
    grade g = {0};
    for (int i = 0; i < student_count; i++) {
        now += is_done(students[i]);
        if (students[i]->of[jobs[number].stage].job == number && !*who)
            who = students[i]->name, g = grade_of(students[i], jobs[number].stage);
    }
    const long left = done ? (long)(time(NULL) - began) * (todo - done) / done : 0;
    printf("%d of %d, ", done, todo);
    if (left >= 90) printf("about %ld min: ", (left + 30) / 60);
    else printf("about %ld s: ", left);
    printf("%s, stage %s: %d of %d\n", who, stages[jobs[number].stage].name, g.points, g.of);
    fflush(stdout);
    const bool rewrite = now != finished;
    finished = now;
    return rewrite ? write_tables(out) : 0;
}

static int work(const char *how, const char *out)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int most = cores < 1 ? 1 : cores > MOST_WORKERS ? MOST_WORKERS : (int)cores;
    const time_t began = time(NULL);
    int todo = 0, done = 0, next = 0, status = 0;
    for (int i = 0; i < job_count; i++) todo += !jobs[i].done;
    if (job_count > todo) printf("%d files are graded already; FRESH=1 starts anew.\n", job_count - todo);
    while (done < todo && status == 0 && !interrupted) {
        for (; worker_count < most && next < job_count; next++)
            if (!jobs[next].done) start(next, how);
        const int number = finish();
        if (number == -2) status = 2;
        if (number >= 0 && tell(number, ++done, todo, began, out)) status = 2;
    }
    if (status || interrupted) end_workers();
    if (write_tables(out)) status = 2;
    return status;
}

static const char *boxed_or_bare(void)
{
    FILE *f = popen("tests/grading/grade.sh how", "r");
    char how[16] = "";
    if (!f || fscanf(f, "%15s", how) != 1 || pclose(f)) fprintf(stderr, "grade: make grade calls this\n"), stop(2);
    if (!strcmp(how, "boxed")) return "boxed";
    puts("bubblewrap is missing or refused here: every file runs with limits of time, memory, processes and file\n"
         "size alone. It can read what you can read, use the network, and write where you can write.");
    return "bare";
}

int main(int count, char **words)
{
    if (count != 3) return fprintf(stderr, "usage: build/grade-class DIR OUT\n"), 2;
    read_tables();
    leave_out_stages();
    say_in_english();
    if (getenv("TMPDIR")) snprintf(temporary, sizeof temporary, "%s/grade.XXXXXX", getenv("TMPDIR"));
    if (!mkdtemp(temporary)) return perror(temporary), 2;
    for (size_t i = 0; i < 3; i++)
        sigaction((int[]){SIGINT, SIGTERM, SIGHUP}[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
    if (getenv("FRESH") && *getenv("FRESH")) remove_folder(grades);
    mkdir(grades, 0777);
    if (read_roster(words[1], temporary))
        fprintf(stderr, "grade: there is no folder '%s': %s\n", words[1], strerror(errno)), stop(2);
    if (student_count == 0)
        fprintf(stderr, "grade: '%s' has no folders: one for every student is expected, with stage-0.c and so on in "
                "it\n", words[1]), stop(2);
    const char *how = boxed_or_bare();
    collect_jobs();
    const int status = work(how, words[2]);
    if (interrupted) {
        fprintf(stderr, "\ngrade: interrupted. %s holds who is done; the same call goes on from here\n", words[2]);
        stop(128 + interrupted);
    }
    if (status == 0) {
        print_summary();
        printf("\nThe table is in %s.\n", words[2]);
    }
    stop(status);
}
