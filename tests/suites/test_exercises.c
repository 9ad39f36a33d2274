/* The exercises: the versions with lines taken out. As they are given out they compile and fail; the versions pass. */
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name, *folder, *file; } exercises[] = {
    {"0", "00_loop", "attention.c"}, {"1", "01_matrix", "attention.c"}, {"2", "02_safe_softmax", "attention.c"},
    {"3", "03_blockwise_bug", "attention.c"}, {"4", "04_online_softmax", "attention.c"},
    {"4-flash", "04_online_softmax", "flash.c"}, {"4-merge", "04_online_softmax", "decode.c"},
#ifdef HAVE_CUDA
    {"5", "05_cuda", "flash.cu"},
#endif
};
enum { EXERCISES = sizeof exercises / sizeof *exercises, SIZE = 1 << 15 };
static const char begin[] = "/* Your lines", end[] = "/* End of your lines */\n";

static char text[SIZE]; /* what a command printed */

/* the text of a file from the end of its first comment on */
static char *after_first_comment(int which, const char *sub_folder, char whole[SIZE])
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s%s", exercises[which].folder, sub_folder, exercises[which].file);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s is missing", path);
    const size_t length = fread(whole, 1, SIZE - 1, f);
    fclose(f);
    whole[length] = 0;
    char *comment = strstr(whole, "*/\n");
    ck_assert_msg(!strncmp(whole, "/*", 2) && comment, "%s does not open with a comment", path);
    return comment + 3;
}

START_TEST(outside_the_gaps_the_text_is_the_versions)
{
    static char version_text[SIZE], exercise_text[SIZE];
    const char *name = exercises[_i].name;
    const char *version = after_first_comment(_i, "", version_text);
    char *exercise = after_first_comment(_i, "exercise/", exercise_text);
    int gaps = 0;
    for (char *gap; (gap = strstr(exercise, begin)); gaps++) {
        while (gap > exercise && gap[-1] == ' ') gap--;
        *gap = 0; /* what stands before the gap must come next in the version, the first time anywhere */
        const char *same = gaps ? strstr(version, exercise) : version;
        ck_assert_msg(same && !strncmp(same, exercise, strlen(exercise)), "%s: before gap %d: %s", name, gaps,
                      exercise);
        ck_assert_msg(!gaps || same > version, "%s: gap %d holds nothing", name, gaps - 1);
        version = same + strlen(exercise);
        exercise = strstr(gap + 1, end);
        ck_assert_msg(exercise != NULL, "%s: gap %d has no end", name, gaps);
        exercise += strlen(end);
    }
    ck_assert_msg(gaps > 0, "%s: no gap", name);
    const size_t rest = strlen(exercise), length = strlen(version);
    ck_assert_msg(rest < length && !strcmp(version + length - rest, exercise), "%s: after the last gap", name);
}
END_TEST

static void expect_grade(int which, const char *sub_folder, int status, const char *words)
{
    char line[256];
    snprintf(line, sizeof line, "make -s exercise-%s FILE=%s/%s%s", exercises[which].name, exercises[which].folder,
             sub_folder, exercises[which].file);
    const int found = command(line, text, sizeof text);
    ck_assert_msg(found == status, "%s: exit status %d, expected %d: %s", line, found, status, text);
    ck_assert_msg(strstr(text, words) != NULL, "%s: expected '%s' in: %s", line, words, text);
    ck_assert_msg(!strstr(text, "[-W"), "%s does not compile cleanly: %s", line, text);
}

START_TEST(exercises_fail_as_given_out) { expect_grade(_i, "exercise/", 2, "as it was given out"); }
END_TEST

START_TEST(versions_pass_in_full) { expect_grade(_i, "", 0, "20 of 20 points"); }
END_TEST

/* runs a line that must succeed */
static void expect_success(const char *line)
{
    const int status = command(line, text, sizeof text);
    ck_assert_msg(status == 0, "%s: exit status %d: %s", line, status, text);
}

/* a class of two: one hands in version 0 and the exercise of stage 1, the other a file that does not compile */
START_TEST(a_class_is_graded)
{
    expect_success("rm -rf build/class && mkdir -p 'build/class/Ann O\"Hara' build/class/Bob && "
                   "cp 00_loop/attention.c 'build/class/Ann O\"Hara/stage-0.c' && "
                   "cp 01_matrix/exercise/attention.c 'build/class/Ann O\"Hara/stage-1.c' && "
                   "echo 'not C' >build/class/Bob/stage-0.c");
    expect_success("STAGES_GRADED='0 1' make -s grade DIR=build/class OUT=build/grades.csv TAP=build/class-tap "
                   "JUNIT=build/class.xml");
    ck_assert_msg(strstr(text, "stage 0, handed in by 2 of 2:") && strstr(text, " 1 does not compile\n"), "%s", text);
    expect_success("cut -d , -f 1-4 build/grades.csv; "
                   "grep -o 'is still the exercise\\|not handed in' build/grades.csv; "
                   "grep -c '<testcase' build/class.xml");
    ck_assert_str_eq(text, "\"student\",\"points\",\"0: points\",\"0: state\"\n"
                           "\"Ann O\"\"Hara\",22,20,\"graded\"\n\"Bob\",0,0,\"does not compile\"\n"
                           "is still the exercise\nnot handed in\n40\n");
    expect_success("grep -q '^ok' 'build/class-tap/Ann O\"Hara-stage-0.tap'");
    ck_assert_int_eq(command("make -s grade DIR=nowhere OUT=build/x.csv", text, sizeof text), 2);
    ck_assert_msg(strstr(text, "there is no folder 'nowhere'") != NULL, "%s", text);
}
END_TEST

/* what is given to a class has no version in it, and grades */
START_TEST(the_handout_grades_without_versions)
{
    expect_success("rm -rf build/handout && make -s handout DIR=build/handout");
    for (int i = 0; i < EXERCISES; i++) {
        char line[256];
        snprintf(line, sizeof line, "! find build/handout -type f -exec cmp -s {} %s/%s ';' -print | grep .",
                 exercises[i].folder, exercises[i].file);
        expect_success(line);
    }
    expect_success("make -s -C build/handout exercise-4 FILE=../../04_online_softmax/attention.c");
    ck_assert_msg(strstr(text, "20 of 20 points") != NULL, "%s", text);
    ck_assert_int_eq(command("make -s handout DIR=build/handout", text, sizeof text), 2);
    ck_assert_msg(strstr(text, "is there and not empty") != NULL, "%s", text);
}
END_TEST

Suite *exercises_suite(void)
{
    Suite *s = suite_create("exercises");
    TEST_CASE(s, every_stage, 60);
    tcase_add_loop_test(every_stage, outside_the_gaps_the_text_is_the_versions, 0, EXERCISES);
    tcase_add_loop_test(every_stage, exercises_fail_as_given_out, 0, EXERCISES);
    tcase_add_loop_test(every_stage, versions_pass_in_full, 0, EXERCISES);
    TEST_CASE(s, teachers, 180);
    tcase_add_test(teachers, a_class_is_graded);
    tcase_add_test(teachers, the_handout_grades_without_versions);
    return s;
}
