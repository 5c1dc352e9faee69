def partial_rope(x, cos, sin, *, R, pairs):
    # One angle for all heads of a token.
    cos, sin = cos[:, None, :], sin[:, None, :]
    adjacent = pairs == "adjacent"
    first = x[..., 0:R:2] if adjacent else x[..., : R // 2]
    second = x[..., 1:R:2] if adjacent else x[..., R // 2 : R]
    out = x.copy()
    out[..., slice(0, R, 2) if adjacent else slice(0, R // 2)] = first * cos - second * sin
    out[..., slice(1, R, 2) if adjacent else slice(R // 2, R)] = second * cos + first * sin
    return {"x": out}
