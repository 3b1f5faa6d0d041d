"""Runs inside Nagini's own virtual environment and keeps JVM, type checker and Silicon warm between programs.

Part of no package there: started by its path, it imports nothing of verulaw_rl (and must run on every Python
that Nagini has, 3.10 to 3.12). One request a line of JSON on standard input, one answer a line of JSON on
standard output; whatever else wants to print goes to the error stream. A program is only read, never executed.

Nothing of one program may reach the next: Nagini switches its obligations off for good at the first program
without any unless they are forced, so they are; the table of error positions is emptied by each translation; a
Silicon instance (and its Z3) serves one program; consistency messages left by a failed translation are dropped;
the program's file is removed. What stays is the JVM, Nagini's built-in declarations, and mypy's cache of the
standard library and of the contract library.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any

FILE = "program.py"
"""The program, in the working directory; the tool's positions name it."""

TYPE_CHECKER_FAILS = "the type checker fails on this program"

WATCH_S = 0.1
"""Seconds between looks at the solver's CPU time."""


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    requests = os.fdopen(os.dup(0), "rb")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what the JVM or Nagini prints must not stand between answers
    verifier = Verifier(json.loads(requests.readline()))
    for line in requests:
        request = json.loads(line)
        answer = verifier.answer(request)
        answer["id"] = request["id"]
        answers.write(json.dumps(answer).encode() + b"\n")


class Verifier:
    """Nagini, loaded once.

    Args:
        setup: ``heap_bytes`` and ``jvm`` (further options of the JVM), ``z3`` (path of the solver).
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        import jpype
        from nagini_translation import main as nagini
        from nagini_translation import verifier as backend
        from nagini_translation.lib import config, jvmaccess
        from nagini_translation.lib.errors import error_manager

        self._nagini, self._backend, self._errors = nagini, backend, error_manager
        config.obligation_config.disable_all = False
        config.z3_path = setup["z3"]
        config.set_verifier("silicon")
        jpype.startJVM(
            jpype.getDefaultJVMPath(),
            "-Djava.class.path=" + config.classpath,
            "-Xss32m",
            f"-Xmx{setup['heap_bytes']}",
            *setup["jvm"],
            convertStrings=True,
        )
        # Nagini's own constructor has no room for options.
        self._jvm = object.__new__(jvmaccess.JVM)
        for package in ("java", "scala", "viper", "fastparse"):
            setattr(self._jvm, package, jpype.JPackage(package))
        self._consistency = self._jvm.viper.silver.ast.utility.Consistency
        nagini.sil_programs = nagini.load_sil_files(self._jvm, 8)
        _mend_type_cache()
        # What is loaded by now stays; the collector need not look at it again and again.
        gc.collect()
        gc.freeze()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What Nagini says of ``request["program"]``, verified under ``request["silicon"]`` (options)."""
        began = time.perf_counter()
        with open(FILE, "wb") as f:
            f.write(request["program"].encode("utf-8", "surrogatepass"))
        try:
            translated = self._translate()
            translate_s = time.perf_counter() - began
            if isinstance(translated, dict):
                return dict(translated, translate_s=translate_s)
            modules, program = translated
            return dict(self._verify(modules, program, request), translate_s=translate_s)
        finally:
            os.remove(FILE)

    def _translate(self) -> Any:
        """Modules and Viper program, or the answer that says why there is none."""
        from jpype import JException
        from nagini_translation.lib.typeinfo import TypeException
        from nagini_translation.lib.util import (
            ConsistencyException,
            InvalidProgramException,
            UnsupportedException,
        )

        self._consistency.resetMessages()
        try:
            return self._nagini.translate(FILE, self._jvm, 8)
        except TypeException as e:
            return _rejected(*[_type_error(m) for m in e.messages])
        except InvalidProgramException as e:
            return _rejected(_at(e.node, "invalid", e.message or e.code, e.code))
        except UnsupportedException as e:
            import astunparse

            return _rejected(_at(e.node, "unsupported", e.args[0] or astunparse.unparse(e.node).strip()))
        except ConsistencyException as e:
            return _rejected(_problem("consistency", str(e.message)))
        except JException as e:
            return {"outcome": "fault", "said": str(e.stacktrace())[:4000]}
        except SystemExit:  # mypy's way to end when it fails itself
            return _rejected(_problem("translator", TYPE_CHECKER_FAILS))
        except (MemoryError, OSError):
            raise
        except Exception as e:  # Nagini's translator fails on some programs in ways of its own
            traceback.print_exc()
            return _rejected(_problem("translator", f"{type(e).__name__}: {e}"))

    def _verify(self, modules: Any, program: Any, request: dict[str, Any]) -> dict[str, Any]:
        from jpype import JException

        reporter = self._jvm.viper.silver.reporter.PollingReporter(
            "polled", self._backend.getobject(self._jvm.java, self._jvm.viper.silver.reporter, "NoopReporter")
        )
        began = time.perf_counter()
        silicon = self._silicon(reporter, request["silicon"])
        watch = _SolverWatch(request["solver_s"])
        answer: dict[str, Any] = {}
        try:
            result = silicon.verify(modules, program)
            if result:
                answer["outcome"] = "verified"
            else:
                answer["outcome"] = "failed"
                answer["errors"] = [_error(e) for e in result.errors]
        except (JException, Exception) as e:
            # Nagini cannot put some failures into words (a solver that is gone, an unknown kind of error).
            said = str(e.stacktrace()) if isinstance(e, JException) else traceback.format_exc()
            answer["outcome"], answer["said"] = "fault", said[:4000]
        finally:
            solver_s, passed = watch.stop()
            silicon.silicon.stop()
            silicon.silicon = None
        answer["members"], failures = _members(reporter)
        if passed:
            # What came to its end before still counts.
            answer["outcome"] = "timeout"
            answer["errors"] = [_error(e) for e in self._errors.convert(failures, self._jvm, modules, False)]
        answer["solver_s"] = solver_s
        answer["verify_s"] = time.perf_counter() - began
        answer["declared"] = _declared(modules)
        return answer

    def _silicon(self, reporter: Any, options: list[str]) -> Any:
        """Nagini's own way to start Silicon, with our reporter in the place of the one that says nothing."""
        kept = self._backend.getobject

        def getobject(java: Any, package: Any, name: str) -> Any:
            return reporter if name == "NoopReporter" else kept(java, package, name)

        self._backend.getobject = getobject
        try:
            return self._backend.Silicon(self._jvm, FILE, options, False)
        finally:
            self._backend.getobject = kept


