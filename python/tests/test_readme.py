"""What the README shows, run as it stands there."""
import os
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
EXAMPLES = re.findall(r"^## (.*?)\n.*?```python\n(.*?)```", (HERE.parent / "README.md").read_text(), re.S | re.M)


def test_there_are_five():
    assert [title for title, _ in EXAMPLES] == ["A kernel on arrays", "Settings of a launch", "A mistake, as an exception", "Custom contracts", "Golden tensors"]


@pytest.mark.parametrize("title, code", EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_an_example(title, code, capsys):
    os.chdir(HERE.parents[1])
    exec(compile(code, f"README.md: {title}", "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    for shown in re.findall(r'# .*?: "(.*)"$', code, re.M):
        assert shown in out
    if title == "A mistake, as an exception":
        assert "kernel_mul" in out and "argument    2" in out
