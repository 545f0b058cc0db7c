"""Trains small models, writes them in every format, and compares what each program makes of them on the same rows.

Usage: compare_models.py PROGRAM SCRATCH
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from liblinear import liblinearutil as liblinear
from safetensors import safe_open

PROGRAM, SCRATCH = sys.argv[1], Path(sys.argv[2])
COLUMNS = 12
CLASSES = ["hinge", "squared-hinge", "smoothed-hinge", "logistic"]
NUMBERS = ["squared", "absolute", "huber"]
PREPARATIONS = ["", "--intercept", "--normalize columns --intercept", "--normalize rows", "--normalize rows --intercept"]


def hemingway(line, code=0):
    done = subprocess.run([PROGRAM, *line.split()], cwd=SCRATCH, capture_output=True, text=True)
    assert done.returncode == code, f"hemingway {line}\n{done.stdout}{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def rows():
    """Columns of different sizes, many zeros; the last row is empty: a tie."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(300, COLUMNS)) * 2.0 ** rng.integers(-3, 3, COLUMNS)
    x[rng.random(x.shape) < 0.4] = 0.0
    x[-1] = 0.0
    return x, x @ (rng.normal(size=COLUMNS) / np.abs(x).max(axis=0)) + 0.3


def kinds(x):
    """Three classes, none of them between the others: the largest of three sums."""
    rng = np.random.default_rng(8)
    return np.argmax(x @ (rng.normal(size=(COLUMNS, 3)).T / np.abs(x).max(axis=0)).T, axis=1)


def write(name, x, labels):
    lines = (
        " ".join([repr(float(y)), *(f"{j + 1}:{float(v)!r}" for j, v in enumerate(row) if v)])
        for row, y in zip(x, labels)
    )
    (SCRATCH / name).write_text("\n".join(lines) + "\n")


def predicted(model, data, flags=""):
    lines = hemingway(f"predict {model} {data} {flags} --output quiet").splitlines()
    return np.array([line.split() for line in lines], dtype=float).squeeze()


def same(what, found, expected):
    assert np.array_equal(found, expected), f"{what}: {np.sum(found != expected)} of {len(expected)} differ"


def near(what, found, expected):
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-12), f"{what}: off by {np.abs(found - expected).max()}"


def compare_liblinear(what, loss, flags, data, labels):
    reason = refusal(loss, flags, labels)
    if reason:
        assert reason in hemingway("model convert m.json m.model", code=2), what
        return "refused"
    hemingway("model convert m.json m.model")
    y, x = liblinear.svm_read_problem(str(SCRATCH / data))
    model = liblinear.load_model(str(SCRATCH / "m.model"))
    found = np.array(liblinear.predict(y, x, model, "-q")[0])
    (same if loss in CLASSES else near)(f"{what}: liblinear", found, labels)
    (same if loss in CLASSES else near)(f"{what}: liblinear text read back", predicted("m.model", data), labels)
    if loss == "logistic" and "rows" not in flags and "softmax" not in flags:
        chances = np.array(liblinear.predict(y, x, model, "-q -b 1")[2])
        margins = predicted("m.json", data, "--margins")
        # The positive label of two is the second.
        near(f"{what}: liblinear's probabilities", chances if margins.ndim > 1 else chances[:, 1], chance(margins))
    return "same"


def refusal(loss, flags, labels):
    """Why liblinear cannot have the model, if so."""
    if "rows" in flags and ("--intercept" in flags or loss in NUMBERS):
        return "does not scale rows"
    return "whole numbers" if loss in CLASSES and not whole(labels) else None


def whole(labels):
    return np.array_equal(labels, labels.round())


def compare_onnx(what, loss, x, labels, margins, softmax):
    hemingway("model convert m.json m.onnx")
    session = onnxruntime.InferenceSession(str(SCRATCH / "m.onnx"), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"rows": x})))
    if loss in NUMBERS:
        near(f"{what}: ONNX", found["prediction"], labels)
        return
    assert found["label"].dtype == (np.int64 if whole(labels) else np.float64), what
    same(f"{what}: ONNX", found["label"], labels)
    near(f"{what}: ONNX scores", found["score"], margins)
    assert ("probability" in found) == (loss == "logistic"), what
    if loss == "logistic":
        near(f"{what}: ONNX probabilities", found["probability"], chance(margins, softmax))


