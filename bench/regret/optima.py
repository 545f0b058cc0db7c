"""Computes the optimum P* of the problems of suite.toml without hemingway's solvers, and proves how near it is.

HEMINGWAY_DATA=FOLDER [HEMINGWAY=PROGRAM] python optima.py [NAME…]

Writes optima.toml beside itself after every problem. Problems it already holds are skipped, unless named. hemingway
itself is called only to write the `synth:` data. Requirements: numpy, scipy, scikit-learn. OMP_NUM_THREADS=1 leaves
the other cores alone.

P(w) = (1/n) Σ loss(xᵢ·w, yᵢ) + (λ/2)‖w‖², no intercept. scikit-learn (squared: scipy) finds a w, which Newton's method
refines here until what is proved of it is narrow enough. Smooth losses: P is λ-strongly convex, so
P(w) − P* ≤ ‖∇P(w)‖²/(2λ). Hinge: an interior point method on the rows near the margin, or the method of multipliers where those
are too many, P(w) − P* ≤ P(w) − D(α) for any 0 ≤ α ≤ 1. With λ₁‖w‖₁ besides, Newton's method on the coefficients that are not 0, and P(w) − P* ≤ P(w) − D(α), α the slopes at w, made feasible.
What rounding adds is not in the bounds; it is near 1e-15.
"""

import functools
import gzip
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg, lsqr
from scipy.special import expit
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, LogisticRegression
from sklearn.svm import LinearSVC

HERE = Path(__file__).parent
OPTIMA = HERE / "optima.toml"
# Relative: what is aimed at, and what is asked.
AIM = {"squared": 1e-13, "logistic": 1e-13, "squared-hinge": 1e-13, "hinge": 1e-8}
ASKED = {"squared": 1e-7, "logistic": 1e-7, "squared-hinge": 1e-7, "hinge": 1e-5}
# From this many columns on the Hessian is not formed.
WIDE = 3000
# Rows this near the margin may have any α, at first; and a system of more unknowns than this is not factorized.
NEAR, MOST = 0.2, 6000


# The data, as hemingway prepares it.


def read_idx(path):
    """The array of an idx file of unsigned bytes: after a magic word whose last byte is the rank, the sizes."""
    raw = (gzip.open if path.suffix == ".gz" else open)(path, "rb").read()
    rank = raw[3]
    return np.frombuffer(raw, np.uint8, offset=4 * (rank + 1)).reshape(np.frombuffer(raw, ">u4", rank, 4))


@functools.lru_cache(maxsize=1)
def read(data):
    """The rows, sparse, and the labels as they are written."""
    if data.startswith("synth:"):
        with tempfile.TemporaryDirectory() as folder:
            made = f"{folder}/synth.libsvm"
            program = os.environ.get("HEMINGWAY", "hemingway")
            command = [program, "--output", "quiet", "data", "synth", data.removeprefix("synth:"), "-o", made]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            return load_svmlight_file(made)
    path = Path(os.environ["HEMINGWAY_DATA"], data)
    if "images-idx3" not in data:
        return load_svmlight_file(str(path))
    images = read_idx(path)
    labels = read_idx(path.with_name(path.name.replace("images-idx3", "labels-idx1")))
    return sp.csr_array(images.reshape(len(images), -1) / 255), labels.astype(float)


def prepare(problem):
    """X, y, λ₂ and λ₁. Labels of classification become ±1; a regression's stay, unless it says which are positive."""
    x, y = read(problem["data"])
    # liblinear asks for short indices, which the reader does not always give.
    x = sp.csr_array((x.data, x.indices.astype(np.int32), x.indptr.astype(np.int32)), shape=x.shape)
    if "positive" in problem:
        low, high = problem["positive"]
        y = np.where((low <= y) & (y <= high), 1.0, -1.0)
    elif problem["loss"] != "squared":
        low, high = np.unique(y)
        y = np.where(y == high, 1.0, -1.0)
    if problem.get("normalize") == "rows":
        lengths = np.sqrt(x.multiply(x).sum(axis=1))
        x = sp.csr_array(sp.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ x)
    elif problem.get("normalize") == "columns":
        largest = abs(x).max(axis=0).toarray().ravel()
        x = sp.csr_array(x @ sp.diags_array(1 / np.where(largest > 0, largest, 1)))
    if x.nnz > 0.1 * x.shape[0] * x.shape[1]:
        x = x.toarray()
    return x, y, problem.get("l2", 1 / len(y)), problem.get("l1", 0.0)


