/* No version makes a mistake that is typical; for a student's file this test finds the hint. */
#include "expect.h"
#include "../grading/mistakes.h"

START_TEST(no_typical_mistake)
{
    const char *hint = likely_mistake(&versions[_i]);
    ck_assert_msg(!hint, "%s", hint);
}
END_TEST

Suite *mistakes_suite(void)
{
    Suite *s = suite_create("mistakes");
    TEST_CASE(s, every_version, 30);
    tcase_add_loop_test(every_version, no_typical_mistake, 0, (int)version_count);
    return s;
}
