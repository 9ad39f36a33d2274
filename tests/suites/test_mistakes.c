/* No version makes a mistake that is typical; for a student's file these tests find the cause, and their messages are
 * keys of tests/grading/sentences.en. The earlier one stands, the surer it is of what it says. */
#include "expect.h"
#include "../grading/mistakes.h"
#include "reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5, M = 130, D = 70, DV = 70, BLOCK = 64, MARGIN = 16 };

static void *copy(const float *x, size_t count)
{
    return memcpy(need(count, sizeof *x), x, count * sizeof *x);
}

START_TEST(the_inputs_stay)
{
    const version *v = &versions[_i];
    uint64_t state = seed();
    const problem p = simple_problem(N, M, D, DV, BLOCK);
    const tensors t = normal_tensors(&p, &state);
    float *Q = copy(t.Q, N * D), *K = copy(t.K, M * D), *V = copy(t.V, M * DV);
    double *O = need(N * DV, sizeof *O);
    run_version(v, &p, t, O, "inputs");
    ck_assert_msg(!memcmp(Q, t.Q, N * D * sizeof *Q), "cause.input_changed|Q");
    ck_assert_msg(!memcmp(K, t.K, M * D * sizeof *K), "cause.input_changed|K");
    ck_assert_msg(!memcmp(V, t.V, M * DV * sizeof *V), "cause.input_changed|V");
    free(Q), free(K), free(V), free(O), free_tensors(t);
}
END_TEST

START_TEST(no_size_is_taken_for_another)
{
    const char *cause = mixed_up_sizes(&versions[_i / SHAPES], (size_t)_i % SHAPES);
    ck_assert_msg(!cause, "%s", cause);
}
END_TEST

/* AddressSanitizer finds more where nothing lies behind the outputs */
START_TEST(the_arrays_end)
{
    static const struct { size_t n, m, d, dv; } shapes[] = {{3, 5, 2, 4}, {5, 3, 4, 2}, {N, M, D, DV}};
    const version *v = &versions[_i];
    uint64_t state = seed();
    outputs_margin = getenv("NO_MARGIN") ? 0 : MARGIN;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const problem p = simple_problem(shapes[i].n, shapes[i].m, shapes[i].d, shapes[i].dv, BLOCK);
        const tensors t = normal_tensors(&p, &state);
        double *O = need(outputs(&p) + outputs_margin, sizeof *O);
        run_version(v, &p, t, O, "arrays");
        for (size_t k = 0; k < outputs_margin; k++) margin_was_written |= O[outputs(&p) + k] != 0;
        ck_assert_msg(!margin_was_written, "cause.outside|");
        free(O), free_tensors(t);
    }
}
END_TEST

START_TEST(no_typical_mistake)
{
    const char *cause = likely_mistake(&versions[_i]);
    ck_assert_msg(!cause, "%s", cause);
}
END_TEST

/* Every sentence that the grader may say stands in the English table, each is said by something, and a table in another
 * language has the same keys with the same places for what is put in. */
START_TEST(no_sentence_is_missing)
{
    static const char keys[] = "sed -n 's/^\\([a-z0-9_.]*\\): .*/\\1/p' ", sources[] =
        "cat tests/grading/*.c tests/grading/*.sh tests/grading/*.mk tests/checks/ring/*.sh tests/checks/ring/test.c "
        "tests/suites/test_mistakes.c";
    char line[1024], text[1 << 12];
    snprintf(line, sizeof line, "%s | grep -oE '\"@?(cause|frame|crash|hint|word|place)[.][a-z0-9_]*[a-z0-9]' | "
             "tr -d '\"@' | grep -v '^cause.merge$' | sort -u >build/said; for key in $(cat build/said); do "
             "grep -q \"^$key: \" tests/grading/sentences.en || echo $key; done", sources);
    ck_assert_int_eq(command(line, text, sizeof text), 0);
    ck_assert_msg(!*text, "these are said and have no sentence: %s", text);
    snprintf(line, sizeof line, "for key in $(%s tests/grading/sentences.en | grep -E '^(cause|crash|frame|ring)' | "
             "grep -vE '^cause.(merge_(none|swapped|turned|dropped)|missing|other_stage|main|utf16)$'); do "
             "%s | grep -qE \"[\\\"'@:=-]$key|[\\\" ]${key#crash.}\\\"|\\\"${key#ring.}\\\"|[{: ]$key\" || "
             "echo $key; done", keys, sources);
    ck_assert_int_eq(command(line, text, sizeof text), 0);
    ck_assert_msg(!*text, "these have a sentence and are never said: %s", text);
    ck_assert_int_eq(command("for f in tests/grading/sentences.??; do for of in tests/grading/sentences.en $f; do "
                             "grep -E '^[a-z]+[.]' $of | "
                             "awk '{ key = $1; n = gsub(/[{][1-9][}]/, \"\"); print key, n }' | "
                             "sort >build/keys.${of##*.}; done; diff build/keys.en build/keys.${f##*.}; done; true",
                             text, sizeof text), 0);
    ck_assert_msg(!*text, "the tables of sentences differ: %s", text);
}
END_TEST

/* in the grader's own process there is no shell, and nothing to read */
static bool is_house(void) { return version_count > 1; }

Suite *mistakes_suite(void)
{
    Suite *s = suite_create("mistakes");
    const int count = (int)version_count;
    TEST_CASE(s, every_version, 30);
    tcase_add_loop_test(every_version, the_inputs_stay, 0, count);
    tcase_add_loop_test(every_version, no_size_is_taken_for_another, 0, count * SHAPES);
    if (is_house()) tcase_add_test(every_version, no_sentence_is_missing);
    TEST_CASE(s, arrays, 30);
    tcase_add_loop_test(arrays, the_arrays_end, 0, count);
    TEST_CASE(s, likely, 30);
    tcase_add_loop_test(likely, no_typical_mistake, 0, count);
    return s;
}
