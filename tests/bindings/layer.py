import numpy as np


def layer_norm(x, w, b, *, eps):
    centred = x - x.mean(-1, keepdims=True)
    return {"y": centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps) * w + b}