def _mend_type_cache() -> None:
    """Let mypy use its cache of everything but the program, as Nagini means it to.

    Nagini keeps mypy from taking from the cache what it needs the syntax trees of: the program and what that
    imports, less the modules that Nagini knows itself. Its own way confuses module names (the cache of the standard
    library is thrown away at nearly every program, seconds of work) and piles up on itself from program to program.
    """
    from nagini_translation.lib.constants import IGNORED_IMPORTS

    mypy: Any = importlib.import_module("mypy.build")
    build, cached = mypy.build, mypy.find_cache_meta

    def find_cache_meta(module: str, path: str, manager: Any) -> Any:
        needed, waiting = set(), ["__main__"]
        while waiting:
            name = waiting.pop()
            if name in needed:
                continue
            needed.add(name)
            if name in manager.ast_cache:
                for of in manager.ast_cache[name][0].imports:
                    names = [n for n, _ in of.ids] if isinstance(of, mypy.Import) else [of.id]
                    waiting += [n for n in names if n not in IGNORED_IMPORTS]
        return None if module in needed else cached(module, path, manager)

    def build_with_cache(*arguments: Any, **more: Any) -> Any:
        mypy.find_cache_meta = find_cache_meta
        try:
            return build(*arguments, **more)
        finally:
            mypy.find_cache_meta = cached

    mypy.build = build_with_cache


