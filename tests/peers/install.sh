#!/bin/sh
# A Python of its own in the folder given, with what requirements.txt pins. Asks before a large download.
#
#     tests/peers/install.sh build/peers/venv [REQUIREMENTS.TXT]        (make peers; YES=1: don't ask)
#
# What can't be had is left out, and said; so does peers.py.
set -u
venv=$1
pins=${2:-tests/peers/requirements.txt}

[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || exit 2
has() { "$venv/bin/python" -c "from importlib.metadata import version as v; exit(v('${1%%==*}') != '${1#*==}')" 2>/dev/null; }

for pin in $(cat "$pins"); do
    has "$pin" && continue
    if [ "${pin%%==*}" = torch ] && [ -z "${YES:-}" ]; then
        echo "PyTorch's package for Linux comes with CUDA: 3.1 GB to download, 5.5 GB on the disk. Download it? [y/N]"
        answer=
        [ -t 0 ] && read -r answer
        case $answer in [yY]*) ;; *) echo "PyTorch is left out. (make peers YES=1 takes it without asking.)"; continue ;; esac
    fi
    echo "installing $pin into $venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$pin" || echo "$pin can't be installed: left out"
done
