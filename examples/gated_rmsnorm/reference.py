import numpy as np


def gated_rmsnorm(x, z, w, *, eps, gate):
    sigmoid = 1 / (1 + np.exp(-z))
    factor = z * sigmoid if gate == "silu" else sigmoid
    norm = x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    return {"o": norm * w * factor}
