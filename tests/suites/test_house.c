/* The house rules that a machine can check. */
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const folders[] = {"00_loop", "01_matrix", "02_safe_softmax", "03_blockwise_bug",
                                      "04_online_softmax"};

/* is this line of a diff one of code? The opening comment and empty lines are not. */
static bool is_code(const char *line)
{
    line += strspn(line, " ");
    return *line && *line != '\n' && *line != '*' && strncmp(line, "/*", 2);
}

/* code lines of b that a does not have, and of a that b does not have; a replaced line counts once */
static int changed_lines(const char *a, const char *b)
{
    static char text[1 << 16];
    char line[512];
    snprintf(line, sizeof line, "diff -U 0 %s/attention.c %s/attention.c | tail -n +3", a, b);
    ck_assert_int_eq(command(line, text, sizeof text), 0);
    int changed = 0, removed = 0, added = 0;
    for (char *at = text; *at; at += strcspn(at, "\n") + 1) {
        if (*at == '-') removed += is_code(at + 1);
        else if (*at == '+') added += is_code(at + 1);
        else changed += removed > added ? removed : added, removed = added = 0;
    }
    return changed + (removed > added ? removed : added);
}

/* The floor is GNU make 3.81, which comes with macOS; what stands here came with 3.82 to 4.4. */
START_TEST(makefiles_keep_to_make_3_81)
{
    static const char newer[] =
        "find . -name build -prune -o -name Makefile -print -o -name '*.mk' -print | xargs grep -nE "
        "-e '^[A-Za-z_]+ *(!|::|:::)=' -e '^(undefine|private|load) ' -e '[$][(](file|let|intcmp|guile) ' -e '&:' "
        "-e '^define [^ ]+ *[:+?]?=' -e '^[.]NOTPARALLEL: *[^ ]' "
        "-e '[.](ONESHELL|RECIPEPREFIX|SHELLFLAGS|SHELLSTATUS|EXTRA_PREREQS|WAIT)' || echo none";
    char text[1 << 12];
    ck_assert_int_eq(command(newer, text, sizeof text), 0);
    ck_assert_str_eq(text, "none\n");
}
END_TEST

START_TEST(neighbours_differ_by_the_lesson)
{
    static const int most[] = {0, 0, 10, 20, 20};
    for (int i = 2; i <= 4; i++) {
        const int changed = changed_lines(folders[i - 1], folders[i]);
        printf("diff-%d: %d changed lines of code\n", i, changed);
        ck_assert_int_gt(changed, 0);
        ck_assert_int_le(changed, most[i]);
    }
}
END_TEST

/* No function of more than 40 lines, no kernel of more than 100: from a line that is { to a line that is } */
START_TEST(functions_fit_a_screen)
{
    static const char list[] = "ls 0*_*/*.[ch] 0*_*/ring/*.[ch] 05_cuda/*.cu 05_cuda/cuda_on_cpu/*.* tests/*/*.[ch] "
                               "tests/*/ring/*.[ch] tests/*/*.cu";
    static char files[1 << 14];
    char line[1024];
    ck_assert_int_eq(command(list, files, sizeof files), 0);
    for (char *file = strtok(files, "\n"); file; file = strtok(NULL, "\n")) {
        FILE *f = fopen(file, "r");
        ck_assert_msg(f != NULL, "%s", file);
        for (int number = 1, start = 0, most = 40; fgets(line, sizeof line, f); number++) {
            if (strstr(line, "_kernel(const")) most = 100;
            if (!strcmp(line, "{\n")) start = number;
            if (!strcmp(line, "}\n") && start) {
                const int length = number - start - 1;
                ck_assert_msg(length <= most, "%s:%d: a function of %d lines", file, start, length);
                start = 0, most = 40;
            }
            ck_assert_msg(strcspn(line, "\n") <= 120, "%s:%d: a line of more than 120 columns", file, number);
            ck_assert_msg(!strchr(line, '\t'), "%s:%d: a tab", file, number);
        }
        fclose(f);
    }
}
END_TEST

