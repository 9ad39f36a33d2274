#!/bin/sh
# Two hosts on one machine: network namespaces with a cable of a fixed rate between them. Needs root, ip and tc (Debian:
# iproute2) and no sshd: this script stands in for ssh. Not part of any test.
#
#     tests/checks/ring/two_hosts.sh         after make build/ring/test build/ring/bench; by make test-ring-hosts
#     tests/checks/ring/two_hosts.sh HOST COMMAND ...      as ssh would: COMMAND in HOST's namespace
set -eu
if [ $# -gt 0 ]; then
    [ "$1" != -x ] || shift
    host=$1; shift
    exec unshare --uts sh -c 'hostname "$0" && exec ip netns exec "ring-$0" sh -c "$1"' "$host" "$*"
fi
cd "$(dirname "$0")/../../.."
: "${RING_RUN:?is not set: call this by make}"
[ "$(id -u)" = 0 ] || { echo "two_hosts: needs root, to make network namespaces" >&2; exit 2; }
rate=${RATE:-400mbit}
export MPIEXEC_TIMEOUT=300 # every small message takes some milliseconds here

down() { ip netns del ring-a 2>/dev/null || :; ip netns del ring-b 2>/dev/null || :; }
trap down EXIT
down
ip netns add ring-a && ip netns add ring-b
ip link add ring-cable-a netns ring-a type veth peer name ring-cable-b netns ring-b
for host in a b; do
    number=$([ $host = a ] && echo 1 || echo 2)
    ip -n ring-$host addr add 10.77.0."$number"/24 dev ring-cable-$host
    ip -n ring-$host link set ring-cable-$host up && ip -n ring-$host link set lo up
    tc -n ring-$host qdisc add dev ring-cable-$host root tbf rate "$rate" burst 256kb latency 400ms
    mkdir -p /etc/netns/ring-$host
    printf '127.0.0.1 localhost\n10.77.0.1 a\n10.77.0.2 b\n' >/etc/netns/ring-$host/hosts
done
between="--mca plm_rsh_agent $PWD/$0 --host a,b --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24"
run() { ip netns exec ring-a unshare --uts sh -c "hostname a && exec $RING_RUN $between $*"; }

echo "Two hosts, $rate between them, Open MPI over TCP"
run -n 2 build/ring/test
run -n 4 build/ring/test causal tree errors
echo
echo "32 heads on 8, d = dv = 128, causal, 2 ranks; seconds of the slower rank, medians of 5"
echo "overlap    tokens   bytes sent    all of  computing  waiting"
echo "         a rank"
for tokens in 256 1024; do run -n 2 build/ring/bench overlap $tokens; done
echo "The same with --mca btl_tcp_progress_thread 1"
for tokens in 256 1024; do run --mca btl_tcp_progress_thread 1 -n 2 build/ring/bench overlap $tokens; done
rm -rf /etc/netns/ring-a /etc/netns/ring-b
