/* The programs as a reader meets them: what they print, and what they say of a wrong command line. */
#include "expect.h"
#include "../tools/npy.h"
#include "reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 16];

/* runs a line in a fresh folder's shell; status and some words of its output are expected */
static void expect_command(const char *line, int status, const char *words)
{
    const int found = command(line, text, sizeof text);
    ck_assert_msg(found == status, "%s: exit status %d, expected %d: %s", line, found, status, text);
    ck_assert_msg(strstr(text, words) != NULL, "%s: expected '%s' in: %s", line, words, text);
}

/* the worked example's results, from every program that is right about it */
START_TEST(programs_agree_on_the_worked_example)
{
    expect_command("build/stage-0", 0, "[30.3054 1.0000]");
    expect_command("build/stage-0", 0, "[18.6191 1.0000]");
    expect_command("build/stage-1", 0, "  30.3054   1.0000\n  18.6191   1.0000\n");
    expect_command("build/stage-2", 0, "0.08714     0.03206      0.6439      0.2369");
    expect_command("build/stage-3", 0, "row 2.0000\n  O = [45.3788 2.0000] and [50.0000 2.0000]");
    expect_command("build/stage-4", 0, "[30.3054 1.0000] and [18.6191 1.0000]");
}
END_TEST

START_TEST(hot_scores_break_the_naive_softmax_only)
{
    expect_command("build/stage-2", 0, "nan           0         nan         nan");
    expect_command("build/stage-2", 0, "0           0           1   3.784e-44");
}
END_TEST

START_TEST(ledger_shows_the_article)
{
    expect_command("build/ledger", 0, "largest score 310.34");
    expect_command("build/ledger", 0, "512 of   512     not finite");
    expect_command("build/ledger", 0, "2.118          2.118       1024      1048576   2.1 from version 2");
    expect_command("build/ledger --versions 4", 0, "online ");
    ck_assert(!strstr(text, "\nmatrix"));
}
END_TEST

START_TEST(ledger_refuses_a_wrong_command_line)
{
    static const char *const blocks[] = {"0", "-1", "0a", "99999999999999999999999", "abc", "''", "1.5"};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        char line[128];
        snprintf(line, sizeof line, "build/ledger --block %s", blocks[i]);
        expect_command(line, 2, "usage: build/ledger");
        ck_assert(strstr(text, "--block takes a whole number"));
    }
    expect_command("build/ledger --hot nan", 2, "--hot takes a finite number, not 'nan'");
    expect_command("build/ledger --scale x", 2, "--scale takes a finite number, not 'x'");
    expect_command("build/ledger --hot", 2, "--hot needs a value after it");
    expect_command("build/ledger --block", 2, "--block needs a value after it");
    expect_command("build/ledger --wrong", 2, "there is no option '--wrong'");
    expect_command("build/ledger --scale 1e39", 2,
                   "--scale is computed in float32, which ends at 3.4e38: '1e39' is beyond");
    expect_command("build/ledger --versions 7", 2, "there is no version 7, there are 0 to ");
    expect_command("build/ledger README.md README.md README.md", 2, "README.md: is no .npy file: magic is # Atte, ");
    expect_command("build/ledger --wrong 1", 2, "there is no option '--wrong'");
    expect_command("build/ledger --versions 2-1", 2, "--versions takes a whole number, 2 or more, not '1'");
    expect_command("build/ledger --versions 1x", 2, "--versions takes A or A-B, not '1x'");
    expect_command("build/ledger a b", 2, "three files are taken, Q.npy K.npy V.npy, not 2");
    expect_command("build/ledger a b c d", 2, "'d' is one more");
    expect_command("build/ledger a.npy b.npy c.npy", 2, "a.npy");
    expect_command("build/ledger --csv /nowhere/x.csv", 2, "/nowhere/x.csv.part: No such file");
    expect_command("build/ledger --out /nowhere/x", 2, "/nowhere/x: No such file");
    ck_assert_msg(!strstr(text, "largest score"), "it computed before it looked where to: %s", text);
    expect_command("build/ledger --out README.md", 2, "README.md");
    expect_command("build/ledger --help", 0, "usage: build/ledger");
}
END_TEST

static void write_zeros(const char *path, size_t dimensions, const size_t shape[])
{
    char message[NPY_MESSAGE];
    size_t count = 1;
    for (size_t i = 0; i < dimensions; i++) count *= shape[i];
    double *data = need(count, sizeof *data);
    for (size_t i = 0; i < count; i++) data[i] = (double)(i % 7);
    ck_assert_msg(npy_write(path, "<f4", dimensions, shape, data, message) == 0, "%s", message);
    free(data);
}

