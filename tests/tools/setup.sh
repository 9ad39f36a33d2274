#!/bin/sh
# Installs what is missing with the system's package manager, and says what it runs.
#
#     make setup        a C and a C++ compiler, make, pkg-config, Check, patch, bubblewrap, gnuplot, OpenBLAS
#     make setup-dev    also clang with its sanitizers and OpenMP, valgrind, git, debootstrap, busybox, original-awk,
#                       a compiler for arm64 and qemu to run its programs
#     make setup-ring   also Open MPI, for several machines
#     make setup-web    also clang for WebAssembly and pandoc, and a browser for make test-web
#
# Nothing is installed that is already there. Tested on Debian, as root and with sudo; the lines for the others follow
# their package lists and have not been tried.
set -eu

more=${1:-}
have() { command -v "$1" >/dev/null 2>&1; }
library() { pkg-config --exists "$1" 2>/dev/null; }
linux_bwrap() { [ "$(uname)" != Linux ] || have bwrap; }
# busybox has a patch that lacks the options we need
whole_patch() { patch --version 2>/dev/null | grep -q -e 'GNU patch' -e 'Larry Wall' -e '^patch 2'; }
keg() { library "$1" || [ -d "${HOMEBREW_PREFIX:-/opt/homebrew}/opt/$1" ]; }
own_python() { python3 -c 'import venv, ensurepip' 2>/dev/null; }
links() { # COMPILER LANGUAGE FLAG...: does a program come out?
    place=$(mktemp -d)
    compiler=$1 language=$2
    shift 2
    echo 'int main() { return 0; }' | "$compiler" "$@" -x "$language" - -o "$place/program" 2>/dev/null && found=0 || found=1
    rm -rf "$place"
    return $found
}

# each line: the test that it is there, then its package by apt, dnf, pacman, brew, apk, zypper (- for none)
wanted() {
    cat <<'END'
have make          make            make               make     make        make         make
links cc c         gcc,libc6-dev   gcc                gcc      -           gcc,musl-dev gcc
links c++ c++      g++             gcc-c++            gcc      -           g++          gcc-c++
have pkg-config    pkg-config      pkgconf-pkg-config pkgconf  pkgconf     pkgconf      pkgconf-pkg-config
library check      check           check-devel        check    check       check-dev    check-devel
whole_patch        patch           patch              patch    -           patch        patch
linux_bwrap        bubblewrap      bubblewrap         bubblewrap -         bubblewrap   bubblewrap
have gnuplot       gnuplot-nox     gnuplot            gnuplot  gnuplot     gnuplot      gnuplot
keg openblas       libopenblas-dev openblas-devel     openblas openblas    openblas-dev openblas-devel
keg libomp         -               -                  -        libomp      -            -
END
    [ "$more" != --ring ] || cat <<'END'
have mpicc         libopenmpi-dev  openmpi-devel      openmpi  open-mpi    openmpi-dev  openmpi4-devel
have mpirun        openmpi-bin     openmpi            openmpi  open-mpi    openmpi      openmpi4
END
    [ "$more" != --web ] || cat <<'END'
have clang         clang           clang              clang    llvm        clang        clang
links clang c --target=wasm32-wasi lld,wasi-libc,libclang-rt-dev-wasm32 lld,wasi-libc-static lld,wasi-libc,wasi-compiler-rt lld,wasi-libc,wasi-runtimes lld,wasi-libc,wasi-compiler-rt -
have pandoc        pandoc          pandoc             pandoc-cli pandoc    pandoc-cli   pandoc
have chromium      chromium        chromium           chromium -           chromium     chromium
own_python         python3,python3-venv python3 python python python3,py3-pip python3
END
    [ "$more" != --dev ] || cat <<'END'
have git           git             git                git      git         git          git
have clang         clang           clang              clang    -           clang        clang
links clang c -fsanitize=address libclang-rt-dev compiler-rt compiler-rt - compiler-rt  clang
links clang c -fopenmp libomp-dev  libomp-devel       openmp   libomp      openmp-dev   libomp-devel
have valgrind      valgrind        valgrind           valgrind -           valgrind     valgrind
have debootstrap   debootstrap     -                  -        -           -            -
have busybox       busybox         -                  -        -           -            -
have original-awk  original-awk    -                  -        -           -            -
have qemu-aarch64-static qemu-user-static -           -        -           -            -
have aarch64-linux-gnu-g++ g++-aarch64-linux-gnu -    -        -           -            -
END
}

sudo=
if [ "$(id -u)" != 0 ]; then if have sudo; then sudo=sudo; else sudo=none; fi; fi
root="$sudo env DEBIAN_FRONTEND=noninteractive"
if have apt-get; then column=1 update="$root apt-get update -q"
    install="$root apt-get install -y -q --no-install-recommends"
elif have dnf; then column=2 update= install="$root dnf install -y"
elif [ -n "${MSYSTEM:-}" ]; then
    echo "setup: this is $MSYSTEM on Windows, which has no fork and no POSIX threads for us: use WSL (wsl --install)." >&2
    exit 2
elif have pacman; then column=3 update= install="$root pacman -S --needed --noconfirm"
elif have brew; then column=4 update= install="brew install" sudo=
elif have apk; then column=5 update= install="$root apk add"
elif have zypper; then column=6 update= install="$root zypper --non-interactive install"
else
    echo "setup: no package manager that is known here (apt-get, dnf, pacman, brew, apk, zypper); install by hand:" >&2
    wanted | awk '{print "  " $(NF-5)}' >&2
    exit 2
fi

missing=
while read -r line; do
    set -- $line
    check=
    while [ $# -gt 6 ]; do check="$check $1"; shift; done
    eval "package=\${$column}"
    [ "$package" = - ] || $check || missing="$missing $(echo "$package" | tr , ' ')"
done <<END
$(wanted)
END

if [ -z "$missing" ]; then echo "setup: everything is there."; exit 0; fi
if [ "$sudo" = none ]; then
    echo "setup: you are not root, and there is no sudo. An administrator must install:$missing" >&2
    exit 2
fi
for step in "$update" "$install$missing"; do
    [ -n "$step" ] || continue
    echo "setup: $step"
    $step || { echo "setup: this did not work: $step (is there a network?)" >&2; exit 2; }
done
