"""A configuration: players, options, variants, readings and assumptions.

In: what a person asked for, as texts. Out: a `Configuration` whose texts the names pass reads as
expressions of the language against the declared types.
"""

from __future__ import annotations

from attrs import field, frozen


def _sorted(pairs: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(pairs.items()))


@frozen
class Configuration:
    """What is switched how; an empty one means the fewest players and every default.

    `data` replaces data files: pairs of (name of the kind, file), the file's bytes come from the
    reader that the pipeline was given.
    """

    players: int | None = None
    options: tuple[tuple[str, str], ...] = ()
    variants: tuple[str, ...] = ()
    readings: tuple[tuple[str, str], ...] = ()
    assumes: tuple[tuple[str, str], ...] = ()
    data: tuple[tuple[str, str, str], ...] = field(default=())

    @classmethod
    def of(
        cls,
        players: int | None = None,
        options: dict[str, str] | None = None,
        variants: tuple[str, ...] = (),
        readings: dict[str, str] | None = None,
        assumes: dict[str, str] | None = None,
    ) -> Configuration:
        """A configuration in canonical order."""
        return cls(
            players,
            _sorted(options or {}),
            tuple(sorted(set(variants))),
            _sorted(readings or {}),
            _sorted(assumes or {}),
        )

    def text(self) -> str:
        """The configuration on one line, for headers and reports."""
        parts = [f"players={self.players}"] if self.players else []
        parts += [f"option:{k}={v}" for k, v in self.options]
        parts += [f"variant:{v}" for v in self.variants]
        parts += [f"reading:{k}={v}" for k, v in self.readings]
        parts += [f"assume:{k}={v}" for k, v in self.assumes]
        return " ".join(parts) or "default"