def compare_safetensors(what, loss, flags, x, data, labels, margins):
    hemingway("model convert m.json m.safetensors")
    with safe_open(str(SCRATCH / "m.safetensors"), framework="np") as file:
        weights, intercept = file.get_tensor("weights"), file.get_tensor("intercept")
        assert (file.metadata()["loss"], file.metadata()["columns"]) == (loss, str(COLUMNS)), what
    lengths = np.maximum(np.linalg.norm(x, axis=1), np.finfo(float).tiny) if "rows" in flags else 1.0
    scores = x @ weights.T
    near(f"{what}: safetensors", (scores.T / lengths).T + intercept, margins)
    (same if loss in CLASSES else near)(f"{what}: safetensors read back", predicted("m.safetensors", data), labels)


def chance(margins, softmax=False):
    if softmax:
        odds = np.exp(margins - margins.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)
    each = 1.0 / (1.0 + np.exp(-margins))
    return each / each.sum(axis=1, keepdims=True) if margins.ndim > 1 else each


def compare(loss, flags, x, data):
    what = f"{data}: {loss} {flags}".strip()
    softmax = "softmax" in flags
    algorithm = "lbfgs" if softmax else "cocoa"
    hemingway(f"run {data} --loss {loss} {flags} --algorithm {algorithm} --machines 1 --rounds 300 --model m.json --output quiet")
    labels, margins = predicted("m.json", data), predicted("m.json", data, "--margins")
    assert np.unique(labels).size >= max(margins.shape[1:], default=2), f"{what}: not all labels are predicted"
    told = compare_liblinear(what, loss, flags, data, labels)
    compare_onnx(what, loss, x, labels, margins, softmax)
    compare_safetensors(what, loss, flags, x, data, labels, margins)
    print(f"{what:<64} liblinear {told}, ONNX same, safetensors same")


def compare_theirs(solver, data):
    """What liblinear trained, read by us."""
    y, x = liblinear.svm_read_problem(str(SCRATCH / data))
    model = liblinear.train(y, x, f"-s {solver} -B 2 -q")
    liblinear.save_model(str(SCRATCH / "theirs.model"), model)
    found = liblinear.predict(y, x, model, "-q")[0]
    near(f"liblinear -s {solver}", predicted("theirs.model", data), found)
    hemingway(f"score theirs.model {data}")
    print(f"{f'{data}: liblinear -s {solver}':<64} read alike")


def main():
    x, z = rows()
    write("classes.svm", x, np.where(z > 0, 8, 3))
    write("halves.svm", x, np.where(z > 0, 1.5, 0.5))
    write("many.svm", x, kinds(x))
    write("thirds.svm", x, kinds(x) + 0.25)
    write("numbers.svm", x, z)
    for flags in PREPARATIONS:
        for loss in CLASSES:
            compare(loss, flags, x, "classes.svm")
        compare("logistic", f"--positive 2 {flags}", x, "many.svm")
        compare("logistic", flags, x, "halves.svm")
        compare("logistic", f"--classes softmax {flags}", x, "many.svm")
        compare("logistic", f"--classes softmax {flags}", x, "thirds.svm")
        for loss in CLASSES:
            compare(loss, f"--classes one-vs-rest {flags}", x, "many.svm")
        for loss in NUMBERS:
            compare(loss, flags, x, "numbers.svm")
    for solver in [0, 1, 2, 3, 5, 6, 7]:
        compare_theirs(solver, "classes.svm")
    for solver in [0, 1, 2, 3, 4, 5, 6, 7]:
        compare_theirs(solver, "many.svm")
    for solver in [11, 12, 13]:
        compare_theirs(solver, "numbers.svm")


main()
