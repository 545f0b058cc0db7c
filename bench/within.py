"""How low `train --within` gets, beside the best of a few fixed configurations with the same time: 78 cells on simulated clusters.

HEMINGWAY_DATA=FOLDER python3 bench/within.py PROGRAM [PROGRAM…]

Of several programs, versions say, the first also runs the fixed configurations. P* is what 300 rounds of newton come to. Off by is
log10 of (P - P*) over that of the best fixed one, neither below 1e-7.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CLUSTERS = Path(__file__).parent.parent / "clusters"
DATA = {
    "logistic": "synth:logistic",
    "power law": "synth:power-law",
    "svm": "synth:svm",
    "sparse": "synth:sparse,rows=20000,columns=5000,density=0.01",
    "a9a": "a9a/a9a.libsvm.gz",
    "mushrooms": "mushrooms/mushrooms.libsvm.gz",
}
TIMES = {
    "spark-1gbit": ["1s", "2s", "5s"],
    "cloud-25gbit": ["10ms", "20ms", "50ms", "200ms"],
    "hpc-200gbit": ["5ms", "20ms", "50ms"],
    "laptop": ["10ms", "50ms", "200ms"],
}
LEAST = 1e-7
# Of nothing trained.
START = math.log(2)


def ask(program, *words):
    with tempfile.TemporaryDirectory() as store:
        command = [program, *words, "--store", store, "--output", "json"]
        answer = subprocess.run(command, capture_output=True, text=True)
    return json.loads(answer.stdout)


def fixed(program, data, place):
    """The lowest P of a few configurations, and whose it is."""
    machines = ["1", "2" if "laptop" in place[-1] else "8"]
    found = []
    for algorithm in ["newton", "cocoa", "local-sgd"]:
        for m in machines:
            answer = ask(program, "run", data, "--algorithm", algorithm, "--machines", m, *place)
            found.append((answer.get("objective") or START, f"{algorithm} m={m}"))
    return min(found)


def main():
    programs = sys.argv[1:] or sys.exit(__doc__)
    off = {program: [] for program in programs}
    print("| data | cluster | within | best fixed | P |" + " chosen | P | off by |" * len(programs))
    print("|---|---|---|---|--:|" + "---|--:|--:|" * len(programs))
    for name, data in DATA.items():
        data = data if data.startswith("synth:") else str(Path(os.environ["HEMINGWAY_DATA"], data))
        optimum = ask(programs[0], "run", data, "--algorithm", "newton", "--machines", "1", "--rounds", "300")["objective"]
        above = lambda objective: max(objective - optimum, LEAST)
        for cluster, times in TIMES.items():
            for time in times:
                place = "--within", time, "--cluster", str(CLUSTERS / f"{cluster}.toml")
                best, whose = fixed(programs[0], data, place)
                row = f"| {name} | {cluster} | {time} | {whose} | {best:.5f} |"
                for program in programs:
                    answer = ask(program, "train", data, *place, "--forget", "--yes")
                    choice, objective = answer.get("choice") or {}, answer.get("objective") or START
                    off[program].append(math.log10(above(objective) / above(best)))
                    row += f" {choice.get('algorithm')} m={choice.get('machines')} | {objective:.5f} | {off[program][-1]:+.2f} |"
                print(row, flush=True)
    for program, all_off in off.items():
        ordered = sorted(all_off)
        at = lambda share: ordered[min(int(share * len(ordered)), len(ordered) - 1)]
        worse = sum(value > 0.3 for value in ordered)
        print(f"\n{Path(program).name}: mean {sum(ordered) / len(ordered):.2f}, median {at(0.5):.2f}, 90 % {at(0.9):.2f}, "
              f"worst {ordered[-1]:.2f}; more than twice as far from P* in {worse} of {len(ordered)}")


main()