# Losses: of z = Xw, the value, slope and curvature of each.


def squared(y):
    return lambda z: ((z - y) ** 2 / 2, z - y, np.ones_like(z))


def logistic(y):
    def loss(z):
        p = expit(-y * z)
        return np.logaddexp(0, -y * z), -y * p, p * (1 - p)

    return loss


def squared_hinge(y):
    def loss(z):
        below = np.maximum(0, 1 - y * z)
        return below**2, -2 * y * below, 2.0 * (below > 0)

    return loss


SMOOTH = {"squared": squared, "logistic": logistic, "squared-hinge": squared_hinge}


def smoothed_hinge(y, alpha, width):
    """max over 0 ≤ a ≤ 1 of a(1 − yz) − (width/2)(a − α)²; `best` is that a."""

    def best(z):
        return np.clip(alpha + (1 - y * z) / width, 0, 1)

    def loss(z):
        a = best(z)
        return a * (1 - y * z) - width / 2 * (a - alpha) ** 2, -y * a, ((a > 0) & (a < 1)) / width

    return loss, best


# Solvers.


def direction(x, curvature, l2, gradient):
    """−H⁻¹∇P: by Cholesky where H is small, by conjugate gradients with its diagonal where it is not."""
    n, d = x.shape
    if d < WIDE:
        rows = np.flatnonzero(curvature)
        part, weights = x[rows], curvature[rows, None] / n
        hessian = part.T @ (part.multiply(weights).tocsr() if sp.issparse(x) else weights * part)
        hessian = (hessian.toarray() if sp.issparse(x) else hessian) + l2 * np.eye(d)
        return cho_solve(cho_factor(hessian), -gradient)
    product = LinearOperator((d, d), lambda v: x.T @ (curvature * (x @ v)) / n + l2 * v)
    squares = x.multiply(x) if sp.issparse(x) else x * x
    scale = squares.T @ curvature / n + l2
    precondition = LinearOperator((d, d), lambda v: v / scale)
    return cg(product, -gradient, rtol=1e-3, maxiter=5000, M=precondition)[0]


def newton(x, l2, loss, w, aim, steps=100):
    """Newton's method with halved steps. Returns w, P(w) and the bound ‖∇P‖²/(2λ) on P(w) − P*."""
    z = x @ w
    for step in range(steps + 1):
        values, slopes, curvature = loss(z)
        value = values.mean() + l2 / 2 * w @ w
        gradient = x.T @ slopes / len(z) + l2 * w
        bound = gradient @ gradient / (2 * l2)
        if bound <= aim * value or step == steps:
            break
        move = direction(x, curvature, l2, gradient)
        across, fall, size = x @ move, gradient @ move, 1.0
        while size > 1e-9:
            near = w + size * move
            if loss(z + size * across)[0].mean() + l2 / 2 * near @ near <= value + 1e-4 * size * fall:
                break
            size /= 2
        else:
            break  # Rounding hides any further descent.
        w, z = near, x @ near
    return w, value, bound


def hinge(x, y, l2, w):
    return np.maximum(0, 1 - y * (x @ w)).mean() + l2 / 2 * w @ w


