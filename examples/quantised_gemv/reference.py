import numpy as np


def halves(values):
    """The bytes of f16 values."""
    return np.asarray(values, np.float16).reshape(-1, 1).view(np.uint8)


def make_blocks(shape, seed, *parts):
    """Blocks of random bytes of these widths behind a random f16 scale."""
    random = np.random.default_rng(seed)
    size = 2 + sum(parts)
    count = int(np.prod(shape)) // size
    scale = halves(random.uniform(0.01, 0.1, count))
    return np.hstack([scale, *(random.integers(0, 256, (count, part), np.uint8) for part in parts)]).reshape(shape)


def q8_0_blocks(shape, seed):
    return make_blocks(shape, seed, 32)


def q4_0_blocks(shape, seed):
    return make_blocks(shape, seed, 16)


def q8_1_blocks(shape, seed):
    blocks = make_blocks(shape, seed, 2, 32).reshape(-1, 36)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float64)
    sums = blocks[:, 4:].view(np.int8).astype(np.float64).sum(-1, keepdims=True)
    blocks[:, 2:4] = halves(scale * sums)
    return blocks.reshape(shape)


def decode(packed, size, values):
    """The values of blocks of `size` bytes; `values` decodes what is behind the scale."""
    blocks = packed.astype(np.uint8).reshape(-1, size)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float64)
    return (scale * values(blocks)).reshape(*packed.shape[:-1], -1)


def decode_q8_0(packed):
    return decode(packed, 34, lambda blocks: blocks[:, 2:].copy().view(np.int8).astype(np.float64))


def decode_q4_0(packed):
    return decode(packed, 18, lambda blocks: np.hstack([blocks[:, 2:] & 15, blocks[:, 2:] >> 4]) - 8.0)


def decode_q8_1(packed):
    return decode(packed, 36, lambda blocks: blocks[:, 4:].copy().view(np.int8).astype(np.float64))


def q8_0_gemv(W, a):
    return {"y": decode_q8_0(W) @ decode_q8_1(a)}


def q4_0_gemv(W, a):
    return {"y": decode_q4_0(W) @ decode_q8_1(a)}
