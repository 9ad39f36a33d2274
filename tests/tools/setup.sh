#!/bin/sh
# Installs what is missing with the system's package manager, and says what it runs.
#
#     make setup        a C and a C++ compiler, make, pkg-config, Check, patch, bubblewrap, gnuplot, OpenBLAS
#     make setup-dev    also clang with its sanitizers and OpenMP, valgrind, git
#     make setup-ring   also Open MPI, for several machines
#
# Nothing is installed that is already there. Tested on Debian; the lines for the others follow
# their package lists and have not been tried.
set -eu

more=${1:-}
have() { command -v "$1" >/dev/null 2>&1; }
library() { pkg-config --exists "$1" 2>/dev/null; }

# each line: the test that it is there, then its package by apt, dnf, pacman, brew (- for none)
wanted() {
    cat <<'EOF'
have make           make          make           make       make
have cc             gcc           gcc            gcc        -
have c++            g++           gcc-c++        gcc        -
have pkg-config     pkg-config    pkgconf        pkgconf    pkgconf
library check       check         check-devel    check      check
have patch          patch          patch         patch      -
linux_bwrap         bubblewrap     bubblewrap    bubblewrap -
have gnuplot        gnuplot-nox   gnuplot        gnuplot    gnuplot
library openblas    libopenblas-dev openblas-devel openblas openblas
EOF
    [ "$more" = --ring ] && cat <<'EOF'
have mpicc          libopenmpi-dev openmpi-devel openmpi   open-mpi
have mpirun         openmpi-bin   openmpi        openmpi   open-mpi
EOF
    [ "$more" = --dev ] && cat <<'EOF'
have git            git           git            git        git
have clang          clang         clang          clang      -
sanitizers          libclang-rt-14-dev compiler-rt compiler-rt -
openmp              libomp-dev    libomp-devel   openmp     libomp
have valgrind       valgrind      valgrind       valgrind   -
EOF
    return 0
}
linux_bwrap() { [ "$(uname)" != Linux ] || have bwrap; }
links() { echo 'int main(void) { return 0; }' | clang "$1" -x c - -o "${TMPDIR:-/tmp}/setup.$$" 2>/dev/null; }
sanitizers() { links -fsanitize=address; found=$?; rm -f "${TMPDIR:-/tmp}/setup.$$"; return $found; }
openmp() { links -fopenmp; found=$?; rm -f "${TMPDIR:-/tmp}/setup.$$"; return $found; }

sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
if have apt-get; then column=1 update="$sudo apt-get update -q" install="$sudo apt-get install -y -q --no-install-recommends"
elif have dnf; then column=2 update= install="$sudo dnf install -y"
elif have pacman; then column=3 update= install="$sudo pacman -S --needed --noconfirm"
elif have brew; then column=4 update= install="brew install"
else
    echo "setup: no package manager that is known here (apt-get, dnf, pacman, brew); install by hand:" >&2
    wanted | awk '{print "  " $(NF-3)}' >&2
    exit 2
fi

missing=
while read -r line; do
    set -- $line
    case $1 in have | library) check="$1 $2"; shift 2 ;; *) check=$1; shift ;; esac
    $check && continue
    eval "package=\${$column}"
    [ "$package" = - ] || missing="$missing $package"
done <<EOF
$(wanted)
EOF

if [ -z "$missing" ]; then echo "setup: everything is there."; exit 0; fi
for step in "$update" "$install$missing"; do
    [ -n "$step" ] || continue
    echo "setup: $step"
    DEBIAN_FRONTEND=noninteractive $step
done
