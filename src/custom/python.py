"""The process that computes references in Python: requests on standard input, results on a copy of standard output.

A request is a line of JSON and the bytes of its arrays. So is a reply. What a reference prints goes to standard error.
"""

import sys

# A file of the working directory must not stand for a module of Python.
sys.path[:] = [folder for folder in sys.path if folder]

import difflib
import importlib.util
import inspect
import json
import math
import os
import signal
import sysconfig
import threading
import time
import traceback

signal.signal(signal.SIGINT, signal.SIG_DFL)
replies = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
requests = sys.stdin.buffer
sys.stdin = open(os.devnull)
modules = {}
# The first and the last frames of a long traceback that are shown.
FRAMES = 4
# The modules whose files `imported` has returned, or that are none of the user's.
known_modules = set(sys.modules)
# The folders of Python's own modules and of installed packages.
INSTALLED = {os.path.abspath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
# The functions that have been called twice with the same arguments.
repeated = set()


class Refused(Exception):
    """A mistake of the reference that is no exception of its own."""


class Unprepared(Exception):
    """The interpreter lacks something that references need."""


def reply(head, arrays=()):
    replies.write(json.dumps(head).encode() + b"\n")
    for array in arrays:
        replies.write(array)
    replies.flush()


def load(path):
    if path not in modules:
        folder = os.path.dirname(path)
        if folder not in sys.path:
            sys.path.append(folder)
        # A file may have the name of a module that others import.
        name = "deltanet_check_" + os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        modules[path] = module
    return modules[path]


def imported():
    """The files of the modules that were imported since the last call, without those of Python and of installed packages."""
    files = []
    for name in [name for name in sys.modules if name not in known_modules]:
        known_modules.add(name)
        file = getattr(sys.modules.get(name), "__file__", None)
        if not isinstance(file, str) or not os.path.isfile(file):
            continue
        file = os.path.abspath(file)
        installed = any(file.startswith(folder + os.sep) for folder in INSTALLED)
        if not installed and not {"site-packages", "dist-packages"} & set(file.split(os.sep)):
            files.append(file)
    return files


def arguments(function, arrays, others):
    """The arguments that the function takes, by name."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return {**others, **arrays}
    given = {}
    for parameter in parameters:
        name = parameter.name
        if name in arrays:
            given[name] = arrays[name]
        elif name in others:
            given[name] = others[name]
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL:
            known = ", ".join([*arrays, *others])
            raise Refused(f"its parameter `{name}` is no tensor, scalar, choice or size of the contract: known are {known}")
    return given


def wants_torch(function):
    """True if an annotation of the function names a torch tensor."""
    annotations = [p.annotation for p in inspect.signature(function).parameters.values()]
    return any("torch" in str(a) or "Tensor" in str(a) for a in annotations)


def answer(request, body):
    """Calls the function. Its first call is repeated, because a function with another result each time proves nothing."""
    key = request["file"], request["function"]
    first = call(request, body)
    if key not in repeated:
        repeated.add(key)
        if call(request, body) != first:
            raise Refused("it returns something else for the same arguments: draw random numbers from the seed alone")
    return first


def call(request, body):
    try:
        import numpy
    except ImportError as error:
        raise Unprepared(f"{sys.executable} has no numpy ({error})")
    # A diagnosis tries inputs that no case has. A result that is NaN is refused in any case.
    numpy.seterr(all="ignore")
    arrays = {}
    place = 0
    for name, kind, shape in request["arrays"]:
        count = math.prod(shape)
        values = numpy.frombuffer(body, numpy.float64, count, place)
        # A copy, which the reference may write.
        arrays[name] = values.astype(numpy.int64 if kind == "integer" else numpy.float64).reshape(shape)
        place += 8 * count
    function = load(request["file"])
    for part in request["function"].split("."):
        if not hasattr(function, part):
            known = [name for name, value in vars(function).items() if callable(value)]
            near = difflib.get_close_matches(part, known, 1)
            raise Refused(f"the file has no `{request['function']}`" + (f"; did you mean `{near[0]}`?" if near else ""))
        function = getattr(function, part)
    if not callable(function):
        raise Refused(f"`{request['function']}` is no function")
    if wants_torch(function):
        import torch

        arrays = {name: torch.from_numpy(array) for name, array in arrays.items()}
    result = function(**arguments(function, arrays, request["arguments"]))
    outputs = request["outputs"]
    if not isinstance(result, dict):
        if not isinstance(result, tuple):
            result = (result,)
        if len(result) != len(outputs):
            raise Refused(f"it returned {len(result)} arrays where {len(outputs)} are due: {', '.join(outputs)}")
        result = dict(zip(outputs, result))
    for name in result:
        if name not in outputs:
            raise Refused(f"it returned `{name}`, which is no output of the contract: outputs are {', '.join(outputs)}")
    heads, bodies = [], []
    for name in outputs:
        if name not in result:
            raise Refused(f"it did not return `{name}`")
        value = result[name]
        if hasattr(value, "detach"):
            value = value.detach().cpu().numpy()
        array = numpy.asarray(value)
        if array.dtype.kind in "iuf":
            array = array.astype(array.dtype.newbyteorder("="))
        heads.append([name, str(array.dtype), list(array.shape)])
        if array.dtype.kind in "iub":
            if array.size and max(int(array.max()), -int(array.min())) >= 2**53:
                raise Refused(f"`{name}` has integers beyond 2^53")
            array = array.astype(numpy.float64)
        if array.dtype == numpy.float64:
            bodies.append(numpy.ascontiguousarray(array).tobytes())
        else:
            bodies.append(b"")
    return heads, bodies


def frames(error, path):
    """The line in the reference's file where the exception passed, and the traceback from that file on."""
    path = os.path.abspath(path)
    entries = traceback.extract_tb(error.__traceback__)
    own = [at for at, entry in enumerate(entries) if os.path.abspath(entry.filename) == path]
    line = entries[own[-1]].lineno if own else None
    if isinstance(error, SyntaxError) and error.filename and os.path.abspath(error.filename) == path:
        line = error.lineno
    shown = entries[own[0] :] if own else []
    lines = traceback.format_list(shown)
    if len(lines) > 2 * FRAMES + 1:
        left_out = f"  ... {len(lines) - 2 * FRAMES} frames ...\n"
        lines = [*lines[:FRAMES], left_out, *lines[-FRAMES:]]
    text = "".join(lines).rstrip()
    return line, text


def end_with(parent):
    """Ends this process soon after its parent, even in an endless loop of a reference."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def main():
    threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
    while True:
        line = requests.readline()
        if not line:
            return
        request = json.loads(line)
        # The arrays of a request are read before anything can fail, so that the next request begins where it should.
        body = requests.read(8 * sum(math.prod(shape) for _, _, shape in request["arrays"]))
        try:
            heads, bodies = answer(request, body)
        except Refused as error:
            reply({"refused": str(error)})
        except Unprepared as error:
            reply({"unprepared": str(error)})
        except BaseException as error:
            line, text = frames(error, request["file"])
            message = (str(error).splitlines() or [""])[0]
            name = type(error).__name__
            reply({"raised": f"{name}: {message}" if message else name, "line": line, "traceback": text})
        else:
            reply({"outputs": heads, "modules": imported()}, bodies)


if __name__ == "__main__":
    main()
