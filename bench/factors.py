"""Other programs on the ratings that factors.rs has written; one JSON value on stdout.

factors.py explicit FOLDER RANK L2 EPOCHS
factors.py implicit FOLDER RANK L2 ALPHA EPOCHS THREADS
"""

import json
import os
import sys
import time

what, folder, rank, l2 = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
# implicit and BLAS must not fight for cores: its own threads are the ones asked for.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import scipy.sparse as sp


def read(name):
    table = np.loadtxt(f"{folder}/{name}.csv", delimiter=",", skiprows=1)
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2]


def explicit(epochs):
    """ALS in the closed form, solve by solve in NumPy, on the problem as docs/factorization.md states it; and Surprise's SVD."""
    (u, i, r), (tu, ti, tr) = read("train"), read("test")
    users, items, mean = max(u.max(), tu.max()) + 1, max(i.max(), ti.max()) + 1, r.mean()
    rows = sp.csr_matrix((r - mean, (u, i)), shape=(users, items))
    sides = [rows, rows.T.tocsr()]
    rng = np.random.default_rng(0)
    factors = [np.zeros((users, rank + 1)), np.zeros((items, rank + 1))]
    factors[1][:, :rank] = rng.normal(size=(items, rank)) / np.sqrt(rank)
    # Items nobody rated know nothing.
    factors[1][np.diff(sides[1].indptr) == 0] = 0
    began = time.perf_counter()
    for _ in range(epochs):
        for side in (0, 1):
            matrix, own, other = sides[side], factors[side], factors[1 - side]
            for k in range(matrix.shape[0]):
                here = slice(matrix.indptr[k], matrix.indptr[k + 1])
                x = other[matrix.indices[here]].copy()
                if not len(x):
                    continue
                y = matrix.data[here] - x[:, rank]
                x[:, rank] = 1
                own[k] = np.linalg.solve(x.T @ x + l2 * len(x) * np.eye(rank + 1), x.T @ y)
    seconds = (time.perf_counter() - began) / epochs
    p, q = factors
    guess = mean + p[tu, rank] + q[ti, rank] + np.einsum("nk,nk->n", p[tu, :rank], q[ti, :rank])
    rmse = float(np.sqrt(np.mean((tr - guess.clip(r.min(), r.max())) ** 2)))
    found = {"closed_form": {"rmse": rmse, "seconds_per_epoch": seconds}}

    from surprise import SVD, Dataset, Reader
    import pandas as pd

    table = pd.DataFrame({"u": u, "i": i, "r": r})
    train = Dataset.load_from_df(table, Reader(rating_scale=(r.min(), r.max()))).build_full_trainset()
    best = None
    # Its own penalty, and ten times that: what suits this data is not known beforehand.
    for strength in (0.02, 0.05, 0.1):
        model = SVD(n_factors=rank, n_epochs=20, reg_all=strength, random_state=0)
        began = time.perf_counter()
        model.fit(train)
        seconds = (time.perf_counter() - began) / 20
        guess = np.array([model.predict(a, b).est for a, b in zip(tu.tolist(), ti.tolist())])
        rmse = float(np.sqrt(np.mean((tr - guess) ** 2)))
        if best is None or rmse < best["rmse"]:
            best = {"rmse": rmse, "seconds_per_epoch": seconds, "reg_all": strength}
    found["surprise_svd"] = best
    return found


def implicit(alpha, epochs, threads):
    from implicit.als import AlternatingLeastSquares

    u, i, r = read("train")
    counts = sp.csr_matrix((r, (u, i)))
    confidence = counts.copy()
    # Its entries are confidences themselves, c and not r.
    confidence.data = 1 + alpha * confidence.data
    found = {}
    # Its exact way takes long: three epochs tell its pace.
    ways = (("cg, f32", True, np.float32, epochs), ("cg, f64", True, np.float64, epochs), ("cholesky, f32", False, np.float32, 3))
    for name, steps, dtype, epochs in ways:
        model = AlternatingLeastSquares(
            factors=rank, regularization=l2, alpha=1.0, iterations=epochs, use_cg=steps, use_native=True, use_gpu=False,
            dtype=dtype, num_threads=threads, random_state=0,
        )
        seconds, losses = [], []

        def seen(_epoch, elapsed, *_rest):
            seconds.append(elapsed)
            losses.append(loss(model.user_factors.astype(float), model.item_factors.astype(float), confidence))

        model.fit(confidence, show_progress=False, callback=seen)
        found[name] = {"seconds_per_epoch": float(np.median(seconds)), "losses": losses}
    return found


def loss(p, q, confidence):
    rows = confidence.tocoo()
    fit = np.einsum("nk,nk->n", p[rows.row], q[rows.col])
    entries = np.sum(rows.data * (1 - fit) ** 2 - fit**2)
    everything = np.sum((p.T @ p) * (q.T @ q)) + l2 * (np.sum(p * p) + np.sum(q * q))
    return float((entries + everything) / (2 * len(rows.data)))


if what == "explicit":
    answer = explicit(int(sys.argv[5]))
else:
    answer = implicit(float(sys.argv[5]), int(sys.argv[6]), int(sys.argv[7]))
print(json.dumps(answer))
