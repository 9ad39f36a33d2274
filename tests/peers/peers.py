"""attention_flash beside the engines people install, on the same arrays, in one run.

    make peers                                (or: build/peers/venv/bin/python tests/peers/peers.py --help)

NumPy (two products and a safe softmax), PyTorch's scaled_dot_product_attention and ONNX Runtime's
MultiHeadAttention, each with the same number of threads. One sample of each is taken in turn, so that all of them
meet the same state of the machine; a ratio is the median over the rounds of its time over ours. Results are compared
with float64. What is not installed is left out, and said.
"""

import argparse
import ctypes
import importlib
import os
import subprocess
import sys
import time

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Problem(ctypes.Structure):
    """flash_problem of 04_online_softmax/flash.h"""

    _fields_ = [(name, ctypes.c_size_t) for name in ("batch", "heads", "kv_heads", "n", "m", "d", "dv")] + [
        ("scale", ctypes.c_float), ("causal", ctypes.c_bool), ("br", ctypes.c_size_t), ("bc", ctypes.c_size_t),
        ("threads", ctypes.c_size_t), ("trace", ctypes.c_void_p), ("context", ctypes.c_void_p)]


def ours(library, q, k, v, threads):
    import numpy as np

    function = ctypes.CDLL(os.path.abspath(library)).attention_flash
    heads, n, d = q.shape
    problem = Problem(1, heads, heads, n, k.shape[1], d, v.shape[2], d**-0.5, False, 0, 0, threads)
    out = np.empty((heads, n, v.shape[2]), np.float32)
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (q, k, v, out)]

    def run():
        error = function(ctypes.byref(problem), *pointers, None)
        if error:
            sys.exit(f"attention_flash: {os.strerror(error)}")
        return out

    return "ours", run


def numpy_peer(q, k, v, threads):
    import numpy as np

    scale = np.float32(q.shape[-1] ** -0.5)

    def run():
        s = q @ k.transpose(0, 2, 1)
        s *= scale
        s -= s.max(-1, keepdims=True)
        np.exp(s, out=s)
        out = s @ v
        out /= s.sum(-1, keepdims=True)
        return out

    return f"NumPy {np.__version__}", run


def torch_peer(q, k, v, threads):
    torch = importlib.import_module("torch")
    torch.set_num_threads(threads)
    tensors = [torch.from_numpy(x)[None] for x in (q, k, v)]

    def run():
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(*tensors)[0].numpy()

    return f"PyTorch {torch.__version__}", run


def onnx_peer(q, k, v, threads):
    from onnx import TensorProto, helper

    ort = importlib.import_module("onnxruntime")
    heads, n, d = q.shape

    def rows(x):  # [heads][n][d] as the operator has it: [1][n][heads * d]
        return x.transpose(1, 0, 2).reshape(1, x.shape[1], -1).copy()

    names = ["query", "key", "value"]
    node = helper.make_node("MultiHeadAttention", names, ["out"], domain="com.microsoft", num_heads=heads)
    shapes = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names + ["out"]]
    graph = helper.make_graph([node], "attention", shapes[:3], shapes[3:])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17),
                                                                  helper.make_opsetid("com.microsoft", 1)])
    settings = ort.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    feed = dict(zip(names, map(rows, (q, k, v))))

    def run():
        return session.run(None, feed)[0].reshape(n, heads, -1).transpose(1, 0, 2)

    return f"ONNX Runtime {ort.__version__}", run


def reference(q, k, v):
    """float64, one head and 256 queries at a time"""
    import numpy as np

    out = np.empty((*q.shape[:2], v.shape[2]))
    for h in range(q.shape[0]):
        keys, values = k[h].astype(np.float64), v[h].astype(np.float64)
        for i in range(0, q.shape[1], 256):
            s = q[h, i:i + 256].astype(np.float64) @ keys.T * q.shape[2] ** -0.5
            p = np.exp(s - s.max(-1, keepdims=True))
            out[h, i:i + 256] = p @ values / p.sum(-1, keepdims=True)
    return out


def measure(options, threads):
    import numpy as np

    random = np.random.default_rng(0)
    shape = (options.heads, options.n, options.d)
    q, k, v = (random.standard_normal(shape, np.float32) for _ in range(3))
    engines = [ours(options.ours, q, k, v, threads)]
    for name, peer in (("NumPy", numpy_peer), ("PyTorch", torch_peer), ("ONNX Runtime", onnx_peer)):
        try:
            engines.append(peer(q, k, v, threads))
        except ImportError as error:
            print(f"{name} is left out: {error}")
    expected = reference(q, k, v)
    deviations = [np.abs(run() - expected).max() for _, run in engines]
    times = np.empty((options.samples, len(engines)))
    for sample in times:
        for index, (_, run) in enumerate(engines):
            time.sleep(0.25)  # the threads of the one before spin for a while when it is done, OpenBLAS for 0.1 s
            start = time.perf_counter()
            run()
            sample[index] = time.perf_counter() - start
    print(f"heads = {shape[0]}, n = m = {shape[1]}, d = {shape[2]}, {threads} thread(s), "
          f"medians of {options.samples}")
    print(f"{'engine':<24}{'ms':>10}{'GFLOP/s':>10}{'time / ours':>13}{'from float64':>14}")
    for index, (name, _) in enumerate(engines):
        ms = 1e3 * np.median(times[:, index])
        ratio = np.median(times[:, index] / times[:, 0])
        gflops = 4e-6 * shape[0] * shape[1] ** 2 * shape[2] / ms
        print(f"{name:<24}{ms:>10.2f}{gflops:>10.1f}{ratio:>13.2f}{deviations[index]:>14.1e}")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default="build/peers/libflash.so")
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--d", type=int, default=64)
    parser.add_argument("--heads", type=int, default=1)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--threads", type=int, help="without it: once with 1, once with all")
    options = parser.parse_args()
    if options.threads:
        return measure(options, options.threads)
    # libraries read their number of threads when they are loaded: one process for each. OPENBLAS_CORETYPE and
    # OPENBLAS_L2_SIZE, where somebody set them, would slow NumPy down.
    for threads in sorted({1, os.cpu_count() or 1}):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
        environment.update(dict.fromkeys(THREAD_VARIABLES, str(threads)), OMP_WAIT_POLICY="passive")
        subprocess.run([sys.executable, *sys.argv, "--threads", str(threads)], env=environment, check=True)


main()