class _SolverWatch:
    """Ends the solvers of this process when they have used their CPU time together."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._began_s = _solver_cpu_s()
        self._stop = threading.Event()
        self._passed = False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(WATCH_S):
            if _solver_cpu_s() - self._began_s > self._limit_s:
                self._passed = True
                for pid, name in _children():
                    if name == "z3":
                        os.kill(pid, 9)

    def stop(self) -> tuple[float, bool]:
        """CPU seconds that the solvers used, and whether that was too much."""
        self._stop.set()
        self._thread.join()
        return _solver_cpu_s() - self._began_s, self._passed


def _children() -> Iterator[tuple[int, str]]:
    """Process ids and names of the direct children (the JVM is in this process, the solvers are its children)."""
    for entry in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{entry}/children") as f:
                pids = f.read().split()
        except OSError:
            continue
        for pid in pids:
            try:
                with open(f"/proc/{pid}/comm") as f:
                    yield int(pid), f.read().strip()
            except OSError:
                continue


def _solver_cpu_s() -> float:
    """CPU seconds of the solvers, those that ended included."""
    times = os.times()
    total = times.children_user + times.children_system
    for pid, _ in _children():
        try:
            with open(f"/proc/{pid}/stat") as f:
                user, system = f.read().rpartition(")")[2].split()[11:13]
        except OSError:
            continue
        total += (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return total


def _rejected(*problems: dict[str, Any]) -> dict[str, Any]:
    return {"outcome": "invalid", "problems": list(problems)}


def _problem(kind: str, message: str, code: str = "", line: int = 0, column: int = 0) -> dict[str, Any]:
    return {"kind": kind, "message": message, "code": code, "line": line, "column": column}


def _at(node: Any, kind: str, message: str, code: str = "") -> dict[str, Any]:
    return _problem(kind, message, code, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def _type_error(message: str) -> dict[str, Any]:
    from nagini_translation.main import TYPE_ERROR_MATCHER

    m = TYPE_ERROR_MATCHER.match(message)
    if m is None:
        return _problem("type", message)
    return _problem("type", m.group("msg"), line=int(m.group("line")))


def _error(error: Any) -> dict[str, Any]:
    """A failed check as plain data."""
    return {
        "error": error.identifier,
        "reason": error.reason.identifier,
        "message": str(error.message),
        "because": str(error.reason.string(False)),
        "at": _position(error.position),
        "reason_at": _position(error.reason.position),
        "vias": [[str(reason), str(at)] for reason, at in error.reason.vias or error._vias or []],
        "unknown": _unknown(error._error),
    }


def _position(position: Any) -> list[Any] | None:
    """File, line, column, end line, end column; ``None`` where the tool knows none."""
    try:
        name = os.path.basename(str(position.file_name))
        return [name, position.line, position.column, position.line_end, position.column_end]
    except AttributeError:  # NoPosition, or a place in the built-in declarations
        return None


def _unknown(error: Any) -> list[str]:
    """Why the solver did not know, once for each path."""
    found: list[Any] = []
    contexts = error.failureContexts().toIterator()
    while contexts.hasNext():
        context = contexts.next()
        if hasattr(context, "reasonUnknown") and context.reasonUnknown().isDefined():
            found.append(str(context.reasonUnknown().get()))
    return found


def _members(reporter: Any) -> tuple[list[Any], list[Any]]:
    """Viper members that came to an end (name, kind, whether verified, milliseconds), and their failures."""
    found: list[Any] = []
    failures: list[Any] = []
    while reporter.hasNewMessage():
        message = reporter.getNewMessage()
        kind = message.getClass().getSimpleName()
        if kind not in ("EntitySuccessMessage", "EntityFailureMessage"):
            continue
        member = message.concerning()
        name, of = str(member.name()), str(member.getClass().getSimpleName())
        found.append([name, of, kind == "EntitySuccessMessage", int(message.verificationTime())])
        if kind == "EntityFailureMessage":
            errors = message.result().errors().toIterator()
            while errors.hasNext():
                failures.append(errors.next())
    return found, failures


def _declared(modules: Any) -> list[dict[str, Any]]:
    """The program's own functions and methods: path, Viper name, line, and what Nagini takes them for."""
    found: list[Any] = []

    def visit(holder: Any, prefix: str) -> None:
        for kind in ("functions", "methods", "static_methods", "predicates"):
            for member in getattr(holder, kind, {}).values():
                node = getattr(member, "node", None)
                if node is None or not hasattr(member, "sil_name"):
                    continue
                found.append(
                    {
                        "path": prefix + node.name,
                        "viper": str(member.sil_name),
                        "line": node.lineno,
                        "pure": bool(member.pure),
                        "predicate": bool(getattr(member, "predicate", False)),
                        "contract_only": bool(member.contract_only),
                    }
                )
        for cls in getattr(holder, "classes", {}).values():
            if getattr(cls, "node", None) is not None:
                visit(cls, prefix + cls.node.name + ".")

    for module in modules:
        if os.path.basename(str(getattr(module, "file", ""))) == FILE:
            visit(module, "")
    return found


if __name__ == "__main__":
    main()
