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
    with pytest.raises(NotFound, match="scripts/build-hip.sh"):
        find()


def test_the_checkout_is_found_around_the_package(monkeypatch, tmp_path):
    for file in ("phases.toml", "crates/gfx906-hip/Cargo.toml", "target/hip/libamdhip64.so", "target/release/deltanet-check"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    for variable in (_find.PROGRAM_VARIABLE, _find.LIBRARY_VARIABLE, "CARGO_TARGET_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(_find, "_HERE", tmp_path / "python" / "src" / "deltanet_check")
    assert _find.library() == tmp_path / "target/hip/libamdhip64.so"
    assert _find.program() == tmp_path / "target/release/deltanet-check"


def test_another_library_is_named_as_such():
    libc = ctypes.util.find_library("c")
    with pytest.raises(NotFound, match="another HIP runtime"):
        Library(libc)
    with pytest.raises(NotFound, match="cannot be loaded"):
        Library("/nothing.so")
