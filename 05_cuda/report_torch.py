"""PyTorch's attention on the tensors of gpu_report, timed the same way; rows are added to its CSV.

    python3 report_torch.py FILE.csv

Needs torch and a GPU; without them it says so and leaves the file alone.
"""
import statistics
import sys

WARM_UP, RUNS, BATCH, HEADS = 2, 10, 4, 16


def value(torch, count, seed):
    """gpu_report's value(index, seed), in 64-bit integers cut to 32 bits"""
    low = 0xFFFFFFFF
    u = (torch.arange(count, device="cuda", dtype=torch.int64) * 2654435761 + seed) & low
    u = ((u ^ u >> 16) * 2246822507) & low
    u = ((u ^ u >> 13) * 3266489909) & low
    return ((u ^ u >> 16) >> 8).float() / 8388608 - 1


def median_ms(torch, call):
    times = []
    for _ in range(WARM_UP + RUNS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times[WARM_UP:])


def rows(torch):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    attention = torch.nn.functional.scaled_dot_product_attention
    backends = {"sdpa flash": SDPBackend.FLASH_ATTENTION, "sdpa cudnn": SDPBackend.CUDNN_ATTENTION}
    for d in (64, 128):
        for n in (1024, 2048, 4096, 8192, 16384):
            Q, K, V = (value(torch, BATCH * HEADS * n * d, seed).half().view(BATCH, HEADS, n, d) for seed in (1, 2, 3))
            for causal in (False, True):
                exact = attention(Q[-1:, -1:].double(), K[-1:, -1:].double(), V[-1:, -1:].double(), is_causal=causal)
                for name, backend in backends.items():
                    try:
                        with sdpa_kernel(backend):
                            ms = median_ms(torch, lambda: attention(Q, K, V, is_causal=causal))
                            error = (attention(Q, K, V, is_causal=causal)[-1, -1] - exact[0, 0]).abs().max().item()
                    except RuntimeError as refused:
                        print(f"{name}: n {n}, d {d}: {str(refused).splitlines()[0]}")
                        continue
                    tflops = 4 * BATCH * HEADS * n * n * d * (0.5 if causal else 1) / ms * 1e-9
                    yield f"{name} float16,{BATCH},{HEADS},{n},{d},{int(causal)},{ms:.4f},{tflops:.3f},{error:.3e}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report_torch.py FILE.csv")
    try:
        import torch
    except ImportError:
        print("PyTorch was not found: its attention is left out.")
        return
    if not torch.cuda.is_available():
        print("PyTorch finds no GPU: its attention is left out.")
        return
    with open(sys.argv[1], "a") as csv:
        for row in rows(torch):
            print(row)
            csv.write(row + "\n")


main()