def multipliers(x, y, l2, w, aim, rounds=60):
    """The method of multipliers on the hinge loss. Returns the least P(w) and the gap to the greatest D(α)."""
    n, width, alpha = len(y), 1.0, np.full(len(y), 0.5)
    # Narrow is fast by Cholesky; conjugate gradients would rather have more rounds of an easier problem.
    narrowest = 1e-4 if x.shape[1] < WIDE else 0.03
    primal, dual = hinge(x, y, l2, w), -np.inf
    for _ in range(rounds):
        loss, best = smoothed_hinge(y, alpha, width)
        w, *_ = newton(x, l2, loss, w, aim / 1e4)
        alpha = best(x @ w)
        of_alpha = x.T @ (y * alpha) / (l2 * n)
        primal = min(primal, hinge(x, y, l2, w), hinge(x, y, l2, of_alpha))
        dual = max(dual, alpha.mean() - l2 / 2 * of_alpha @ of_alpha)
        if primal - dual <= aim * primal:
            break
        width = max(width / 3, narrowest)
    return primal, primal - dual


def factorized(rows, diagonal):
    """How to solve with ZZᵀ + diag: as many unknowns as there are rows or columns, whichever are fewer."""
    count, columns = rows.shape
    dense = (lambda product: product.toarray()) if sp.issparse(rows) else np.asarray
    if count <= columns:
        factor = cho_factor(dense(rows @ rows.T) + np.diag(diagonal))
        return lambda v: cho_solve(factor, v)
    scaled = rows.multiply(1 / diagonal[:, None]).tocsr() if sp.issparse(rows) else rows / diagonal[:, None]
    factor = cho_factor(dense(rows.T @ scaled) + np.eye(columns))
    return lambda v: (v - rows @ cho_solve(factor, scaled.T @ v)) / diagonal


def longest(*pairs):
    """How far values may go along their moves and stay above 0."""
    limits = [np.min(-value[move < 0] / move[move < 0], initial=np.inf) for value, move in pairs]
    return min(1.0, 0.995 * min(limits))


def box(rows, c, steps=60):
    """Mehrotra's method: α in [0, 1] with the least ½‖Zᵀα‖² − cᵀα. Beside α are 1 − α and what pushes either from its bound."""
    alpha, beyond, low, high = np.full((4, len(c)), [[0.5], [0.5], [1.0], [1.0]])
    floor = 1e-13 * (rows.multiply(rows) if sp.issparse(rows) else rows * rows).sum() / len(c)
    for _ in range(steps):
        slack = rows @ (rows.T @ alpha) - c - low + high
        mean = (alpha @ low + beyond @ high) / (2 * len(c))
        if mean < 1e-12 and abs(slack).max() < 1e-9:
            break
        solve = factorized(rows, low / alpha + high / beyond + floor)

        def moves(aim, of_low, of_high):
            to_low, to_high = (aim - of_low) / alpha - low, (aim - of_high) / beyond - high
            move = solve(to_low - to_high - slack)
            return move, to_low - low / alpha * move, to_high + high / beyond * move

        move, lower, higher = moves(0.0, 0.0, 0.0)
        p, d = longest((alpha, move), (beyond, -move)), longest((low, lower), (high, higher))
        left = ((alpha + p * move) @ (low + d * lower) + (beyond - p * move) @ (high + d * higher)) / (2 * len(c))
        move, lower, higher = moves((left / mean) ** 3 * mean, move * lower, -move * higher)
        p, d = longest((alpha, move), (beyond, -move)), longest((low, lower), (high, higher))
        alpha, beyond, low, high = alpha + p * move, beyond - p * move, low + d * lower, high + d * higher
    return np.clip(alpha, 0, 1)


