"""One task item, immutable, and how it is kept on disk.

An :class:`Instance` holds everything that scoring needs, so that an episode never enumerates
obligations itself: a candidate cannot change what it is measured by. The builder makes instances;
episodes, evidence and evaluation read them. On disk a suite is JSONL, one instance a row.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Category, Point, Task
from verulaw_rl.verification.verdict import ToolIdentity


@dataclass(frozen=True, slots=True)
class Obligation:
    """One thing that the instance requires to be proved."""

    id: str
    category: Category
    declaration: str
    detail: str = ""
    """Text of the clause, or what the obligation is about."""
    clause: int | None = None
    """For a postcondition: index among the declaration's ``ensures`` clauses."""
    loop: int | None = None
    """For the termination of a loop: its index in the declaration."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A fact from the reference proof, hidden from the agent, checked at its points in the candidate."""

    id: str
    category: Category
    declaration: str
    points: tuple[Point, ...]
    expression: str


@dataclass(frozen=True, slots=True)
class VacuousPoint:
    """A point at which the reference itself is vacuous: no vacuity check counts there.

    For ``exit`` the point's index is the number of the site, in source order.
    """

    declaration: str
    point: Point


@dataclass(frozen=True, slots=True)
class Instance:
    """One task item."""

    key: str
    """Stable: suite, program and task. Unique in a suite."""
    language: str
    task: Task
    suite: str
    program: str
    """Name of the program that both task forms come from; they stay on one side of every split."""
    group: str
    """Near-duplicate group (the program's own name where it has none); splits never cut through one."""
    split: str
    given: str
    specification: tuple[tuple[str, str], ...]
    """Canonical contract of each given declaration: (path, signature and clauses)."""
    reference: str
    """Hidden: the verified program."""
    obligations: tuple[Obligation, ...]
    probes: tuple[Probe, ...]
    vacuous: tuple[VacuousPoint, ...]
    covered: tuple[str, ...]
    """Declarations with a contract in which the tool found obligations when it verified the reference."""
    tool: ToolIdentity
    """The tool under which reference, obligations and probes were established."""
    family: str = ""
    difficulty: int = 0
    unverified: bool = False
    """Made from the text alone: no verifier has seen reference, obligations or probes."""
    content_hash: str = field(default="")

    @property
    def totals(self) -> dict[Category, int]:
        """``N[c]``: number of obligations per category, probes included."""
        out = {c: 0 for c in Category}
        for o in self.obligations:
            out[o.category] += 1
        for p in self.probes:
            out[p.category] += 1
        return out

    def with_hash(self) -> Instance:
        """The same instance with ``content_hash`` set: SHA-256 of all that scoring depends on, not of its split."""
        plain = asdict(self)
        for name in ("content_hash", "split", "group"):
            plain.pop(name)
        if not self.unverified:
            plain.pop("unverified")
        text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
        return replace(self, content_hash=hashlib.sha256(text.encode()).hexdigest())


_ADAPTER: TypeAdapter[Instance] = TypeAdapter(Instance)


def instance_to_row(instance: Instance) -> dict[str, Any]:
    """Plain data of one JSONL row; strings and lists only, so that ``datasets`` loads a suite."""
    row: dict[str, Any] = _ADAPTER.dump_python(instance, mode="json")
    return row


def instance_from_row(row: dict[str, Any]) -> Instance:
    """Inverse of :func:`instance_to_row`.

    Raises:
        pydantic.ValidationError: a field is missing or of the wrong kind.
    """
    return _ADAPTER.validate_python(row)


@dataclass(frozen=True, slots=True)
class Suite:
    """A named set of instances with splits."""

    name: str
    instances: tuple[Instance, ...]

    def split(self, name: str) -> tuple[Instance, ...]:
        """Instances of one split, in suite order."""
        return tuple(i for i in self.instances if i.split == name)

    def get(self, key: str) -> Instance:
        """The instance of that key.

        Raises:
            UserError: there is none.
        """
        for instance in self.instances:
            if instance.key == key:
                return instance
        near = ", ".join(i.key for i in self.instances[:3])
        raise UserError(f"suite {self.name!r} has no instance {key!r}; it has {len(self.instances)}, such as {near}")


def save_suite(suite: Suite, path: Path) -> None:
    """Write a suite as JSONL, one instance a row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        for instance in suite.instances:
            out.write(json.dumps(instance_to_row(instance), ensure_ascii=False) + "\n")


def load_suite(path: Path) -> Suite:
    """Read a suite that :func:`save_suite` wrote.

    Raises:
        UserError: the file cannot be read, is empty, holds a row that is no instance, or one whose hash is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read suite {path}: {error}") from None
    instances: list[Instance] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            instance = instance_from_row(json.loads(line))
        except (json.JSONDecodeError, ValidationError) as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{path}:{number}: not an instance ({reason}); build it with `verulaw-rl build`") from None
        if instance.with_hash().content_hash != instance.content_hash:
            raise UserError(
                f"{path}:{number}: instance {instance.key!r} was changed after it was built; build it again"
            )
        instances.append(instance)
    if not instances:
        raise UserError(f"suite {path} is empty; build one with `verulaw-rl build`")
    keys = [i.key for i in instances]
    if len(set(keys)) != len(keys):
        twice = next(k for k in keys if keys.count(k) > 1)
        raise UserError(f"suite {path} holds the key {twice!r} twice")
    return Suite(instances[0].suite, tuple(instances))
