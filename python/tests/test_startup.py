"""`DELTANET_CHECK_GPU`, which a file beside the package heeds when Python starts; torch and Triton are not needed for that."""
import os
import subprocess
import sys

import pytest


def start(code, value):
    environment = {name: text for name, text in os.environ.items() if name != "DELTANET_CHECK_GPU"}
    if value is not None:
        environment["DELTANET_CHECK_GPU"] = value
    done = subprocess.run([sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("value", [None, "0", ""])
def test_without_the_switch_nothing_is_imported(value):
    assert start("import sys; print([name for name in sys.modules if 'deltanet' in name])", value) == "[]"


def test_with_the_switch_a_process_pays_for_no_more_than_it_uses():
    assert start("import sys; print({'torch', 'triton', 'numpy'} & {*sys.modules}, 'deltanet_check._startup' in sys.modules)", "1") == "set() True"


def test_the_card_is_found_without_torch():
    code = "import amdsmi; print([amdsmi.amdsmi_get_gpu_asic_info(card)['target_graphics_version'] for card in amdsmi.amdsmi_get_processor_handles()])"
    assert start(code, "1") == "['gfx906']"
