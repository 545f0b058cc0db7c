"""Times one peer's Lasso path on the arrays paths.rs has written, at the loosest tolerance that keeps to the gap.

paths.py FOLDER PEER GAP [THREADS [PATIENCE]] -> seconds, those of a core, the worst gap of its points and of ours, as shares of P(0); or
`patience`, if no path was solved in that many seconds.
"""

import os
import signal
import sys
import time
import warnings

threads, patience = (sys.argv + ["1", "600"][len(sys.argv) - 4 :])[4:6]
for name in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = threads

import numpy as np
import scipy.sparse as sp

folder, peer, bar = sys.argv[1], sys.argv[2], float(sys.argv[3])
load = lambda name: np.load(f"{folder}/{name}.npy")
y, l1 = load("y"), load("l1")
if os.path.exists(f"{folder}/x.npy"):
    x = load("x").T
else:
    starts, indices = load("starts").astype(np.int32), load("indices").astype(np.int32)
    x = sp.csc_matrix((load("values"), indices, starts), shape=(len(y), len(starts) - 1))
n, columns = x.shape
zero = y @ y / (2 * n)
warnings.simplefilter("ignore")


def residual_of(weights, k):
    """y − Xw of a point, and ‖w‖₁."""
    w = weights[:, [k]]
    w = np.asarray(w.todense()).ravel() if sp.issparse(w) else w.ravel()
    some = np.flatnonzero(w)
    return y - x[:, some] @ w[some], np.abs(w).sum()


def dual(weights, k):
    """D at a point's residual, scaled to be feasible: a bound below P* whoever found the point."""
    residual, _ = residual_of(weights, k)
    most = np.abs(x.T @ residual).max() / n
    limit = min(1.0, l1[k] / most)
    t = min(limit, max(0.0, (residual @ y) / max(residual @ residual, 1e-300)))
    return (t * (residual @ y) - t * t * (residual @ residual) / 2) / n


def worst(weights):
    """The largest P − D of a path, D the best bound there is: that of a far closer path, or its own."""
    gaps = []
    for k, strength in enumerate(l1):
        residual, length = residual_of(weights, k)
        gaps.append((residual @ residual / (2 * n) + strength * length - bounds[k]) / zero)
    return max(gaps)


def path_of(name):
    triplets = load(name)
    places = (triplets[:, 1].astype(int), triplets[:, 0].astype(int))
    return sp.csc_matrix((triplets[:, 2], places), shape=(columns, len(l1)))


reference = path_of("reference")
if os.path.exists(f"{folder}/bounds.npy"):
    bounds = load("bounds")
else:
    bounds = [dual(reference, k) for k in range(len(l1))]
    np.save(f"{folder}/bounds.npy", bounds)


def celer(tol):
    from celer import celer_path

    return celer_path(x, y, "lasso", alphas=l1, tol=tol, max_iter=1000, max_epochs=100_000)[1]


def skglm(tol):
    from skglm import Lasso

    return Lasso(tol=tol, fit_intercept=False, max_iter=1000, max_epochs=100_000).path(x, y, l1)[1]


def scikit_learn(tol):
    from sklearn.linear_model import lasso_path

    return lasso_path(x, y, alphas=l1, tol=tol, max_iter=1_000_000, precompute=False)[1]


# The tolerance that means this gap by their own rule, and, where theirs is no gap, looser ones first.
solve, tolerances = {
    "celer": (celer, [bar * f for f in (10, 4, 2, 1, 0.5)]),
    "skglm": (skglm, [bar * 10**f for f in (3, 2.5, 2, 1.5, 1, 0.5, 0, -1, -2)]),
    "scikit-learn": (scikit_learn, [bar * f for f in (4, 1, 0.5, 0.25)]),
}[peer]
# Compiled or imported before it counts.
full, x, y, l1 = (x, y, l1), x[:, :20], y, l1[:2]
solve(1e-2)
x, y, l1 = full


def give_up(*_):
    print("patience")
    sys.stdout.flush()
    os._exit(0)


signal.signal(signal.SIGALRM, give_up)
for tol in tolerances:
    signal.alarm(int(float(patience)))
    start, busy = time.perf_counter(), time.process_time()
    weights = solve(tol)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    signal.alarm(0)
    reached = worst(weights)
    print(peer, tol, seconds, busy, reached, file=sys.stderr)
    if reached <= 1.05 * bar:
        break
print(seconds, busy, reached, worst(path_of("ours")))
