/* The exercises: the versions with lines taken out. As they are given out they compile and fail; the versions pass. */
#include "expect.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 5, SIZE = 1 << 15 };
static const char begin[] = "/* Your lines", end[] = "/* End of your lines */\n";

static void folder_of(int stage, char folder[64])
{
    char pattern[16];
    glob_t found;
    snprintf(pattern, sizeof pattern, "0%d_*", stage);
    ck_assert_msg(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1, "one folder %s", pattern);
    snprintf(folder, 64, "%s", found.gl_pathv[0]);
    globfree(&found);
}

/* the text of a file from the end of its first comment on */
static char *after_first_comment(const char *folder, const char *name, char text[SIZE])
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s is missing", path);
    const size_t length = fread(text, 1, SIZE - 1, f);
    fclose(f);
    text[length] = 0;
    char *comment = strstr(text, "*/\n");
    ck_assert_msg(!strncmp(text, "/*", 2) && comment, "%s does not open with a comment", path);
    return comment + 3;
}

START_TEST(outside_the_gaps_the_text_is_the_versions)
{
    static char version_text[SIZE], exercise_text[SIZE];
    char folder[64];
    folder_of(_i, folder);
    const char *version = after_first_comment(folder, "attention.c", version_text);
    char *exercise = after_first_comment(folder, "exercise/attention.c", exercise_text);
    int gaps = 0;
    for (char *gap; (gap = strstr(exercise, begin)); gaps++) {
        while (gap > exercise && gap[-1] == ' ') gap--;
        *gap = 0; /* what stands before the gap must come next in the version, the first time anywhere */
        const char *same = gaps ? strstr(version, exercise) : version;
        ck_assert_msg(same && !strncmp(same, exercise, strlen(exercise)), "%s: before gap %d: %s", folder, gaps,
                      exercise);
        ck_assert_msg(!gaps || same > version, "%s: gap %d holds nothing", folder, gaps - 1);
        version = same + strlen(exercise);
        exercise = strstr(gap + 1, end);
        ck_assert_msg(exercise != NULL, "%s: gap %d has no end", folder, gaps);
        exercise += strlen(end);
    }
    ck_assert_msg(gaps > 0, "%s: no gap", folder);
    const size_t rest = strlen(exercise), length = strlen(version);
    ck_assert_msg(rest < length && !strcmp(version + length - rest, exercise), "%s: after the last gap", folder);
}
END_TEST

static void expect_grade(int stage, const char *name, int status, const char *words)
{
    static char text[SIZE];
    char folder[64], line[256];
    folder_of(stage, folder);
    snprintf(line, sizeof line, "make -s exercise-%d FILE=%s/%s", stage, folder, name);
    const int found = command(line, text, sizeof text);
    ck_assert_msg(found == status, "%s: exit status %d, expected %d: %s", line, found, status, text);
    ck_assert_msg(strstr(text, words) != NULL, "%s: expected '%s' in: %s", line, words, text);
    ck_assert_msg(!strstr(text, "[-W"), "%s does not compile cleanly: %s", name, text);
}

START_TEST(exercises_fail_as_given_out) { expect_grade(_i, "exercise/attention.c", 2, "as it was given out"); }
END_TEST

START_TEST(versions_pass_in_full) { expect_grade(_i, "attention.c", 0, "20 of 20 points"); }
END_TEST

Suite *exercises_suite(void)
{
    Suite *s = suite_create("exercises");
    TEST_CASE(s, every_stage, 60);
    tcase_add_loop_test(every_stage, outside_the_gaps_the_text_is_the_versions, 0, STAGES);
    tcase_add_loop_test(every_stage, exercises_fail_as_given_out, 0, STAGES);
    tcase_add_loop_test(every_stage, versions_pass_in_full, 0, STAGES);
    return s;
}