def interior(x, y, l2, w, aim, rounds=30):
    """Rows away from the margin have α = 0 or 1; whoever turns out to be on the wrong side joins the others, and all is done again.
    Returns the least P(w) and the gap to the greatest D(α), or None where too many rows are near."""
    n = len(y)
    signed = sp.csr_array(sp.diags_array(y) @ x) if sp.issparse(x) else y[:, None] * x
    margins = signed @ w
    alpha, near = (margins < 1).astype(float), abs(margins - 1) < NEAR
    primal, dual = np.inf, -np.inf
    for _ in range(rounds):
        free = np.flatnonzero(near)
        if min(len(free), x.shape[1]) > MOST:
            return None
        alpha[free] = 0
        part = signed[free]
        alpha[free] = box(part / np.sqrt(l2 * n), 1 - part @ (signed.T @ alpha) / (l2 * n))
        w = signed.T @ alpha / (l2 * n)
        margins = signed @ w
        primal = min(primal, np.maximum(0, 1 - margins).mean() + l2 / 2 * w @ w)
        dual = max(dual, alpha.mean() - l2 / 2 * w @ w)
        wrong = ~near & np.where(alpha == 0, margins < 1, margins > 1)
        if primal - dual <= aim * primal or not wrong.any():
            break
        near |= wrong
    return primal, primal - dual


def start(x, y, l2, loss):
    """What the libraries find."""
    n, d = x.shape
    if loss == "squared":
        return lsqr(x, y, damp=np.sqrt(n * l2), atol=1e-12, btol=1e-12, iter_lim=2000)[0]
    if loss == "logistic":
        solver = "newton-cholesky" if d < WIDE else "newton-cg"
        model = LogisticRegression(C=1 / (n * l2), solver=solver, tol=1e-8, max_iter=200, fit_intercept=False)
    else:
        svm = loss.replace("-", "_")
        model = LinearSVC(C=1 / (n * l2), loss=svm, tol=1e-5, max_iter=1000, fit_intercept=False, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x, y).coef_.ravel()


# With λ₁.


