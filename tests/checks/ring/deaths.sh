#!/bin/sh
# A rank that is killed, one that never begins, one that can't be started: the job ends within 30 seconds, not with 0,
# and with a sentence. make says in the environment how to run. The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../../.."
: "${RING_RUN:?is not set: call this by make}"
export MPIEXEC_TIMEOUT=20 # MPICH waits so long for a rank that can't be started
passed=0 failed=0
log=build/ring/deaths.log

# ended WHAT START STATUS WORDS: did the job that began then end as it should?
ended() {
    seconds=$(($(date +%s) - $2))
    if [ $seconds -le 30 ] && [ "$3" -ne 0 ] && grep -qE "$4" $log; then
        passed=$((passed + 1))
        echo "$1: ended after $seconds s with status $3: $(grep -E -m 1 "$4" $log)"
    else
        failed=$((failed + 1))
        echo "$1: FAILED: $seconds s, status $3, expected within 30 s, not 0, and '$4':"
        cat $log
    fi
}

start=$(date +%s)
$RING_RUN -n 3 build/ring/test killed >$log 2>&1
ended "a rank killed in the middle" "$start" $? 'signal 9|KILLED BY SIGNAL: 9'

start=$(date +%s)
MPIEXEC_TIMEOUT=3 $RING_RUN -n 2 build/ring/test shares : -n 1 sleep 60 >$log 2>&1
ended "a rank that never begins" "$start" $? '[Tt]ime.*limit|[Tt]imed out|TIMEOUT'

start=$(date +%s)
$RING_RUN -n 2 build/ring/test shares : -n 1 build/ring/there-is-no-such-program >$log 2>&1
ended "a rank that can't be started" "$start" $? 'there-is-no-such-program'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
