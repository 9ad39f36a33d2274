#!/bin/sh
# Is the emulation right about kernels that are right, and about those that are wrong? Each kernel of rules.cu, in all
# three orders of threads, is reported as the line before it says, in the same words, or not at all.
#
#     tests/checks/rules.sh        (make test-cuda)
#
# The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."

program=build/05_cuda/try/program
make -s try-5 FILE=tests/checks/rules.cu ARGS=none >build/rules.log 2>&1 || { cat build/rules.log; exit 2; }
passed=0 failed=0
while IFS=: read -r name expected; do
    expected=${expected# }
    said=$(timeout 20 $program "$name" 2>&1)
    status=$?
    reports=$(echo "$said" | grep '^rules[.]cu:')
    if [ "$expected" = right ]; then [ $status -eq 0 ] && [ -z "$reports" ]
    else [ $status -eq 1 ] && echo "$reports" | grep -q "^rules[.]cu:[0-9]*: $expected: " &&
        ! echo "$reports" | grep -qv ": $expected: "
    fi
    if [ $? -eq 0 ]; then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "failed: $name, expected $expected: status $status, $said"; fi
done <<END
$(sed -n 's#^// \([a-z_]*: .*\)#\1#p' tests/checks/rules.cu)
END
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
