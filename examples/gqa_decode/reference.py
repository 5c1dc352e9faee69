import numpy as np


def gqa_decode(q, k, v, *, G):
    k, v = np.repeat(k, G, axis=1), np.repeat(v, G, axis=1)
    scores = np.einsum("hd,thd->ht", q, k) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return {"o": np.einsum("ht,thd->hd", weights / weights.sum(-1, keepdims=True), v)}
