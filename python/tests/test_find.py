"""Where library and program are looked for."""
import ctypes.util

import pytest
from deltanet_check import NotFound, _find
from deltanet_check._hip import Library


@pytest.mark.parametrize("variable, find", [(_find.PROGRAM_VARIABLE, _find.program), (_find.LIBRARY_VARIABLE, _find.library)])
def test_the_environment_comes_first_and_must_be_right(monkeypatch, tmp_path, variable, find):
    found = find()
    copy = tmp_path / found.name
    copy.symlink_to(found)
    monkeypatch.setenv(variable, str(copy))
    assert find() == copy
    monkeypatch.setenv(variable, str(tmp_path / "nothing"))
    with pytest.raises(NotFound, match=f"{variable}=.*no such file"):
        find()


@pytest.mark.parametrize("find", [_find.program, _find.library])
def test_nowhere_is_told_with_what_to_do(monkeypatch, tmp_path, find):
    monkeypatch.delenv(_find.PROGRAM_VARIABLE, raising=False)
    monkeypatch.delenv(_find.LIBRARY_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_find, "_HERE", tmp_path)
    monkeypatch.setattr(_find, "_in_wheel", lambda: None)
    with pytest.raises(NotFound, match="scripts/build-hip.sh"):
        find()


def test_the_checkout_is_found_around_the_package(monkeypatch, tmp_path):
    for file in ("phases.toml", "crates/gfx906-hip/Cargo.toml", "target/hip/libamdhip64.so.7", "target/release/deltanet-check"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    for variable in (_find.PROGRAM_VARIABLE, _find.LIBRARY_VARIABLE, "CARGO_TARGET_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(_find, "_HERE", tmp_path / "python" / "src" / "deltanet_check")
    monkeypatch.setattr(_find, "_in_wheel", lambda: None)
    assert _find.library() == tmp_path / "target/hip/libamdhip64.so.7"
    assert _find.program() == tmp_path / "target/release/deltanet-check"


@pytest.mark.parametrize("place", ["", "../lib/deltanet-check", "../hip"])
def test_the_library_is_found_from_the_program(monkeypatch, tmp_path, place):
    program = tmp_path / "bin" / "deltanet-check"
    library = (program.parent / place / "libamdhip64.so.7").resolve()
    for file in (program, library):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("a file")
    for variable in (_find.PROGRAM_VARIABLE, _find.LIBRARY_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(_find, "_in_wheel", lambda: program)
    assert _find.program() == program
    assert _find.library() == library


def test_another_library_is_named_as_such():
    libc = ctypes.util.find_library("c")
    with pytest.raises(NotFound, match="another HIP runtime"):
        Library(libc)
    with pytest.raises(NotFound, match="cannot be loaded"):
        Library("/nothing.so")
