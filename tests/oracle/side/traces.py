# SPDX-License-Identifier: Apache-2.0
"""Random scripts for two programs that answer each line with a line: the traces must be the same.

A script is a list of lines; the first one begins it. What follows " #" in a line is a note: the name of
a difference that is meant. A name that is met often and never differs is no difference any more.
"""
import collections
import random
import subprocess

import runner

RUN_SECONDS = 300
SHRINK_RUNS = 300
STALE_AFTER = 20  # steps of a name without a difference

# ---- the programs


def run(command, scripts):
    """The traces of a program, one per script. After a crash the rest is missing."""
    lines = [line for script in scripts for line in script]
    text = "".join(line + "\n" for line in lines)
    try:
        result = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=RUN_SECONDS)
        output, said, status = result.stdout, result.stderr, result.returncode
    except subprocess.TimeoutExpired as late:
        output, said, status = late.stdout or b"", late.stderr or b"", "no end in time"
    except OSError as error:
        raise runner.Failure(f"{command[0]}: {error}") from None
    trace = output.decode(errors="replace").split("\n")[:-1]
    if status != 0:
        # In the place of the first line that is missing, or of the last one.
        del trace[len(lines) - 1:]
        trace.append(f"(status {status}) {said.decode(errors='replace').strip()[-500:]}")
    traces, at = [], 0
    for script in scripts:
        traces.append(trace[at:at + len(script)])
        at += len(script)
    return traces


# ---- the comparison


def note_of(line):
    return line.partition(" #")[2] or None


def first_difference(excuses, script, expected, given):
    """(index, name) of the first line that differs; the name if it is excused. None if none does."""
    for i, line in enumerate(script):
        ours = given[i] if i < len(given) else "(nothing)"
        theirs = expected[i] if i < len(expected) else "(nothing)"
        if ours != theirs:
            note = note_of(line)
            return i, note if note in excuses else None
    return None


def shrink(script, differs):
    """Drop ever smaller stretches of steps for as long as a difference that is not meant stays."""
    runs = 0
    steps = script[1:]
    chunk = max(1, len(steps) // 2)
    while chunk >= 1:
        at = 0
        while at < len(steps) and runs < SHRINK_RUNS:
            trial = steps[:at] + steps[at + chunk:]
            runs += 1
            if trial and differs([script[0], *trial]):
                steps = trial
            else:
                at += chunk
        chunk //= 2
    return [script[0], *steps]


class Tally:
    def __init__(self, excuses):
        self.excuses = excuses
        self.scripts = self.steps = 0
        self.seen = collections.Counter()  # steps with a name
        self.excused = collections.Counter()  # of them, those that differed
        self.wrong = []  # scripts


def compare(tally, scripts, expected, given):
    for script, theirs, ours in zip(scripts, expected, given):
        tally.scripts += 1
        tally.steps += len(script) - 1
        tally.seen.update(note for note in map(note_of, script) if note)
        found = first_difference(tally.excuses, script, theirs, ours)
        if found is None:
            continue
        if found[1]:
            tally.excused[found[1]] += 1
        else:
            tally.wrong.append(script)


def show(script, theirs, ours):
    for i, line in enumerate(script):
        a = theirs[i] if i < len(theirs) else "(nothing)"
        b = ours[i] if i < len(ours) else "(nothing)"
        print(f"    {line}\n        go    {a}")
        if a != b:
            print(f"        ours  {b}")


def report(kind, tally, oracle, program):
    """Say how it went; whether all is well."""
    print(f"{kind:13} {tally.scripts:6} scripts, {tally.steps:8} steps, "
          f"{sum(tally.excused.values()):5} excused, {len(tally.wrong):5} different", flush=True)
    for name in sorted(tally.seen):
        print(f"    {name}: excused {tally.excused[name]} of {tally.seen[name]}")
    good = not tally.wrong
    for name, n in tally.seen.items():
        if name not in tally.excuses:
            print(f"    {name} is not in the list of differences")
            good = False
        elif oracle != program and n >= STALE_AFTER and not tally.excused[name]:
            print(f"    {name} is no difference any more")
            good = False
    if tally.wrong:
        def differs(script):
            sides = (run(side, [script])[0] for side in (oracle, program))
            found = first_difference(tally.excuses, script, *sides)
            return found is not None and not found[1]

        small = shrink(tally.wrong[0], differs)
        print("the first, made small:")
        show(small, run(oracle, [small])[0], run(program, [small])[0])
    return good


# ---- running


def check(kind, make_script, options, batch, excuses, oracle, program):
    """Compare scripts of options.seed until there were options.steps steps; `batch` of them in one run
    of the programs. Whether all is well."""
    rng = random.Random(f"{options.seed}:{kind}")
    tally = Tally(excuses)
    while tally.steps < options.steps and not tally.wrong:
        scripts, n = [], 0
        while n < min(batch, options.steps - tally.steps):
            scripts.append(make_script(rng))
            n += len(scripts[-1]) - 1
        compare(tally, scripts, run(oracle, scripts), run(program, scripts))
    return report(kind, tally, oracle, program)
