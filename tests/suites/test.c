/* Runs every suite: make test. SEED=N sets the random inputs; CK_RUN_SUITE=article runs one suite; STAGE=2 asks only
 * the versions of that stage, and only what every version is asked: make test-2. A test that takes minutes carries a
 * tag and is left to another target: class, make test-grading; grid, make test-cuda. The last line is Check's:
 * percentage, checks, failures, errors. */
#include "expect.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

Suite *article_suite(void), *cases_suite(void), *commands_suite(void), *contracts_suite(void), *cuda_suite(void),
    *exercises_suite(void), *flash_suite(void), *house_suite(void), *merge_suite(void), *mistakes_suite(void),
    *npy_suite(void), *npy_write_suite(void), *overflow_suite(void), *policy_suite(void), *properties_suite(void),
    *sizes_suite(void), *tensors_suite(void), *trace_suite(void);

/* EVERY: asked of every version. LONG: not under the sanitizers, where it takes minutes. */
enum what { OTHER, EVERY, LONG };
static const struct { Suite *(*make)(void); enum what what; } suites[] = {
    {article_suite, OTHER}, {overflow_suite, OTHER}, {properties_suite, EVERY}, {policy_suite, EVERY},
    {cases_suite, EVERY}, {tensors_suite, EVERY}, {contracts_suite, EVERY}, {flash_suite, OTHER}, {trace_suite, OTHER},
    {merge_suite, OTHER}, {mistakes_suite, OTHER}, {sizes_suite, LONG}, {cuda_suite, OTHER}, {npy_suite, OTHER},
    {npy_write_suite, OTHER}, {commands_suite, OTHER}, {house_suite, OTHER}, {exercises_suite, LONG},
};

/* LeakSanitizer asks this: LLVM's OpenMP keeps its threads' books until the process is gone. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libomp"; }

int main(void)
{
    setenv("LANG_", "en", 1); /* the tests read what the grader says, whatever the locale is */
    unsetenv("MAKEFLAGS"), unsetenv("MFLAGS"), unsetenv("MAKELEVEL"); /* no part of the make above */
    const char *stage = getenv("STAGE");
    if (stage && !only_stage(atoi(stage)))
        return fprintf(stderr, "STAGE: the number of a stage was expected, not '%s'\n", stage), 2;
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (!(SANITIZED && suites[i].what == LONG) && !(stage && suites[i].what != EVERY))
            srunner_add_suite(runner, suites[i].make());
    printf("seed %" PRIu64 " (SEED=N sets it)\n", seed());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
