import numpy as np


def taps(x, w, bias, bounds):
    y = np.zeros(x.shape)
    for begin, end in zip(bounds[:-1], bounds[1:]):
        padded = np.concatenate([np.zeros((3, x.shape[1])), x[begin:end]])
        z = bias + sum(padded[k : k + end - begin] * w[:, k] for k in range(4))
        y[begin:end] = z / (1 + np.exp(-z))
    return {"y": y}


def norm(x, sum, gamma, beta, *, eps):
    new = x + sum
    centred = new - new.mean(-1, keepdims=True)
    return {"sum": new, "y": centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps) * gamma + beta}


def best(logits):
    above = np.exp(logits - logits.max(-1, keepdims=True))
    return {"index": logits.argmax(-1), "logprob": -np.log(above.sum(-1))}


def ways(x, w):
    return {"y": x * w, "z": x + w, "c": x}
