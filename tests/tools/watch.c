/* The moving tiles in a terminal: which queries meet which keys, and the account of these queries.
 *
 *     build/watch TRACE.csv              TRACE.csv: written by build/stage-4 --trace
 *     SPEED=10 build/watch TRACE.csv     tiles a second (4)
 *
 * Keys: space stops and goes on, n shows the next tile, + and - change the speed, q ends. Where the output is no
 * terminal, all tiles are printed one below the other. The whole trace is read into memory. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

typedef struct {
    size_t step, head, row, i0, i1, j0, j1;
    int skipped;
    float max, sum, rescale, first;
} line; /* a tile has one for each of its rows */

typedef struct {
    line *lines;
    size_t count, br, bc, n, m; /* queries and keys in a tile, and in all */
} trace;

static void fail(const char *file, const char *what)
{
    fprintf(stderr, "watch: %s: %s\n", file, what);
    exit(2);
}

static trace read_trace(const char *file)
{
    FILE *f = fopen(file, "r");
    trace t = {0};
    line l;
    int fields;
    if (!f) fail(file, strerror(errno));
    if (fscanf(f, "%*[^\n]") == EOF) fail(file, "is empty, a trace was expected");
    while ((fields = fscanf(f, "%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d,%f,%f,%f,%f", &l.step, &l.head, &l.row, &l.i0, &l.i1,
                            &l.j0, &l.j1, &l.skipped, &l.max, &l.sum, &l.rescale, &l.first)) == 12) {
        t.lines = realloc(t.lines, (t.count + 1) * sizeof l);
        if (!t.lines) fail(file, "does not fit into memory");
        t.lines[t.count++] = l;
        if (l.i1 > t.n) t.n = l.i1;
        if (l.j1 > t.m) t.m = l.j1;
    }
    if (fields != EOF || t.count == 0) fail(file, "is no trace: lines of 12 numbers were expected");
    fclose(f);
    t.br = t.lines[0].i1 - t.lines[0].i0;
    t.bc = t.lines[0].j1 - t.lines[0].j0;
    for (size_t i = 0; i < t.count; i += t.lines[i].i1 - t.lines[i].i0) { /* from tile to tile */
        const line *l = &t.lines[i];
        if (l->i1 <= l->i0 || l->j1 <= l->j0 || l->row != l->i0 || t.count - i < l->i1 - l->i0)
            fail(file, "is no trace: every tile has a line for each of its rows");
    }
    return t;
}

/* the row of tiles that begins with query i0, while the tile at `now` is being worked on */
static void print_tiles(const trace *t, const line *now, size_t i0)
{
    for (size_t i = 0; i < t->count; i++) {
        const line *l = &t->lines[i];
        if (l->head != now->head || l->i0 != i0 || l->row != i0) continue;
        fputs(l->step == now->step ? "###" : l->step > now->step ? " . " : l->skipped ? " / " : ":::", stdout);
    }
}

static void print_frame(const trace *t, const line *now)
{
    const int width = 3 * (int)((t->m + t->bc - 1) / t->bc);
    printf("head %zu: queries %zu to %zu meet keys %zu to %zu%s\n\n", now->head, now->i0, now->i1 - 1, now->j0,
           now->j1 - 1, now->skipped ? ": skipped, none of them may see one" : "");
    printf("%-*s  query  maximum  rescale      sum  O, first entry\n", width, "S");
    for (size_t y = 0; y * t->br < t->n || y < now->i1 - now->i0; y++) {
        if (y * t->br < t->n) print_tiles(t, now, y * t->br);
        else printf("%*s", width, "");
        if (y < now->i1 - now->i0) {
            const line *l = now + y;
            printf("  %5zu %8.3f %8.3f %8.3f %15.3f", l->row, l->max, l->rescale, l->sum, l->first);
        }
        printf("\n");
    }
    printf("\n### now  ::: done   /  skipped   .  to come\n");
}

/* ---- the terminal ---- */

static struct termios before;
static void restore(void) { tcsetattr(0, TCSANOW, &before); }

/* single keys, without Enter and without echo */
static void take_keys(void)
{
    struct termios keys;
    tcgetattr(0, &before);
    atexit(restore);
    keys = before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(0, TCSANOW, &keys);
}

/* a key, or 0 where none was pressed for so many seconds */
static char key(double seconds)
{
    fd_set input;
    struct timeval wait = {(time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)};
    char c = 0;
    FD_ZERO(&input);
    FD_SET(0, &input);
    return select(1, &input, NULL, NULL, &wait) > 0 && read(0, &c, 1) == 1 ? c : 0;
}

/* waits for the next tile's time; returns false when the viewer wants to end */
static bool pace(double *speed, bool *paused)
{
    for (;;) {
        const char c = key(*paused ? 3600 : 1 / *speed);
        if (c == 'q') return false;
        if (c == ' ') *paused = !*paused;
        else if (c == '+' && *speed < 100) *speed *= 1.5;
        else if (c == '-' && *speed > 0.1) *speed /= 1.5;
        else if (c == 'n' || (c == 0 && !*paused)) return true;
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: [SPEED=tiles a second] build/watch TRACE.csv\n"), 2;
    const char *text = getenv("SPEED");
    char *end = "";
    double speed = text && *text ? strtod(text, &end) : 4;
    const bool terminal = isatty(0) && isatty(1);
    bool paused = false;
    if (*end || !(speed >= 0.01 && speed <= 1000)) fail(text, "SPEED is tiles a second, a number from 0.01 to 1000");
    const trace t = read_trace(argv[1]);
    if (terminal) take_keys();
    for (size_t i = 0; i < t.count; i += t.lines[i].i1 - t.lines[i].i0) {
        if (terminal) printf("\033[H\033[J");
        print_frame(&t, &t.lines[i]);
        if (terminal) printf("space: stop, go on   n: next   + -: speed   q: end\n");
        else printf("\n");
        if (fflush(stdout) || ferror(stdout)) fail("standard output", strerror(errno));
        if (terminal && !pace(&speed, &paused)) break;
    }
    free(t.lines);
    return 0;
}
