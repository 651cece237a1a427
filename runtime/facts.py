"""Facts of scenarios: conditions, exact legal sets, refusals, views, endings.

In: a run and a fact. Out: failures recorded in the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compiler.machine.scenario import Fact
from runtime.labels import normal
from runtime.legal import DECLINED, NOTHING

if TYPE_CHECKING:
    from runtime.scenarios import Run


def check(run: Run, line: Fact) -> None:
    """Hold a fact against the present position."""
    if line.kind in ("ends", "goes_on", "stalls"):
        _ending(run, line)
    elif line.kind == "true":
        assert line.test is not None
        if not run.value(line.test):
            run.fail(line, line.text.removeprefix("then "), _sides(run, line))
    elif line.kind in ("sees", "blind"):
        _views(run, line)
    elif line.kind == "chance_asked":
        actor = run.engine.to_act(run.state)
        if actor.kind == "seat" or not _at(actor.path, line.word):
            run.fail(line, f"chance acts at {line.word}", run.now())
    else:
        _choices(run, line)


def _at(path: str, word: str) -> bool:
    return path == word or path.endswith("." + word)


def _sides(run: Run, line: Fact) -> str:
    """The values of the two sides of a comparison that does not hold."""
    from compiler.machine.exprs import Binary, Unary
    from runtime.labels import value_label

    test = line.test
    if isinstance(test, Unary) and test.op == "not":
        return "it holds"
    if isinstance(test, Binary) and test.op not in ("and", "or", "in"):
        left, right = (
            value_label(run.machine, x.type, run.value(x)) for x in (test.left, test.right)
        )
        return f"{left} against {right}"
    return "it does not hold"


def _ending(run: Run, line: Fact) -> None:
    outcome = run.engine.outcome(run.state)
    if line.kind == "goes_on":
        if outcome is not None:
            run.fail(line, "the game goes on", "it is over")
    elif outcome is None:
        run.fail(line, "the game is over", run.now())
    elif outcome.stalled != (line.kind == "stalls"):
        found = "stalled" if outcome.stalled else "ended by the rules"
        run.fail(line, line.kind, found)


def _views(run: Run, line: Fact) -> None:
    from runtime.views import can_see

    assert line.seen is not None and line.seat is not None
    seat = run.value(line.seat)
    index = tuple(run.value(i) for i in line.seen.index)
    sees = can_see(run.engine, run.state, seat, line.seen.field, line.seen.place, index)
    if sees != (line.kind == "sees"):
        run.fail(line, line.text.removeprefix("then "), "sees it" if sees else "does not see it")
    elif line.test is not None and not run.value(line.test):
        run.fail(line, line.text.removeprefix("then "), _sides(run, line))


def _choices(run: Run, line: Fact) -> None:
    actor = run.engine.to_act(run.state)
    assert line.seat is not None
    seat = run.value(line.seat)
    if actor.kind != "seat" or actor.seat != seat:
        run.fail(line, f"seat{seat} is asked", run.now())
        return
    if line.kind == "asked":
        if not _at(actor.path, line.word):
            run.fail(line, f"seat{seat} is asked {line.word}", run.now())
        return
    legal = {normal(x): x for x in run.legal()}
    wanted = {normal(x): x for x in line.choices}
    match line.kind:
        case "exactly":
            if set(legal) != set(wanted):
                missing = [wanted[x] for x in wanted if x not in legal]
                extra = [legal[x] for x in legal if x not in wanted]
                found = (
                    f"not legal: {', '.join(missing) or '-'}; legal too: {', '.join(extra) or '-'}"
                )
                run.fail(line, "{" + ", ".join(line.choices) + "}", found)
        case "may" | "may_not":
            if (next(iter(wanted)) in legal) != (line.kind == "may"):
                run.fail(line, line.text.removeprefix("then "), f"legal: {run.choices()}")
        case "may_decline" | "may_not_decline":
            may = DECLINED in run.state.legal or NOTHING in run.state.legal
            if may != (line.kind == "may_decline"):
                run.fail(line, line.text.removeprefix("then "), f"legal: {run.choices()}")
        case "count":
            assert line.test is not None
            count = run.value(line.test)
            if count != len(legal):
                run.fail(line, f"{count} choices", f"{len(legal)} choices: {run.choices()}")
        case "refused":
            _refused(run, line, actor.number, legal)


def _refused(run: Run, line: Fact, number: int, legal: dict[str, str]) -> None:
    """A refusal names the clause; the choice is found among all that could be written."""
    from runtime.candidates import parse_choice

    choice = line.choices[0]
    raw: Any = parse_choice(run.engine.machine, number, choice)
    if normal(choice) in legal or raw is None:
        found = "it is legal" if raw is not None else "it is no choice of this decision at all"
        run.fail(line, f"refused by {line.word}", found)
        return
    reasons = run.engine.legal_of.refusals(number, run.state.cells, raw)
    texts = []
    for clause in reasons:
        if clause < 0:
            texts.append("it is not among what may be chosen")
            continue
        made = run.machine.clauses[clause]
        texts += [made.text, made.path.rsplit(".", 1)[-1], made.path]
    if line.word not in texts:
        run.fail(line, f"refused by {line.word}", f"refused by: {'; '.join(texts) or 'nothing'}")
