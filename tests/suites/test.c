/* Runs every suite: make test. SEED=N sets the random inputs; CK_RUN_SUITE=article runs one suite.
 * The last line is Check's: percentage, checks, failures, errors. */
#include "expect.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

Suite *article_suite(void), *cases_suite(void), *commands_suite(void), *contracts_suite(void), *cuda_suite(void),
    *exercises_suite(void), *flash_suite(void), *house_suite(void), *merge_suite(void), *mistakes_suite(void),
    *npy_suite(void), *npy_write_suite(void), *overflow_suite(void), *policy_suite(void), *properties_suite(void),
    *sizes_suite(void), *tensors_suite(void), *trace_suite(void);

/* LeakSanitizer asks this: LLVM's OpenMP keeps its threads' books until the process is gone. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libomp"; }

int main(void)
{
    SRunner *runner = srunner_create(article_suite());
    srunner_add_suite(runner, overflow_suite());
    srunner_add_suite(runner, properties_suite());
    srunner_add_suite(runner, policy_suite());
    srunner_add_suite(runner, cases_suite());
    srunner_add_suite(runner, tensors_suite());
    srunner_add_suite(runner, contracts_suite());
    srunner_add_suite(runner, flash_suite());
    srunner_add_suite(runner, trace_suite());
    srunner_add_suite(runner, merge_suite());
    srunner_add_suite(runner, mistakes_suite());
    if (!SANITIZED) srunner_add_suite(runner, sizes_suite()); /* two minutes there, two seconds here */
    srunner_add_suite(runner, cuda_suite());
    srunner_add_suite(runner, npy_suite());
    srunner_add_suite(runner, npy_write_suite());
    srunner_add_suite(runner, commands_suite());
    srunner_add_suite(runner, house_suite());
    if (!SANITIZED) srunner_add_suite(runner, exercises_suite()); /* builds of its own: half a minute each there */
    printf("seed %" PRIu64 " (SEED=N sets it)\n", seed());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
