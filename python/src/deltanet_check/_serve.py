"""References that run in this process: the program's own Python process asks for them through a socket."""
from __future__ import annotations

import inspect
import pickle
import secrets
import threading
from collections.abc import Mapping
from multiprocessing.connection import Client, Listener
from pathlib import Path
from typing import Any

import numpy as np

from .contracts import Contract


class Server:
    """Answers calls of contracts' functions while it is open.

    Attributes:
        error: the last exception that a function raised.
    """

    def __init__(self, contracts: Mapping[str, Contract], directory: Path) -> None:
        self._contracts = contracts
        self._key = secrets.token_bytes(16)
        self._address = str(directory / "references")
        self._listener = Listener(self._address, "AF_UNIX", authkey=self._key)
        self._closed = False
        self.error: BaseException | None = None
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while not self._closed:
            try:
                with self._listener.accept() as connection:
                    self._answer(connection)
            except (OSError, EOFError):
                continue  # the program's process has gone, or this one is closed

    def _answer(self, connection: Any) -> None:
        while True:
            try:
                name, arguments = connection.recv()
            except EOFError:
                return
            try:
                # A diagnosis tries inputs that no case has.
                with np.errstate(all="ignore"):
                    answer = (True, self._contracts[name].function(**arguments))
            except Exception as error:  # noqa: BLE001: it goes on to the caller
                self.error = error
                answer = (False, (type(error).__name__, str(error)))
            try:
                connection.send(answer)
            except (TypeError, ValueError, AttributeError, pickle.PicklingError) as error:
                connection.send((False, (type(error).__name__, f"its result cannot be sent on: {error}")))

    def close(self) -> None:
        """Stops answering."""
        self._closed = True
        try:
            Client(self._address, "AF_UNIX", authkey=self._key).close()  # wakes the thread
        except OSError:
            pass  # it was closed before
        self._listener.close()

    def module(self) -> str:
        """The text of a Python module with a function for each contract, which asks this process."""
        lines = [
            "from multiprocessing.connection import Client",
            f"connection = Client({self._address!r}, 'AF_UNIX', authkey=bytes.fromhex({self._key.hex()!r}))",
            "",
            "def call(name, arguments):",
            "    connection.send((name, arguments))",
            "    good, result = connection.recv()",
            "    if not good:",
            "        raise type(result[0], (Exception,), {})(result[1])",
            "    return result",
        ]
        for name, contract in self._contracts.items():
            names = list(inspect.signature(contract.function).parameters)
            lines += ["", f"def {name}({', '.join(names)}):", f"    return call({name!r}, dict({', '.join(f'{n}={n}' for n in names)}))"]
        return "\n".join(lines) + "\n"