START_TEST(the_makefile_is_read_first)
{
    char text[4096];
    ck_assert_int_eq(command("test $(wc -l <Makefile) -le 150", text, sizeof text), 0);
}
END_TEST

START_TEST(version_5_stays_small)
{
    char text[4096];
    ck_assert_int_eq(command("test $(wc -l <05_cuda/flash_mma.cu) -le 240", text, sizeof text), 0);
    ck_assert_int_eq(command("test $(cat 05_cuda/cuda_on_cpu/*.* | wc -l) -le 3300", text, sizeof text), 0);
    const char *long_ones = "wc -l 05_cuda/cuda_on_cpu/* | grep -v total | awk '$1 > 300' | grep .";
    const int found = command(long_ones, text, sizeof text);
    ck_assert_msg(found == 1, "more than 300 lines: %s", text); /* grep: nothing found */
}
END_TEST

START_TEST(versions_have_no_conditional_code)
{
    char text[4096];
    const int status = command("grep -n '^ *# *if' 0[0-4]_*/attention.c", text, sizeof text);
    ck_assert_msg(status == 1, "%s", text); /* grep: nothing found */
}
END_TEST

/* a folder includes its own files and the system's, nothing else */
START_TEST(folders_know_nothing_outside)
{
    char text[4096];
    const int status = command("grep -n '#include.*/' 0*_*/*.[ch] | grep -v '<sys/'", text, sizeof text);
    ck_assert_msg(status == 1, "%s", text);
}
END_TEST

/* the ring includes its own folder and its parent's headers, and is as short as its lesson says */
START_TEST(the_ring_stays_small_and_inside)
{
    char text[4096];
    const char *outside = "grep -n '#include.*/' 04_*/ring/*.[ch] | grep -v '\"\\.\\./[a-z]*\\.h\"'";
    const int status = command(outside, text, sizeof text);
    ck_assert_msg(status == 1, "%s", text);
    ck_assert_int_eq(command("test $(cat 04_*/ring/ring.c | wc -l) -le 150", text, sizeof text), 0);
    ck_assert_int_eq(command("test $(cat 04_*/ring/tree.c | wc -l) -le 60", text, sizeof text), 0);
}
END_TEST

/* README.md says how long each version is */
START_TEST(the_ladder_counts_lines)
{
    char text[512], line[512];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(line, sizeof line, "wc -l <%s/attention.c", folders[i]);
        ck_assert_int_eq(command(line, text, sizeof text), 0);
        snprintf(line, sizeof line, "grep -q '^| .%s.*| %d |' README.md", folders[i], atoi(text));
        ck_assert_msg(command(line, text, sizeof text) == 0, "%s", line);
    }
}
END_TEST

/* what GitHub's machines run are README's commands, in their order, in each of three jobs */
START_TEST(other_machines_run_the_readme)
{
    char text[1024];
    const int status = command("awk '/^```/ { on = /^```sh$/; next } on' README.md | head -n 2 >build/two; "
                               "cat build/two build/two build/two >build/six; "
                               "sed -n 's/^ *- run: \\(make.*\\)/\\1/p' docs/github-ci.yml | diff build/six -",
                               text, sizeof text);
    ck_assert_msg(status == 0, "%s", text);
}
END_TEST

Suite *house_suite(void)
{
    Suite *s = suite_create("house");
    TEST_CASE(s, rules, 30);
    tcase_add_test(rules, makefiles_keep_to_make_3_81);
    tcase_add_test(rules, neighbours_differ_by_the_lesson);
    tcase_add_test(rules, functions_fit_a_screen);
    tcase_add_test(rules, the_makefile_is_read_first);
    tcase_add_test(rules, version_5_stays_small);
    tcase_add_test(rules, versions_have_no_conditional_code);
    tcase_add_test(rules, folders_know_nothing_outside);
    tcase_add_test(rules, the_ring_stays_small_and_inside);
    tcase_add_test(rules, the_ladder_counts_lines);
    tcase_add_test(rules, other_machines_run_the_readme);
    return s;
}