#define TENSOR(name, ...) write_zeros("build/own/" name ".npy", sizeof(size_t[]){__VA_ARGS__} / sizeof(size_t), \
                                      (size_t[]){__VA_ARGS__})
#define OWN "build/ledger build/own/Q.npy build/own/K.npy build/own/V.npy"

START_TEST(ledger_takes_own_tensors)
{
    expect_command("mkdir -p build/own", 0, "");
    TENSOR("Q", 3, 5), TENSOR("K", 4, 5), TENSOR("V", 4, 2);
    expect_command(OWN, 0, "n = 3, m = 4, d = 5, dv = 2, block = 16; Q and K times 1\n");
    expect_command(OWN " --hot 10 --block 2", 0, "block = 2; Q and K times 10\n");
    TENSOR("Q", 6, 3, 5), TENSOR("K", 3, 4, 5), TENSOR("V", 3, 4, 2);
    expect_command(OWN, 0, "batch = 1, heads = 6, n = 3, m = 4, d = 5, dv = 2");
    TENSOR("Q", 2, 6, 3, 5), TENSOR("K", 2, 6, 4, 5), TENSOR("V", 2, 6, 4, 2);
    expect_command(OWN " --csv build/own/rows.csv --out build/own/O", 0, "batch = 2, heads = 6");
    expect_command("cat build/own/rows.csv", 0, "\n1,online,72,0,");
    for (size_t i = 0; i < version_count; i++) { /* the shape of O is that of Q with dv in place of d */
        char path[256], message[NPY_MESSAGE];
        npy_array O;
        snprintf(path, sizeof path, "build/own/O/O_%s.npy", versions[i].name);
        ck_assert_msg(npy_read(path, &O, message) == 0, "%s", message);
        ck_assert(O.dimensions == 4 && O.shape[0] == 2 && O.shape[1] == 6 && O.shape[2] == 3 && O.shape[3] == 2);
        free(O.data);
    }
    TENSOR("Q", 0, 5), TENSOR("K", 4, 5), TENSOR("V", 4, 2);
    expect_command(OWN, 0, "n = 0, m = 4");
}
END_TEST

START_TEST(ledger_refuses_tensors_that_do_not_fit)
{
    expect_command("mkdir -p build/own", 0, "");
    TENSOR("Q", 3, 5), TENSOR("K", 4, 6), TENSOR("V", 4, 2);
    expect_command(OWN, 2, "build/own/K.npy: shape: the row length d is 6, expected 5 as in build/own/Q.npy");
    TENSOR("K", 4, 5), TENSOR("V", 3, 2);
    expect_command(OWN, 2, "build/own/V.npy: shape: the number of keys m is 3, expected 4 as in build/own/K.npy");
    TENSOR("V", 1, 4, 2);
    expect_command(OWN, 2, "build/own/V.npy: shape: the number of dimensions is 3, expected 2");
    TENSOR("Q", 4, 3, 5), TENSOR("K", 3, 4, 5), TENSOR("V", 3, 4, 2);
    expect_command(OWN, 2, "build/own/K.npy: shape: heads is 3, expected a divisor of the 4 heads");
    TENSOR("Q", 3, 0), TENSOR("K", 4, 0), TENSOR("V", 4, 2);
    expect_command(OWN, 2, "build/own/Q.npy: shape: d is 0, expected at least 1");
    expect_command("head -c 8315 tests/data/article/Q.npy >build/own/short.npy && "
                   "build/ledger build/own/short.npy build/own/K.npy build/own/V.npy", 2,
                   "build/own/short.npy: data is 8187 bytes, expected 8192");
}
END_TEST

/* S of 46,341 squared floats is beyond 2^31 elements and beyond this limit */
START_TEST(no_memory_is_said)
{
    expect_command("mkdir -p build/own", 0, "");
    TENSOR("Q", 46341, 1), TENSOR("K", 46341, 1), TENSOR("V", 46341, 1);
    expect_command("ulimit -v 2000000; " OWN " --versions 2", 2, "ledger: safe: Cannot allocate memory");
    expect_command("ulimit -v 2000000; " OWN " --versions 1", 2, "ledger: matrix: Cannot allocate memory");
}
END_TEST

