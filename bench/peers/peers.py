"""Fits one problem with other programs' solvers, as asked, line by line.

peers.py NPZ LOSS L2 L1

Writes first the solvers there are, as a JSON list, then for each line `SOLVER ITERATIONS` of its input a line of JSON with
the seconds of the fit alone and P(w). P(w) = (1/n) Σ loss(xᵢ·w, yᵢ) + (λ₂/2)‖w‖² + λ₁‖w‖₁, no intercept. Tolerances are as
tight as a solver takes, so that iterations are what ends it. `optimum 0` answers with P*, of which `regret/optima.py`
proves how near it is; a lasso's, and that of a hinge over more entries than can be proved in minutes, is the lowest P of a long run.

With one thread the seconds are those for which the process was running, whatever its neighbours do; with more, those that
passed.

liblinear's own library and Vowpal Wabbit take part if they are installed (liblinear-official, vowpalwabbit). Of the former,
iterations are steps of its tolerance; the latter reads its own cache file anew in every pass, and has a process of its own,
whose start is not counted.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
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

try:
    from liblinear import liblinear
except ImportError:
    liblinear = None
try:
    import vowpalwabbit
except ImportError:
    vowpalwabbit = None

warnings.filterwarnings("ignore")


def clock():
    if threads != "1":
        return time.perf_counter()
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in (own, children))


# Vowpal Wabbit reads text, which takes longer to write than to learn from.
MOST_FOR_VW = 3_000_000
# The proof of a hinge's P* multiplies all entries of wide rows thousands of times.
MOST_TO_PROVE = 50_000_000
file, loss, l2, l1 = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
# The weaker the penalty, the longer.
LONG_RUN = 300 if l2 >= 1e-3 else 2000


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


class Library:
    """liblinear's own, newer than scikit-learn's; only training is timed."""

    def __init__(self, kind):
        self.kind = kind
        self.problem = liblinear.problem(y, sp.csr_matrix(x))

    def __call__(self, iterations):
        self.parameter = liblinear.parameter(f"-s {self.kind} -c {C!r} -e {0.75**iterations!r} -B -1 -q")
        return self

    def fit(self, _x, _y):
        self.problem.set_bias(self.parameter.bias)
        liblinear.liblinear.set_print_string_function(self.parameter.print_func)
        self.model = liblinear.liblinear.train(self.problem, self.parameter)

    @property
    def coef_(self):
        model = liblinear.toPyModel(self.model)
        # Its w speaks for the label it saw first.
        return np.array(model.w[:d]) * model.label[0]


class Wabbit:
    """Vowpal Wabbit's L-BFGS, a pass an iteration."""

    def __init__(self, name):
        self.folder = tempfile.TemporaryDirectory()
        self.data = Path(self.folder.name) / "data.vw"
        rows = sp.csr_array(x)
        with self.data.open("w") as file:
            for i in range(n):
                entries = slice(rows.indptr[i], rows.indptr[i + 1])
                pairs = zip(rows.indices[entries], rows.data[entries])
                file.write(f"{y[i]:g} | " + " ".join(f"{j}:{v:.9g}" for j, v in pairs) + "\n")
        self.keys = f"--loss_function {name} -b {max(d - 1, 2).bit_length() + 1} --noconstant --quiet --holdout_off"
        self.run(self.keys + " --passes 1 --kill_cache")

    def run(self, keys):
        command = [sys.executable, "-m", "vowpalwabbit", "-d", str(self.data), "--cache_file", f"{self.data}.cache"]
        subprocess.run(command + keys.split(), check=True, capture_output=True)

    def __call__(self, iterations):
        self.passes = iterations + 1
        return self

    def fit(self, _x, _y):
        model = Path(self.folder.name) / "model"
        start = clock()
        self.run(f"{self.keys} --bfgs --mem 10 --termination 1e-12 --l2 {l2 * n!r} --passes {self.passes} "
                 f"--predict_only_model --readable_model {model} -f {model}.bin")
        whole = clock() - start
        start = clock()
        subprocess.run([sys.executable, "-m", "vowpalwabbit", "--version"], check=True, capture_output=True)
        self.seconds = whole - (clock() - start)
        self.coef_ = np.zeros(d)
        for line in model.read_text().splitlines():
            parts = line.split(":")
            if len(parts) >= 2 and parts[0].isdigit() and int(parts[0]) < d:
                self.coef_[int(parts[0])] = float(parts[1])


def solvers():
    found = of_sklearn()
    kinds = {"logistic": {"liblinear 2.5 dual": 7, "liblinear 2.5 primal": 0}, "hinge": {"liblinear 2.5 dual": 3}}
    if liblinear and l2 > 0:
        found |= {name: Library(kind) for name, kind in kinds.get(loss, {}).items()}
    if vowpalwabbit and loss == "logistic" and (x.nnz if sp.issparse(x) else x.size) <= MOST_FOR_VW:
        found["Vowpal Wabbit bfgs"] = Wabbit("logistic")
    return found


def of_sklearn():
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
    start = clock()
    model.fit(data, y)
    seconds = getattr(model, "seconds", clock() - start)
    return {"seconds": seconds, "objective": objective(np.ravel(model.coef_))}


def optimum():
    """P*, proved to a tenth of the least error asked for, and better where that is cheap."""
    if l1 > 0:
        return fit(lasso, 100_000)
    if loss == "hinge" and d >= optima.WIDE and x.nnz > MOST_TO_PROVE:
        return fit(svc, LONG_RUN)
    start = clock()
    # Newton's method multiplies dense rows in a fraction of the time; so it must not need gigabytes for them.
    spread = sp.issparse(x) and x.nnz > 0.1 * n * d and n * d <= 1e8
    rows = x.toarray() if spread else x
    value, precision = optima.proved(rows, y, l2, l1, loss, aim={"hinge": 1e-7}.get(loss, 1e-10))
    if precision > 1e-7:
        print(f"P* is proved only to {precision:.0e}", file=sys.stderr)
    return {"seconds": clock() - start, "objective": value}


known = solvers()
print(json.dumps(list(known)), flush=True)
for line in sys.stdin:
    name, iterations = line.strip().rsplit(" ", 1)
    print(json.dumps(optimum() if name == "optimum" else fit(known[name], int(iterations))), flush=True)
