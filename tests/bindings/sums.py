import numpy as np


def packed_sums(x, lengths):
    ends = np.cumsum(lengths)[:-1]
    return {"y": np.concatenate([part.cumsum(0) for part in np.split(x, ends)])}