def start_l1(x, y, l2, l1, kind):
    """What the libraries find; without λ₂ where they know of none."""
    if kind == "squared":
        model = ElasticNet(l1 + l2, l1_ratio=l1 / (l1 + l2), fit_intercept=False, tol=1e-9, max_iter=20_000)
    elif kind == "logistic":
        model = LogisticRegression(
            C=1 / (len(y) * l1), l1_ratio=1, solver="liblinear", tol=1e-7, max_iter=2000, fit_intercept=False
        )
    else:
        model = LinearSVC(C=1 / (len(y) * l1), penalty="l1", dual=False, tol=1e-6, max_iter=5000, fit_intercept=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(sp.csc_matrix(x) if sp.issparse(x) else x, y).coef_.ravel()


def dual_l1(y, l2, l1, kind, a, c):
    """D at a = −slopes, c = Xᵀa/n: scaled until it is feasible where nothing but λ₁ bounds it."""
    t = 1.0 if l2 > 0 else min(1.0, l1 / np.abs(c).max())
    b, over = t * y * a, np.maximum(np.abs(t * c) - l1, 0)
    if kind == "squared":
        values = b - (t * a) ** 2 / 2
    elif kind == "logistic":
        b = np.clip(b, 1e-300, 1 - 1e-16)
        values = -(b * np.log(b) + (1 - b) * np.log1p(-b))
    else:
        values = b - b**2 / 4
    return values.mean() - (over @ over / (2 * l2) if l2 > 0 else 0.0)


def newton_l1(x, l2, l1, loss, w, signs, steps=100):
    """Newton's method on the coefficients with a sign, each on its own side of 0; whoever comes to 0 is left there."""
    for _ in range(steps):
        held = np.flatnonzero(signs)
        part = x[:, held]
        values, slopes, curvature = loss(part @ w[held])
        gradient = part.T @ slopes / len(slopes) + l2 * w[held] + l1 * signs[held]
        weights = curvature[:, None] / len(slopes)
        hessian = part.T @ (part.multiply(weights).tocsr() if sp.issparse(x) else weights * part)
        hessian = (hessian.toarray() if sp.issparse(x) else hessian) + l2 * np.eye(len(held))
        hessian += 1e-13 * np.trace(hessian) / len(held) * np.eye(len(held))
        move = cho_solve(cho_factor(hessian), -gradient)
        crosses = signs[held] * (w[held] + move) < 0
        limits = np.where(crosses, -w[held] / np.where(move == 0, 1, move), 1.0)
        size, fall = min(1.0, limits.min()), gradient @ move
        first = held[np.argmin(limits)] if size < 1 else None

        def value(v):
            return loss(part @ v)[0].mean() + l2 / 2 * v @ v + l1 * np.abs(v).sum()

        before, largest = value(w[held]), size
        while size > 0 and value(w[held] + size * move) > before + 1e-4 * size * fall + 1e-16 * before:
            size = size / 2 if size > 1e-9 else 0.0
        w[held] += size * move
        if first is not None and size == largest:
            w[first], signs[first] = 0.0, 0.0
        elif -fall <= 1e-16 * before or size == 0:
            break
    return w, signs


def proved_l1(x, y, l2, l1, kind, aim):
    """P*, and the relative precision that is proved of it."""
    loss, w, best = SMOOTH[kind](y), start_l1(x, y, l2, l1, kind), (np.inf, -np.inf)
    columns = sp.csc_array(x) if sp.issparse(x) else x
    signs = np.sign(w)
    for _ in range(100):
        w, signs = newton_l1(columns, l2, l1, loss, w, signs)
        values, slopes, _ = loss(x @ w)
        value = values.mean() + l2 / 2 * w @ w + l1 * np.abs(w).sum()
        c = -(x.T @ slopes) / len(y)
        best = min(best[0], value), max(best[1], dual_l1(y, l2, l1, kind, -slopes, c))
        over = np.where(signs == 0, np.abs(c) - l1, 0.0)
        if best[0] - best[1] <= aim * best[0] or over.max() <= 0:
            break
        # The worst half of those that are wrongly at 0.
        join = np.flatnonzero(over > over.max() / 2)
        signs[join] = np.sign(c[join])
    return float(best[0]), max(float((best[0] - best[1]) / best[0]), 1e-15)


def proved(x, y, l2, l1, kind, aim):
    """P*, and the relative precision that is proved of it."""
    if l1 > 0:
        return proved_l1(x, y, l2, l1, kind, aim)
    w = start(x, y, l2, kind)
    if kind == "hinge":
        value, bound = interior(x, y, l2, w, aim) or multipliers(x, y, l2, w, aim)
    else:
        _, value, bound = newton(x, l2, SMOOTH[kind](y), w, aim)
    return float(value), max(float(bound / value), 1e-15)


def main():
    problems = {p["name"]: p for p in tomllib.loads((HERE / "suite.toml").read_text())["problem"]}
    wanted = sys.argv[1:]
    if unknown := set(wanted) - set(problems):
        sys.exit(f"not in suite.toml: {', '.join(sorted(unknown))}")
    text = OPTIMA.read_text() if OPTIMA.exists() else ""
    done = {m[1]: m[0] for m in re.finditer(r"^([\w-]+) = .*$", text, re.MULTILINE)}
    for name in wanted or [name for name in problems if name not in done]:
        began = time.perf_counter()
        problem = problems[name]
        value, precision = proved(*prepare(problem), problem["loss"], AIM[problem["loss"]])
        seconds = time.perf_counter() - began
        coarse = "" if precision <= ASKED[problem["loss"]] else ", COARSER THAN ASKED"
        print(f"{name:20} {value:<22} {precision:.0e} {seconds:6.1f} s{coarse}", flush=True)
        done[name] = f"{name} = {value}  # within {precision:.0e}, proved{coarse}"
        lines = [done[name] for name in problems if name in done]
        head = "# P* of the problems of suite.toml, made by optima.py; the relative precision of each beside it.\n"
        OPTIMA.write_text("\n".join([head, "[optimum]", *lines, ""]))


if __name__ == "__main__":
    main()
