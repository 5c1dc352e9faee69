"""The program through Python: `python -m deltanet_check`, and what its messages say of files that this package writes for it."""
import os
import re
import signal
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from deltanet_check import NotFound, ToolError, _find, goldens, run

MODULE = [sys.executable, "-m", "deltanet_check"]


def test_the_module_is_the_program_with_its_arguments_streams_and_exit_codes(tmp_path):
    def both(*arguments, **how):
        runs = (subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=tmp_path, **how) for command in (MODULE, [_find.program()]))
        return [(done.returncode, done.stdout, done.stderr) for done in runs]

    for arguments, code in [(["--version"], 0), (["--list", "--test", "mul*"], 0), (["--no-such-flag"], 2), (["inspect", "a file that is not there"], 3)]:
        module, program = both(*arguments)
        assert module == program and module[0] == code, arguments


def test_a_signal_reaches_the_program():
    program = subprocess.Popen([*MODULE, "hip", "--", "sleep", "60"], env={**os.environ, _find.LIBRARY_VARIABLE: str(_find.library())})
    # The process itself becomes the program: there is no other to be left behind.
    while os.readlink(f"/proc/{program.pid}/exe") != os.path.realpath(_find.program()):
        assert program.poll() is None
    program.send_signal(signal.SIGKILL)
    assert program.wait() == -signal.SIGKILL


def test_without_the_program_it_is_a_line_and_exit_code_3(tmp_path):
    missing = {**os.environ, _find.PROGRAM_VARIABLE: str(tmp_path / "nothing")}
    done = subprocess.run([*MODULE, "--version"], capture_output=True, text=True, env=missing)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"error: {_find.PROGRAM_VARIABLE}={tmp_path}/nothing: there is no such file\n"


def test_the_package_starts_without_numpy():
    blocked = "import sys; sys.modules['numpy'] = None; import deltanet_check, deltanet_check.pytest; deltanet_check.NotFound"
    subprocess.run([sys.executable, "-c", blocked], check=True)


def test_the_command_of_the_wheel_does_not_find_itself(monkeypatch, tmp_path):
    script = tmp_path / "scripts" / "deltanet-check"
    program = tmp_path / "bin" / "deltanet-check"
    for file, text in [(script, f"#!{sys.executable}\nfrom deltanet_check.__main__ import main\nmain()\n"), (program, "another file")]:
        file.parent.mkdir()
        file.write_text(text)
        file.chmod(0o755)
    monkeypatch.delenv(_find.PROGRAM_VARIABLE, raising=False)
    monkeypatch.setattr(_find, "_HERE", tmp_path)
    monkeypatch.setattr(_find, "_in_wheel", lambda: None)
    monkeypatch.setenv("PATH", str(script.parent))
    with pytest.raises(NotFound):
        _find.program()
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{program.parent}")
    assert _find.program() == program


def messages(kernels, tmp_path):
    """Makes mistakes that the program complains about; the name of each, what the caller handed over, and the complaint."""
    a = np.ones(64, np.float32)
    test = goldens.export("mul")
    (tmp_path / "mine.co").write_bytes(b"no code object")
    mistakes = [
        ("a code object in a file", f"{tmp_path}/mine.co: ", lambda: run(tmp_path / "mine.co", "k", 1, 64, a)),
        ("a code object in bytes", "the code object of 14 bytes: ", lambda: run(b"no code object", "k", 1, 64, a)),
        ("a kernel that is not there", f"{kernels}: no kernel `k`", lambda: run(kernels, "k", 1, 64, a)),
        ("a shape", "output `out` of mul: ", lambda: test.assert_close_to_oracle("out", a)),
        ("a type", "output `out` of mul: ", lambda: test.assert_close_to_oracle("out", a.astype(np.int64))),
        ("a name", "output `no` of mul: ", lambda: test.assert_close_to_oracle("no", a)),
        ("a test", "no such test", lambda: goldens.export("no such test")),
    ]
    for name, words, mistake in mistakes:
        with pytest.raises(ToolError) as caught:
            mistake()
        yield name, words, str(caught.value)


def test_messages_name_what_the_caller_handed_over_and_no_temporary_file(kernels, tmp_path, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    for name, words, message in messages(kernels, tmp_path):
        assert words in message, name
        assert str(place) not in message and "handed-over" not in message, name
        assert not re.search(r"/tmp[^/]*/deltanet-check", message), name
    assert not list(place.iterdir())
