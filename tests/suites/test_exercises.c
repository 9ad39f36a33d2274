/* The exercises: the versions with lines taken out. As they are given out they compile and fail; the versions pass. */
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name, *folder, *file; } exercises[] = {
    {"0", "00_loop", "attention.c"}, {"1", "01_matrix", "attention.c"}, {"2", "02_safe_softmax", "attention.c"},
    {"3", "03_blockwise_bug", "attention.c"}, {"4", "04_online_softmax", "attention.c"},
    {"4-tiled", "04_online_softmax", "tiled.c"}, {"4-flash", "04_online_softmax", "flash.c"},
    {"4-merge", "04_online_softmax", "decode.c"},
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

START_TEST(exercises_fail_as_given_out) { expect_grade(_i, "exercise/", 2, "  0 of 20 points"); }
END_TEST

START_TEST(versions_pass_in_full) { expect_grade(_i, "", 0, "20 of 20 points"); }
END_TEST

/* runs a line that must succeed */
static void expect_success(const char *line)
{
    const int status = command(line, text, sizeof text);
    ck_assert_msg(status == 0, "%s: exit status %d: %s", line, status, text);
}

/* a class with every kind of name and file that was seen, or feared */
static void make_class(void)
{
    expect_success("rm -rf build/class-in && "
                   "mkdir -p build/class-in/Max_12_assignsubmission_file/up build/elsewhere && "
                   "cp 00_loop/attention.c build/elsewhere/stage-0.c && cd build/class-in && "
                   "mkdir 'Ann O\"Hara' Bob ' sp ' ./-n '$(id)' =SUM \"$(printf 'J\\366rg')\" \"$(printf 'a\\nb')\"");
    expect_success("cd build/class-in && loop=../../00_loop/attention.c matrix=../../01_matrix/attention.c && "
                   "cp $loop 'Ann O\"Hara/stage-0.c' && "
                   "cp ../../01_matrix/exercise/attention.c 'Ann O\"Hara/stage-1.c' && "
                   "cp $loop Bob/Stage-0.C && ln -s /etc/passwd Bob/stage-1.c && echo 'not C' >Bob/stage-0.c && "
                   "ln -s ../elsewhere link && : >' sp /stage-0.c' && mkdir ' sp /stage-1.c' && "
                   "cp $matrix ./-n/stage-0.c && "
                   "printf '\\377\\376i\\0' >'$(id)/stage-0.c' && cp $matrix Max_*/up/ && "
                   "mv Max_*/up/attention.c Max_12_assignsubmission_file/up/stage-1.c && "
                   "(cat $loop && echo 'int main(void) { return 0; }') >=SUM/stage-0.c && "
                   "(cat $matrix && echo '__attribute__((constructor)) void f(void) { abort(); }') >=SUM/stage-1.c");
}

static const char grade_it[] = "STAGES_GRADED='0 1' make -s grade DIR=build/class-in OUT=build/grades.csv";

START_TEST(a_class_is_graded)
{
    make_class();
    expect_success("rm -rf build/grades build/class-tap build/class-fb; " /* all that stands there is of this call */
                   "STAGES_GRADED='0 1' make -s grade DIR=build/class-in OUT=build/grades.csv TAP=build/class-tap "
                   "JUNIT=build/class.xml WIDE=build/wide.csv FEEDBACK=build/class-fb");
    static const char *const said[] = {
        "'J\\xf6rg' is left out", "'a\\x0ab' is left out", "stage 0, handed in by 7 of 8:", "Bob: Stage-0.C: expected",
        " sp : stage-0.c: it is empty"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        ck_assert_msg(strstr(text, said[i]) != NULL, "expected '%s' in: %s", said[i], text);
    expect_success("cat build/grades.csv");
    static const char *const rows[] = {
        "\"student\",\"points of 40\",\"0: points of 20\",\"0: likely cause\",\"1: points of 20\",\"1: likely ",
        "\n\"Ann O\"\"Hara\",20,20,\"\",0,\"lines are still to be written: ", "\n\"Bob\",0,0,\"it does not compile: ",
        ",0,\"is a link, not a file\"\n\"Max\",20,0,\"was not handed in\",20,\"\"\n",
        "\n\"link\",0,0,\"is a link, not a file\",0,\"is a link, not a file\"\n",
        "\" sp \",0,0,\"is empty\",0,\"is a folder or something else, not a file\"\n",
        "\n\"'-n\",0,0,\"there is no function attention_loop in the file, but attention_matrix: is this the file of ",
        "\n\"$(id)\",0,0,\"the file is UTF-16", "\n\"'=SUM\",0,0,\"main belongs to the grader",
        ",0,\"has code that would run before"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(strstr(text, rows[i]) != NULL, "expected '%s' in: %s", rows[i], text);
    expect_success("grep -q '^ok 1 - ' 'build/class-tap/Ann O\"Hara-stage-0.tap'; "
                   "grep -q '^not ok 1 - ' build/class-tap/Bob-stage-0.tap && "
                   "grep -q SKIP build/class-tap/Max-stage-0.tap; "
                   "grep -q 'not C' build/class-fb/Bob.md && grep -q 'Likely cause' 'build/class-fb/Ann O\"Hara.txt'; "
                   "grep -q '<testsuites tests=\"160\" failures=\"[0-9]*\" skipped=\"30\">' build/class.xml; "
                   "head -n 1 build/wide.csv | grep -q '0: state'");
}
END_TEST

/* a call that is interrupted leaves the rows of those who are done, and the next goes on to the same table */
START_TEST(an_interrupted_class_goes_on)
{
    make_class();
    expect_success("rm -rf build/grades");
    expect_success(grade_it);
    expect_success("cp build/grades.csv build/whole.csv && rm -rf build/grades build/grades.csv");
    const int status = command("rm -rf build/tmp; mkdir build/tmp; export TMPDIR=$PWD/build/tmp; { STAGES_GRADED='0 1' "
                               "make -s grade DIR=build/class-in OUT=build/grades.csv >build/tmp.log 2>&1 & } ; "
                               "until grep -q '^1 of 9' build/tmp.log; do sleep 0.05; done; "
                               "kill -TERM $!; wait $!; cat build/tmp.log; for i in 1 2 3 4 5 6 7 8 9; do "
                               "rmdir build/tmp && break; sleep 0.3; done",
                               text, sizeof text);
    ck_assert_msg(status == 0 && strstr(text, "goes on from here"), "%d: %s", status, text);
    expect_success(grade_it);
    expect_success("cmp build/grades.csv build/whole.csv");
    expect_success(grade_it);
    ck_assert_msg(strstr(text, "are graded already") != NULL, "%s", text);
    ck_assert_int_eq(command("make -s grade DIR=nowhere OUT=build/x.csv", text, sizeof text), 2);
    ck_assert_msg(strstr(text, "there is no folder 'nowhere'") != NULL, "%s", text);
    ck_assert_int_eq(command("STAGES_GRADED=0 make -s grade DIR=build/class-in OUT=/dev/full", text, sizeof text), 2);
    ck_assert_msg(strstr(text, "is the disk full?") != NULL, "%s", text);
}
END_TEST

/* whoever follows the hints has full points, however wide the grader's vectors are */
START_TEST(the_hints_of_flash_hold_at_every_width)
{
    static const char *const widths[] = {"", "-mavx2 -mfma", "-march=native"};
    expect_success("patch -s -o build/hinted.c 04_online_softmax/exercise/flash.c <tests/grading/hinted_flash.patch; "
                   "printf 'int main(void) {\n#ifdef __AVX2__\nreturn !__builtin_cpu_supports(\"avx2\");\n#endif\n"
                   "return 0; }\n' >build/width.c");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char line[256];
        snprintf(line, sizeof line, "cc %s -x c build/width.c -o build/width && build/width", widths[i]);
        if (command(line, text, sizeof text)) continue; /* not a width of this machine */
        snprintf(line, sizeof line, "make -s exercise-4-flash FILE=build/hinted.c GRADE_ARCH='%s'", widths[i]);
        expect_success(line);
        ck_assert_msg(strstr(text, "20 of 20 points") != NULL, "%s", text);
    }
}
END_TEST

#ifdef HAVE_CUDA
/* A race is one also where nothing turns its place into a line. */
START_TEST(a_race_counts_without_addr2line)
{
    expect_success("mkdir -p build/no-lines && printf '#!/bin/sh\nexit 1\n' >build/no-lines/addr2line && "
                   "chmod +x build/no-lines/addr2line && "
                   "patch -s -o build/race.cu 05_cuda/flash.cu <tests/grading/mutants/cuda_no_barrier_at_end.patch");
    const char *grade = "PATH=\"$PWD/build/no-lines:$PATH\" make -s exercise-5 FILE=build/race.cu";
    ck_assert_int_eq(command(grade, text, sizeof text), 2);
    ck_assert_msg(strstr(text, "FAILED  0 of 5  no race") != NULL, "%s", text);
    ck_assert_msg(strstr(text, ": race in shared memory: ") != NULL, "%s", text);
}
END_TEST
#endif

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
#ifdef HAVE_CUDA /* the first thing that is asked of it: nothing is built yet */
    expect_success("make -s -C build/handout exercise-5 FILE=../../05_cuda/flash.cu");
#endif
    expect_success("make -s -C build/handout exercise-4 FILE=../../04_online_softmax/attention.c");
    ck_assert_msg(strstr(text, "20 of 20 points") != NULL, "%s", text);
    static const char *const solutions[] = {"s += Q[i][k] * K[j][k];", "O[i][c] += P[i][j] * V[j][c];",
                                            "S[i][j] /= sum;", "scores(n, keys, d, Q, K + j, P);",
                                            "w[j] = exp(s * scale);"};
    for (size_t i = 0; i < sizeof solutions / sizeof *solutions; i++) {
        char line[256];
        snprintf(line, sizeof line, "cd build/handout && ! grep -rnF '%s' 0[0-3]* 04*/exercise answers --include=*.c "
                 "'--include=README*.md'", solutions[i]);
        expect_success(line);
    }
    expect_success("cp 00_loop/attention.c build/handout/answers/stage-0.c && "
                   "make -s -C build/handout next | tail -n 2");
    ck_assert_msg(strstr(text, "] 1 of ") && strstr(text, "Next: answers/stage-1.c"), "%s", text);
    ck_assert_int_eq(command("make -s handout DIR=build/handout", text, sizeof text), 2);
    ck_assert_msg(strstr(text, "is there and not empty") != NULL, "%s", text);
}
END_TEST

/* one release of some stages: no link leads out of it, help lists what works */
START_TEST(a_handout_of_some_stages)
{
    expect_success("rm -rf build/handout-some && make -s handout DIR=build/handout-some STAGES=0-2 && "
                   "cd build/handout-some && ls answers && grep -c '^      - id' .github/workflows/classroom.yml && "
                   "make help");
    static const char *const said[] = {"stage-0.c\nstage-1.c\nstage-2.c\n3\n", "make next", "make exercise-N"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        ck_assert_msg(strstr(text, said[i]) != NULL, "expected '%s' in: %s", said[i], text);
    ck_assert_msg(!strstr(text, "make stage-N") && !strstr(text, "not listed"), "%s", text);
    expect_success("cd build/handout-some && find . -name '*.md' | while read -r file; do "
                   "grep -o '](\\.[^)#]*' \"$file\" | "
                   "sed 's/](//' | while read -r link; do "
                   "[ -e \"$(dirname \"$file\")/$link\" ] || echo \"$file $link\"; done; done");
    ck_assert_msg(!*text, "dead links: %s", text);
    ck_assert_int_eq(command("make -s handout DIR=build/handout-none STAGES=9", text, sizeof text), 2);
}
END_TEST

/* what the weights of a row of exercise 3 add up to, in the words of many */
START_TEST(the_sentence_is_read)
{
    static const struct { const char *answer; int right; } answers[] = {
        {"the number of blocks", 1}, {"m/block", 1}, {"ceil(m / block)", 1}, {"one for each block", 1},
        {"as many as there are blocks", 1}, {"the block count", 1}, {"the number of blocks, not 1", 1},
        {"1, not the number of blocks", 0}, {"1", 0}, {"...", 0},
        {"块数，不是 1", 1}, {"1，不是块数", 0}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        char line[512];
        snprintf(line, sizeof line, "mkdir -p build/sentence && echo untouched >build/sentence/state && "
                 "sed 's#add up to [.]*$#add up to %s.#' 03_blockwise_bug/exercise/attention.c "
                 ">build/sentence/file.c && "
                 "LANG_=en build/report 3 build/sentence/file.c build/sentence; grep '^points' build/sentence/results",
                 answers[i].answer);
        expect_success(line);
        ck_assert_msg(strstr(text, answers[i].right ? "points\t2\t20" : "points\t0\t20") != NULL, "%s: %s",
                      answers[i].answer, text);
    }
}
END_TEST

/* by LANG_, or by the first locale that is set; the frame, the state, the cause and its full stop */
START_TEST(the_report_is_in_the_reader_s_language)
{
    static const struct { const char *set, *said[3]; } readers[] = {
        {"LANG_=zh", {"练习 3：", "这个文件还是练习发下来的原样。", "还有没写的行：第 "}},
        {"LC_ALL=zh_CN.UTF-8", {"练习 3：", "没过  0 / 2 分", "可能的原因："}},
        {"LC_ALL= LC_MESSAGES= LANG=zh_TW", {"练习 3：", "没过  0 / 2 分", "）。\n"}},
        {"LC_ALL=C LANG=zh_CN", {"Stage 3: ", "FAILED  0 of 2", "Likely cause: "}},
        {"LANG_=en LC_ALL=zh_CN", {"Stage 3: ", "FAILED  0 of 2", ").\n"}}};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        char line[256];
        snprintf(line, sizeof line, "mkdir -p build/language && echo untouched >build/language/state && "
                 "unset LANG_; %s build/report 3 03_blockwise_bug/exercise/attention.c build/language; test $? = 1",
                 readers[i].set);
        expect_success(line);
        for (size_t k = 0; k < 3; k++)
            ck_assert_msg(strstr(text, readers[i].said[k]) != NULL, "%s: expected '%s' in: %s", readers[i].set,
                          readers[i].said[k], text);
    }
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
    tcase_set_tags(teachers, "class"); /* some minutes: make test-grading */
    tcase_add_test(teachers, a_class_is_graded);
    tcase_add_test(teachers, an_interrupted_class_goes_on);
    tcase_add_test(teachers, the_hints_of_flash_hold_at_every_width);
#ifdef HAVE_CUDA
    tcase_add_test(teachers, a_race_counts_without_addr2line);
#endif
    tcase_add_test(teachers, a_handout_of_some_stages);
    tcase_add_test(teachers, the_handout_grades_without_versions);
    TEST_CASE(s, words, 60);
    tcase_add_test(words, the_sentence_is_read);
    tcase_add_test(words, the_report_is_in_the_reader_s_language);
    return s;
}
