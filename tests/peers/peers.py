"""attention_flash beside the engines people install, on the shapes people run, in one run.

    make peers [CSV=FILE]                     (or: build/peers/venv/bin/python tests/peers/peers.py --help)

Every engine lives in a process of its own, which is stopped (SIGSTOP) while another is timed: threads that wait for
work by spinning would take its cores. One sample of each is taken in turn, so that all meet the same state of the
machine; a ratio is the median over the rounds of its time over ours. Results are compared with float64. Engines have
their own defaults, but for the number of threads and float32. What is not installed is left out, and said.
"""

import argparse
import csv
import importlib.metadata
import multiprocessing
import os
import platform
import signal
import sys
import time
from typing import NamedTuple

import engines


class Shape(NamedTuple):
    name: str
    batch: int
    heads: int
    kv_heads: int
    n: int
    m: int
    d: int
    causal: bool = False  # query i sees key j when j <= i + m - n

    def tensors(self):
        import numpy as np

        random = np.random.default_rng(0)
        return [random.standard_normal((self.batch, heads, rows, self.d), np.float32)
                for heads, rows in ((self.heads, self.n), (self.kv_heads, self.m), (self.kv_heads, self.m))]

    def work(self):
        """with many queries GFLOP and its unit, with few ones the GB of K and V"""
        if self.n < 16:
            return 8e-9 * self.batch * self.kv_heads * self.m * self.d, "GB/s"
        pairs = self.n * self.m - (self.n * (self.n - 1) // 2 if self.causal else 0)
        return 4e-9 * self.batch * self.heads * pairs * self.d, "GFLOP/s"


SHAPES = [
    Shape("dense 4096", 1, 1, 1, 4096, 4096, 64),
    Shape("causal 4096", 1, 1, 1, 4096, 4096, 64, causal=True),
    Shape("BERT", 1, 12, 12, 512, 512, 64),
    Shape("ViT", 4, 12, 12, 197, 197, 64),
    Shape("batch of 128", 8, 12, 12, 128, 128, 64),
    Shape("prefill", 1, 32, 8, 1024, 1024, 128, causal=True),
    Shape("decode", 1, 32, 8, 1, 8192, 128),
    Shape("speculative", 1, 32, 8, 4, 8192, 128, causal=True),
    Shape("four queries", 1, 8, 8, 4, 2048, 64),
]


def reference(shape, q, k, v):
    """float64, a head at a time"""
    import numpy as np

    out = np.empty(q.shape)
    hidden = shape.causal & (np.arange(shape.m) > np.arange(shape.n)[:, None] + shape.m - shape.n)
    for b, h in np.ndindex(q.shape[:2]):
        kv = h // (shape.heads // shape.kv_heads)
        s = q[b, h].astype(np.float64) @ k[b, kv].T.astype(np.float64) * shape.d**-0.5
        s[hidden] = -np.inf
        p = np.exp(s - s.max(-1, keepdims=True))
        out[b, h] = p @ v[b, kv].astype(np.float64) / p.sum(-1, keepdims=True)
    return out


def serve(pipe, name, threads):
    """in an engine's process: a Shape is prepared and answered by the result, anything else by the time of a call"""
    pipe.send("ready")
    for request in iter(pipe.recv, None):
        if isinstance(request, Shape):
            run = engines.ENGINES[name][1](request, *request.tensors(), threads)
            pipe.send(run())
            continue
        run()  # the caches are its own again
        calls, start = 0, time.perf_counter()
        while calls == 0 or time.perf_counter() - start < 5e-3:
            run()
            calls += 1
        pipe.send((time.perf_counter() - start) / calls)


class Engine:
    """an engine's process, asleep unless it is asked"""

    def __init__(self, name, threads):
        self.name = name
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(other, name, threads), daemon=True)
        self.process.start()
        self.pipe.recv()
        os.kill(self.process.pid, signal.SIGSTOP)

    def ask(self, request):
        os.kill(self.process.pid, signal.SIGCONT)
        self.pipe.send(request)
        while not self.pipe.poll(1):
            if not self.process.is_alive():
                sys.exit(f"{self.name} ended while it was asked for {request}")
        answer = self.pipe.recv()
        os.kill(self.process.pid, signal.SIGSTOP)
        return answer


def processor():
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def measure(options, shape, threads, running, writer):
    import numpy as np

    expected = reference(shape, *shape.tensors())
    deviations = [np.abs(engine.ask(shape) - expected).max() for engine in running]
    times = np.array([[engine.ask("time") for engine in running] for _ in range(options.samples)])
    work, unit = shape.work()
    print(f"{shape.name}: batch {shape.batch}, {shape.heads} heads on {shape.kv_heads}, n = {shape.n}, m = {shape.m}, "
          f"d = {shape.d}{', causal' if shape.causal else ''}, {threads} thread(s)")
    for engine, samples, deviation in zip(running, times.T, deviations):
        ms, ratio, best = 1e3 * np.median(samples), np.median(samples / times[:, 0]), samples.min() / times[:, 0].min()
        print(f"  {engine.name:<14}{ms:>9.3f} ms{1e3 * work / ms:>8.1f} {unit:<8}{ratio:>6.2f} times ours,"
              f"{best:>6.2f} best over best, {deviation:.1e} from float64", flush=True)
        writer.writerow([SHAPES.index(shape), shape.name, threads, engine.name, f"{ms:.4g}", f"{1e3 * work / ms:.4g}",
                         f"{ratio:.3g}", f"{best:.3g}", f"{deviation:.1e}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--threads", type=int, help="without it: once with 1, once with all")
    parser.add_argument("--shape", choices=[shape.name for shape in SHAPES], help="without it: all")
    parser.add_argument("--csv", default=os.devnull)
    options = parser.parse_args()
    names = []
    print(processor())
    for name, (package, _) in engines.ENGINES.items():
        try:
            print(name, importlib.metadata.version(package) if package else "flash.c")
            names.append(name)
        except importlib.metadata.PackageNotFoundError:
            print(name, "is not installed: left out")
    with open(options.csv, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow("place,shape,threads,engine,ms,rate,ratio,best,deviation".split(","))
        for threads in [options.threads] if options.threads else sorted({1, os.cpu_count() or 1}):
            # read when a library is loaded, so before the processes start
            os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads)))
            running = [Engine(name, threads) for name in names]
            try:
                for shape in SHAPES:
                    if options.shape in (None, shape.name):
                        print()
                        measure(options, shape, threads, running, writer)
            finally:
                for engine in running:
                    engine.process.kill()


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