/* what is no file stays what it is: a link, a pipe, a device */
START_TEST(csv_onto_what_is_no_file)
{
    expect_command("mkdir -p build/own && cd build/own && rm -f real link pipe && : >real && ln -s real link && "
                   "mkfifo pipe", 0, "");
    expect_command("build/ledger --versions 0 --csv build/own/link", 0, "loop");
    expect_command("test -L build/own/link && cat build/own/real", 0, "1,loop,512,0,");
    expect_command("cat build/own/pipe & build/ledger --versions 0 --csv build/own/pipe >build/own/out; wait", 0,
                   "1,loop,512,0,");
    expect_command("test -p build/own/pipe && ls build/own/*.part 2>&1; :", 0, "No such file");
    expect_command("build/ledger --versions 0 --csv /dev/null && test -c /dev/null && ls /dev/null.part 2>&1; :", 0,
                   "No such file");
}
END_TEST

/* a full disk: a sentence and status 2, from every program */
START_TEST(what_is_printed_must_arrive)
{
    static const char *const programs[] = {
        "build/stage-0", "build/stage-1", "build/stage-2", "build/stage-3", "build/stage-4",
        "build/ledger --versions 0", "build/experiment", "build/experiment blocks",
        "build/watch build/data/causal.csv"};
    if (command("test -c /dev/full", text, sizeof text)) return;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char line[128];
        snprintf(line, sizeof line, "%s >/dev/full", programs[i]);
        expect_command(line, 2, "standard output: ");
    }
}
END_TEST

START_TEST(watch_says_what_it_takes)
{
    expect_command("make -s watch WALK=foo", 2, "There is no walk 'foo'. The walks are: dense causal");
    expect_command("ls build/data/foo* 2>&1; :", 0, "No such file");
    expect_command("make -s watch SPEED=1000", 0, "queries 48 to 63");
    expect_command("make -s watch SPEED=1001", 2, "1001: SPEED is tiles a second, a number from 0.01 to 1000");
    expect_command("make -s watch SPEED=4x", 2, "4x: SPEED is tiles a second");
}
END_TEST

START_TEST(make_refuses_what_it_does_not_know)
{
    expect_command("make stage-9", 2, "There is no stage '9'. The stages are: 0 1 2 3 4");
    expect_command("make diff-0", 2, "There is no diff '0'. There are: 1 2 3 4 tiled.");
    expect_command("make help", 0, "make stage-N");
    ck_assert_msg(!strstr(text, "not listed"), "%s", text);
    expect_command("make stage5", 2, "There is no target 'stage5'; the nearest is stage-5.");
    expect_command("make CC=nothing", 2, "There is no C compiler 'nothing': make setup installs one");
    expect_command("make -C 05_cuda CXX=nothing", 2, "There is no C++17 compiler 'nothing', and version 5 needs one");
    expect_command("make xyzzyfoo", 2, "There is no target 'xyzzyfoo'. make help lists them.");
}
END_TEST

/* make exercise-0 SANITIZE=1 says what the sanitizer said, and the line */
START_TEST(a_sanitizer_s_words_are_said)
{
    char text[1 << 14];
    const char *asked = "sed 's/k < d; k++/k <= d; k++/' 00_loop/attention.c >build/outside.c; "
                        "make -s exercise-0 FILE=build/outside.c 2>&1 | tail -n 3";
    ck_assert_int_eq(command(asked, text, sizeof text), 0);
    ck_assert_msg(strstr(text, "Likely cause: a sanitizer stopped it: line 31, index ") != NULL, "%s", text);
}
END_TEST

Suite *commands_suite(void)
{
    Suite *s = suite_create("commands");
    TEST_CASE(s, programs, 60);
    tcase_add_test(programs, programs_agree_on_the_worked_example);
    tcase_add_test(programs, hot_scores_break_the_naive_softmax_only);
    TEST_CASE(s, ledger, 120);
    tcase_add_test(ledger, ledger_shows_the_article);
    tcase_add_test(ledger, ledger_refuses_a_wrong_command_line);
    tcase_add_test(ledger, ledger_takes_own_tensors);
    tcase_add_test(ledger, csv_onto_what_is_no_file);
    tcase_add_test(programs, watch_says_what_it_takes); /* writes the walk that the next one reads */
    tcase_add_test(programs, what_is_printed_must_arrive);
    tcase_add_test(ledger, ledger_refuses_tensors_that_do_not_fit);
#ifdef __linux__ /* elsewhere ulimit may not know -v; AddressSanitizer cannot start under it */
    if (!SANITIZED) tcase_add_test(ledger, no_memory_is_said);
#else
    (void)no_memory_is_said;
#endif
    TEST_CASE(s, makefile, 120);
    tcase_add_test(makefile, make_refuses_what_it_does_not_know);
    if (SANITIZED) tcase_add_test(makefile, a_sanitizer_s_words_are_said);
    return s;
}
