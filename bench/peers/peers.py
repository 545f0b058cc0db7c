"""Fits one problem with other programs' solvers, as asked, line by line.

peers.py NPZ LOSS L2 L1

Writes first the solvers there are, as a JSON list, then for each line `SOLVER ITERATIONS` of its input a line of JSON with
the seconds of the fit alone and P(w). P(w) = (1/n) Σ loss(xᵢ·w, yᵢ) + (λ₂/2)‖w‖² + λ₁‖w‖₁, no intercept. Tolerances are as
tight as a solver takes, so that iterations are what ends it. `optimum 0` answers with P*, of which `regret/optima.py`
proves how near it is; a lasso's is the lowest P of a long run.
"""

import json
import os
import sys
import time
import warnings
from pathlib import Path

# One thread each, unless the caller says more.
threads = os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = threads

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Lasso, LogisticRegression, Ridge, SGDClassifier
from sklearn.svm import LinearSVC

sys.path.append(str(Path(__file__).parent.parent / "regret"))
import optima

warnings.filterwarnings("ignore")
file, loss, l2, l1 = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])


def load(file):
    """The arrays as hemingway writes them: SciPy's CSR or a dense X, with labels y."""
    arrays = np.load(file)
    if "indptr" not in arrays:
        return np.ascontiguousarray(arrays["X"]), arrays["y"]
    parts = arrays["data"], arrays["indices"].astype(np.int32), arrays["indptr"].astype(np.int32)
    return sp.csr_array(parts, shape=tuple(arrays["shape"])), arrays["y"]


x, y = load(file)
n, d = x.shape
C = 1 / (l2 * n) if l2 > 0 else None
columns = sp.csc_array(x) if sp.issparse(x) else np.asfortranarray(x)


def objective(w):
    z = x @ w
    losses = {
        "logistic": lambda: np.logaddexp(0, -y * z),
        "hinge": lambda: np.maximum(0, 1 - y * z),
        "squared": lambda: (z - y) ** 2 / 2,
    }[loss]()
    return losses.mean() + l2 / 2 * w @ w + l1 * np.abs(w).sum()


def logistic(solver, **more):
    keys = dict(C=C, fit_intercept=False, solver=solver, tol=1e-14, random_state=0) | more
    return lambda iterations: LogisticRegression(max_iter=iterations, **keys)


def sgd(name):
    keys = dict(loss=name, alpha=l2, fit_intercept=False, tol=None, average=True, random_state=0)
    return lambda iterations: SGDClassifier(max_iter=iterations, **keys)


def svc(iterations):
    return LinearSVC(C=C, loss="hinge", dual=True, fit_intercept=False, tol=1e-14, max_iter=iterations, random_state=0)


def ridge(solver):
    # Its objective is n times ours; the tolerance is what ends the iterative ones, each a step of ten.
    return lambda steps: Ridge(alpha=l2 * n, fit_intercept=False, solver=solver, tol=10.0**-steps, random_state=0)


def lasso(iterations):
    return Lasso(alpha=l1, fit_intercept=False, tol=1e-14, max_iter=iterations, selection="cyclic")


def solvers():
    if l1 > 0:
        return {"sklearn Lasso": lasso}
    if loss == "squared":
        every = ["cholesky", "lsqr", "sparse_cg", "sag"]
        return {f"sklearn Ridge {solver}": ridge(solver) for solver in every}
    if loss == "hinge":
        return {"liblinear dual (LinearSVC)": svc, "sklearn SGD": sgd("hinge")}
    found = {
        "liblinear dual": logistic("liblinear", dual=True),
        "liblinear trust region": logistic("liblinear"),
        "sklearn lbfgs": logistic("lbfgs"),
        "sklearn newton-cg": logistic("newton-cg"),
        "sklearn saga": logistic("saga"),
        "sklearn SGD": sgd("log_loss"),
    }
    if d <= 2000:
        found["sklearn newton-cholesky"] = logistic("newton-cholesky")
    return found


def fit(make, iterations):
    data = columns if make is lasso else x
    model = make(iterations)
    start = time.perf_counter()
    model.fit(data, y)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "objective": objective(np.ravel(model.coef_))}


def optimum():
    """P*, proved to a tenth of the least error asked for, and better where that is cheap."""
    if l1 > 0:
        return fit(lasso, 100_000)
    start = time.perf_counter()
    value, precision = optima.proved(x, y, l2, loss, aim={"hinge": 1e-7}.get(loss, 1e-10))
    if precision > 1e-7:
        print(f"P* is proved only to {precision:.0e}", file=sys.stderr)
    return {"seconds": time.perf_counter() - start, "objective": value}


known = solvers()
print(json.dumps(list(known)), flush=True)
for line in sys.stdin:
    name, iterations = line.strip().rsplit(" ", 1)
    print(json.dumps(optimum() if name == "optimum" else fit(known[name], int(iterations))), flush=True)
