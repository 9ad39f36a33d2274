#!/bin/sh
# The README's commands on a fresh machine: a minimal Debian with gcc, make and libc6-dev in build/bare, made by
# debootstrap from this system's own package source.
#
#     tests/checks/bare.sh        (make test-bare; as root)
#
# As root; as a user with sudo; as a user without, who is told what an administrator must install; and without a
# network. The bare system is kept in build/bare. The last line counts: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."
die() { echo "bare: $*" >&2; exit 2; }
[ "$(id -u)" = 0 ] || die "chroot and mount need root"
command -v debootstrap >/dev/null || die "debootstrap was not found: make setup-dev installs it"

bare=$PWD/build/bare
system=$bare/system
mkdir -p "$bare"
if [ ! -e "$system.made" ]; then
    rm -rf "$system"
    . /etc/os-release
    source=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $VERSION_CODENAME" | head -n 1)
    [ "$source" ] || die "apt-get names no source of $VERSION_CODENAME: is this Debian, and has apt-get update run?"
    echo "bare: debootstrap makes a minimal $VERSION_CODENAME"
    debootstrap --variant=minbase --include=gcc,make,libc6-dev,sudo,ca-certificates "$VERSION_CODENAME" "$system" "$source" \
        >"$bare/debootstrap.log" 2>&1 || { tail -n 3 "$bare/debootstrap.log" >&2; die "debootstrap did not end well"; }
    rm -rf "$system/etc/apt" && cp -R /etc/apt "$system/etc/apt" # where packages come from, as here
    cp -R /usr/local/share/ca-certificates/. "$system/usr/local/share/ca-certificates/" 2>/dev/null
    cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
    chroot "$system" useradd -m reader
    echo 'reader ALL=(ALL) NOPASSWD: ALL' >"$system/etc/sudoers.d/reader"
    touch "$system.made"
fi

# the commands of README.md, in order
commands=$(awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' README.md)
[ "$(echo "$commands" | wc -l)" -ge 2 ] || die "README.md has no two commands any more"

# inside USER COMMAND: in a fresh copy of the system, with a clone of this repository
inside() {
    rm -rf "$bare/run" && cp -a "$system" "$bare/run" && cp /etc/resolv.conf /etc/hosts "$bare/run/etc/"
    git clone -q . "$bare/run/srv/attention" && chroot "$bare/run" chown -R "$1" /srv/attention
    [ "$1" != root ] || mkdir -p "$bare/run/root"
    [ "${SUDO-yes}" ] || rm "$bare/run/usr/bin/sudo"
    env -u MAKEFLAGS -u MAKELEVEL unshare --mount ${OFFLINE:+--net} sh -c '
        mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" su "$1" -c "$2"' \
        "$bare/run" "$1" "cd /srv/attention && $2" >"$bare/log" 2>&1 </dev/null
}
passed=0 failed=0
# expect WHAT STATUS WORDS USER COMMAND
expect() {
    inside "$4" "$5"
    status=$?
    if [ $status -eq "$2" ] && grep -q "$3" "$bare/log"; then
        passed=$((passed + 1)); echo "passed: $1: $(grep "$3" "$bare/log" | tail -n 1)"
    else
        failed=$((failed + 1)); echo "failed: $1: status $status, expected $2 and '$3'"; tail -n 20 "$bare/log"
    fi
}

second=$(echo "$commands" | sed -n 2p)
all=$(echo "$commands" | head -n 2 | paste -s -d '&' - | sed 's/&/ \&\& /')
expect "as root: $all" 0 '^100%: Checks: .*, Failures: 0, Errors: 0' root "$all"
expect "as a user with sudo" 0 '^100%: Checks: .*, Failures: 0, Errors: 0' reader "CK_RUN_SUITE=house $second -j2"
SUDO= expect "as a user without sudo" 2 'An administrator must install: .*check' reader "$second"
OFFLINE=yes expect "without a network" 2 'this did not work: .*is there a network' root "make setup"
rm -rf "$bare/run"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
