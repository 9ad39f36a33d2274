"""The engines that peers.py times. Each takes a shape, Q [batch][heads][n][d], K and V [batch][kv_heads][m][d] and the
number of threads, and returns a function that computes O [batch][heads][n][d] anew in every call."""

import ctypes
import os
import sys


class Problem(ctypes.Structure):
    """flash_problem of 04_online_softmax/flash.h"""

    _fields_ = [(name, ctypes.c_size_t) for name in ("batch", "heads", "kv_heads", "n", "m", "d", "dv")] + [
        ("scale", ctypes.c_float), ("causal", ctypes.c_bool), ("br", ctypes.c_size_t), ("bc", ctypes.c_size_t),
        ("threads", ctypes.c_size_t), ("trace", ctypes.c_void_p), ("context", ctypes.c_void_p)]


def ours(shape, q, k, v, threads):
    import numpy as np

    function = ctypes.CDLL(os.path.abspath("build/peers/libflash.so")).attention_flash
    problem = Problem(shape.batch, shape.heads, shape.kv_heads, shape.n, shape.m, shape.d, shape.d, shape.d**-0.5,
                      shape.causal, 0, 0, threads)
    out = np.empty_like(q)
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (q, k, v, out)]

    def run():
        error = function(ctypes.byref(problem), *pointers, None)
        if error:
            sys.exit(f"attention_flash: {os.strerror(error)}")
        return out

    return run


def stacked(shape, q):
    """the heads of a group below each other: [batch][kv_heads][heads / kv_heads * n][d]"""
    return q.reshape(shape.batch, shape.kv_heads, -1, shape.d)


def visible(shape, groups=1):
    """[groups * n][m]: may the query see the key?"""
    import numpy as np

    return np.tile(np.tri(shape.n, shape.m, shape.m - shape.n, bool), (groups, 1))


def numpy_engine(shape, q, k, v, threads):
    """two products, and between them the safe softmax in place; heads that share keys are one product"""
    import numpy as np

    rows, scale = stacked(shape, q), np.float32(shape.d**-0.5)
    penalty = np.where(visible(shape, shape.heads // shape.kv_heads), np.float32(0), np.float32(-np.inf))

    def run():
        s = rows @ k.swapaxes(2, 3)
        s *= scale
        if shape.causal:
            s += penalty
        s -= s.max(-1, keepdims=True)
        np.exp(s, out=s)
        out = s @ v
        out /= s.sum(-1, keepdims=True)
        return out.reshape(q.shape)

    return run


def torch_engine(shape, q, k, v, threads):
    """scaled_dot_product_attention; a mask where its is_causal, aligned at the top left, is not what is asked"""
    import torch

    torch.set_num_threads(threads)
    tensors = [torch.from_numpy(x) for x in (q, k, v)]
    options = {"enable_gqa": shape.heads != shape.kv_heads, "is_causal": shape.causal and shape.n == shape.m}
    if shape.causal and shape.n != shape.m:
        options["attn_mask"] = torch.from_numpy(visible(shape))

    def run():
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(*tensors, **options).numpy()

    return run


def onnx_engine(shape, q, k, v, threads):
    """GroupQueryAttention with its cache in place where heads are grouped (it is causal), else MultiHeadAttention"""
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper

    grouped = shape.heads != shape.kv_heads
    settings = {"num_heads": shape.heads}
    rows = {"query": q, "key": k[:, :, -shape.n:] if grouped else k, "value": v[:, :, -shape.n:] if grouped else v}
    feed = {name: x.swapaxes(1, 2).reshape(shape.batch, x.shape[2], -1).copy() for name, x in rows.items()}
    cache = {}
    if grouped:
        settings["kv_num_heads"] = shape.kv_heads
        cache = {"key": k.copy(), "value": v.copy()}
        feed |= {f"past_{name}": x for name, x in cache.items()}
        feed |= {"seqlens_k": np.full(shape.batch, shape.m - 1, np.int32), "total": np.array([shape.m], np.int32)}
    else:
        settings["unidirectional"] = int(shape.causal)
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
              for name, x in feed.items()]
    names = ["out"] + [f"present_{name}" for name in cache]
    node = helper.make_node("GroupQueryAttention" if grouped else "MultiHeadAttention", list(feed), names,
                            domain="com.microsoft", **settings)
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]
    graph = helper.make_graph([node], "attention", inputs, outputs)
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17),
                                                                  helper.make_opsetid("com.microsoft", 1)])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(x) for name, x in feed.items()}
    binding = session.io_binding()
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    for name in cache:  # the cache stays where it is, as it does when a model runs
        binding.bind_ortvalue_output(f"present_{name}", values[f"past_{name}"])
    out = onnxruntime.OrtValue.ortvalue_from_numpy(np.empty_like(feed["query"]))
    binding.bind_ortvalue_output("out", out)

    def run():
        session.run_with_iobinding(binding)
        return out.numpy().reshape(shape.batch, shape.n, shape.heads, -1).swapaxes(1, 2)

    return run


def openvino_engine(shape, q, k, v, threads):
    """ScaledDotProductAttention, which has no groups: one query a head becomes rows, else keys are repeated before"""
    import numpy as np
    import openvino
    from openvino import opset13

    groups = shape.heads // shape.kv_heads
    bottom = shape.causal and shape.n != shape.m
    if shape.n != shape.m:
        feed = [stacked(shape, q), k, v]
    else:
        feed = [q, np.repeat(k, groups, 1), np.repeat(v, groups, 1)]
    if bottom:
        feed.append(np.where(visible(shape, groups), np.float32(0), np.float32(-np.inf))[None, None])
    parameters = [opset13.parameter(x.shape, np.float32) for x in feed]
    node = opset13.scaled_dot_product_attention(*parameters, causal=shape.causal and not bottom)
    model = openvino.Model([node], parameters, "attention")
    compiled = openvino.Core().compile_model(
        model, "CPU", {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1})
    request = compiled.create_infer_request()
    for index, x in enumerate(feed):
        request.set_input_tensor(index, openvino.Tensor(x))

    def run():
        request.infer()
        return request.get_output_tensor().data.reshape(q.shape)

    return run


# name: the package it comes in, the function
ENGINES = {
    "ours": (None, ours),
    "NumPy": ("numpy", numpy_engine),
    "PyTorch": ("torch", torch_engine),
    "ONNX Runtime": ("onnxruntime", onnx_engine),
    "OpenVINO": ("openvino", openvino_engine),
}
