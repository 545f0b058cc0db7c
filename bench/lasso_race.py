"""Times scikit-learn's LassoCV on the arrays lasso_race.rs has written.

lasso_race.py FOLDER FOLDS TOL -> the median of the seconds, then the coefficients of the standardised columns.
"""

import os
import sys
import time
import warnings

# One thread each: the race is between methods, and threads that fight for cores only lose.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV
from sklearn.model_selection import KFold

REPEATS = 5

folder, folds, tol = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
x, y = np.load(f"{folder}/x.npy"), np.load(f"{folder}/y.npy")
scale = x.std(axis=0)
x = np.asfortranarray((x - x.mean(axis=0)) / np.where(scale > 0, scale, 1))
top = np.abs(x.T @ (y - y.mean())).max() / len(y)
alphas = top * 1e-3 ** (np.arange(100) / 99)
# By its own tolerance it runs as it comes; a tight one needs more sweeps than the default allows.
sweeps = 1_000 if tol >= 1e-4 else 100_000

seconds = []
for _ in range(REPEATS):
    lasso = LassoCV(alphas=alphas, cv=KFold(folds), tol=tol, max_iter=sweeps, n_jobs=None)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        lasso.fit(x, y)
    seconds.append(time.perf_counter() - start)
    if seconds[0] > 20:
        break
print(np.median(seconds), *lasso.coef_)
