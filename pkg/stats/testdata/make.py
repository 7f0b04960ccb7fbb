"""Makes reference.json: what other libraries give for the statistics of this package.

Python 3.11 with
    scipy==1.17.1 statsmodels==0.15.0 scikit-learn==1.9.1 numpy==2.4.6
Run it in this folder: python make.py > reference.json
The same versions give the same file. Inputs are drawn once from a fixed seed and written beside the results.
"""

import json

import numpy as np
import statsmodels.api as sm
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

draw = np.random.default_rng(20250711)


def rounded(values):
    return [round(float(v), 6) for v in values]


def t_quantiles():
    dfs = [1, 2, 3, 4, 5, 7, 10, 15, 20, 29, 30, 31, 50, 99, 199, 500, 999, 1000, 1001, 1999, 9999, 10**6, 10**9]
    return [{"df": df, "t": float(stats.t.ppf(0.975, df))} for df in dfs]


def t_tails():
    return [{"df": df, "t": t, "p": float(2 * stats.t.sf(t, df))} for df in (1, 2, 5, 30, 199, 1999, 20000, 100000, 10**6)
            for t in (0.01, 0.5, 1.0, 2.0, 3.5, 8.0)]


def means():
    out = []
    for n in (2, 3, 8, 30, 200):
        v = rounded(draw.beta(2, 1, n))
        low, high = stats.t.interval(0.95, n - 1, loc=np.mean(v), scale=stats.sem(v))
        out.append({"values": v, "mean": float(np.mean(v)), "low": float(low), "high": float(high)})
    return out


def shares():
    out = []
    for yes, n in ((0, 10), (1, 29), (81, 263), (15, 148), (56, 70), (19999, 20000)):
        ci = stats.binomtest(yes, n).proportion_ci(method="wilson")
        out.append({"yes": yes, "n": n, "low": float(ci.low), "high": float(ci.high)})
    return out


def by_clusters(design, values, clusters):
    """The covariance CR2 (Bell and McCaffrey 2002) of least squares, by its matrices, and for each coefficient the degrees of
    freedom of Satterthwaite under independent errors of one variance. None of it is as the package reckons it."""
    design, values, clusters = np.asarray(design), np.asarray(values), np.asarray(clusters)
    inverse = np.linalg.inv(design.T @ design)
    hat = design @ inverse @ design.T
    rest = np.eye(len(values)) - hat
    residuals = rest @ values
    covariance, parts = np.zeros_like(inverse), []
    for c in np.unique(clusters):
        at = clusters == c
        size, vectors = np.linalg.eigh(np.eye(at.sum()) - hat[np.ix_(at, at)])
        adjust = vectors @ np.diag(size**-0.5) @ vectors.T
        move = inverse @ design[at].T @ adjust
        covariance += np.outer(move @ residuals[at], move @ residuals[at])
        parts.append(move @ rest[at])
    df = []
    for k in range(design.shape[1]):
        p = np.array([part[k] for part in parts])
        df.append(np.trace(p @ p.T) ** 2 / np.sum((p @ p.T) ** 2))
    return covariance, np.array(df)


def clustered():
    """By CR2; where all clusters have one size, by statsmodels, which is the same there."""
    out = []
    for count, largest in ((2, 3), (6, 4), (25, 8), (40, 1)):
        values, clusters = [], []
        for c in range(count):
            middle = draw.normal(0, 0.2)
            size = int(draw.integers(1, largest + 1))
            values += rounded(middle + draw.normal(0, 0.1, size))
            clusters += [c] * size
        (error, df), mean = cluster_errors(values, clusters), float(np.mean(values))
        half = stats.t.ppf(0.975, df) * error
        out.append({"values": values, "clusters": clusters, "mean": mean, "low": float(mean - half), "high": float(mean + half),
                    "df": df, "t": mean / error, "p": float(2 * stats.t.sf(abs(mean / error), df))})
    own = np.random.default_rng(20251202)
    for count, size in ((3, 2), (12, 5)):
        clusters = [c for c in range(count) for _ in range(size)]
        values = rounded(np.repeat(own.normal(0, 0.2, count), size) + own.normal(0, 0.1, count * size))
        fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": np.array(clusters)}, use_t=True)
        low, high = fit.conf_int()[0]
        out.append({"values": values, "clusters": clusters, "mean": float(fit.params[0]), "low": float(low), "high": float(high),
                    "df": count - 1, "t": float(fit.tvalues[0]), "p": float(fit.pvalues[0])})
    return out


def bootstraps():
    """The draws of scipy are written out: the interval that is made of them is what is compared."""
    out = []
    for n, draws in ((6, 200), (12, 400), (40, 300)):
        # Multiples of 1/1024 have exact sums. Otherwise scipy takes a draw that is the sample itself, in another order, for
        # less or more than its mean by a rounding; ours counts it as equal.
        v = [float(x) for x in np.round(draw.exponential(1, n) * 1024) / 1024]
        one = {"values": v}
        for method, key in (("percentile", "percentile"), ("BCa", "bca")):
            r = stats.bootstrap((v,), np.mean, n_resamples=draws, method=method, rng=np.random.default_rng(n))
            one[key] = [float(r.confidence_interval.low), float(r.confidence_interval.high)]
            one["draws"] = [float(x) for x in r.bootstrap_distribution]
        out.append(one)
    return out


def paired():
    out = []
    for n, shift in ((3, 0.1), (10, 0.0), (30, -0.1), (200, 0.02)):
        d = rounded(draw.normal(shift, 0.3, n))
        r = stats.ttest_1samp(d, 0)
        ci = r.confidence_interval(0.95)
        out.append({"diffs": d, "t": float(r.statistic), "p": float(r.pvalue), "low": float(ci.low), "high": float(ci.high)})
    return out


def sign_flips():
    out = []
    for n, shift in ((4, 0.4), (9, 0.2), (13, 0.1), (16, 0.0)):
        d = rounded(draw.normal(shift, 0.3, n))
        r = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided")
        # scipy's two-sided p doubles the smaller tail, which is the same: the patterns are symmetric.
        out.append({"diffs": d, "p": float(r.pvalue), "sum": float(np.sum(d))})
    return out


def mcnemars():
    out = []
    for fixed, broken in ((0, 0), (0, 1), (1, 7), (7, 1), (5, 5), (6, 5), (3, 20), (86, 150), (1000, 1100)):
        n = fixed + broken
        mid = lambda k: float(stats.binom.sf(k - 1, n, 0.5) - stats.binom.pmf(k, n, 0.5) / 2) if n else 1.0
        small = min(fixed, broken)
        out.append({"fixed": fixed, "broken": broken,
                    "two": float(mcnemar([[0, fixed], [broken, 0]], exact=True).pvalue) if n else 1.0,
                    "worse": float(stats.binomtest(broken, n, 0.5, alternative="greater").pvalue) if n else 1.0,
                    "better": float(stats.binomtest(fixed, n, 0.5, alternative="greater").pvalue) if n else 1.0,
                    "mid_two": float(2 * stats.binom.cdf(small, n, 0.5) - stats.binom.pmf(small, n, 0.5)) if n else 1.0,
                    "mid_worse": mid(broken), "mid_better": mid(fixed)})
    return out


def holms():
    lists = [[0.01, 0.04, 0.03, 0.005], [0.05], [0.2, 0.2, 0.001, 0.9, 0.04], rounded(draw.uniform(0, 0.2, 12))]
    return [{"p": p, "adjusted": [float(x) for x in multipletests(p, method="holm")[1]]} for p in lists]


def powers():
    """Two-sided by statsmodels; the gate's is one tail of it: the noncentral t of scipy beyond the two-sided quantile."""
    out = []
    for n in (2, 3, 5, 20, 100, 1000, 20000):
        for size in (0.0, 0.05, 0.2, 0.5, 1.2):
            two = TTestPower().power(size, n, 0.05, alternative="two-sided")
            above = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, size * np.sqrt(n)) if size else 0.025
            # statsmodels has NaN for some large effects: nothing to compare with there.
            out.append({"n": n, "size": size, "two": None if np.isnan(two) else float(two), "above": float(above)})
    return out


def mcnemar_powers():
    """Exact over all outcomes, from scipy's binomials."""
    out = []
    for n, q, drop in ((30, 0.02, 0.252), (60, 0.1, 0.2), (100, 0.05, 0.12), (200, 0.05, 0.077), (500, 0.02, 0.0)):
        flipped = 2 * q + drop
        m = np.arange(n + 1)
        critical = np.array([next((b for b in range(k + 1) if stats.binom.sf(b - 1, k, 0.5) <= 0.05), k + 1) for k in m])
        found = stats.binom.sf(critical - 1, m, (q + drop) / flipped)
        out.append({"n": n, "fixed": q, "broken": q + drop, "power": float(np.sum(stats.binom.pmf(m, n, flipped) * found))})
    return out


def gates_of_flips():
    """The gate's power for passes and failures, summed over all counts from scipy's multinomial."""
    out = []
    for n, fixed, broken, margin in ((20, 0.05, 0.4, 0.05), (60, 0.05, 0.2, 0.02), (100, 0.05, 0.05, 0.02), (150, 0.02, 0.14, 0.02)):
        t = stats.t.ppf(0.975, n - 1)
        b, f = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
        b, f = b[b + f <= n], f[b + f <= n]
        m = n + 2  # one pair more of each kind of flip
        mean = (f - b) / m
        half = t * np.sqrt((f + b + 2 - m * mean**2) / m / m)
        p = stats.multinomial.pmf(np.stack([f, b, n - f - b], axis=-1), n, [fixed, broken, 1 - fixed - broken])
        out.append({"n": n, "fixed": fixed, "broken": broken, "margin": margin, "power": float(np.sum(p[mean + half < -margin]))})
    return out


def agreement():
    out = []
    for n, labels in ((12, 3), (60, 4), (200, 5)):
        truth = [int(x) for x in draw.integers(0, labels, n)]
        given = [int(x) if draw.uniform() < 0.6 else int(draw.integers(0, labels)) for x in truth]
        out.append({"labels": labels, "truth": truth, "given": given, "accuracy": float(metrics.accuracy_score(truth, given)),
                    "f1": float(metrics.f1_score(truth, given, average="macro", zero_division=0)),
                    "kappa": float(metrics.cohen_kappa_score(truth, given, weights="quadratic", labels=list(range(labels)))),
                    "table": metrics.confusion_matrix(truth, given, labels=list(range(labels))).tolist()})
    return out


def calibrations():
    out = []
    for n, bins, strategy in ((20, 5, "uniform"), (150, 10, "uniform"), (97, 7, "quantile"), (150, 10, "quantile")):
        c = rounded(draw.beta(4, 2, n))
        right = [bool(draw.uniform() < x * 0.9) for x in c]
        edges = np.linspace(0, 1, bins + 1) if strategy == "uniform" else np.percentile(c, np.linspace(0, 1, bins + 1) * 100)
        counts = np.bincount(np.searchsorted(edges[1:-1], c), minlength=bins)
        shares, confidences = calibration_curve(right, c, n_bins=bins, strategy=strategy)
        ece = np.sum(counts[counts > 0] * np.abs(shares - confidences)) / n
        # Area under accuracy against coverage, of distinct confidences: the mean of the running share.
        order = np.argsort(-np.array(c), kind="stable")
        area = np.mean(np.cumsum(np.array(right)[order]) / np.arange(1, n + 1)) if len(set(c)) == n else None
        out.append({"confidences": c, "right": right, "bins": bins, "mass": strategy == "quantile", "brier": float(metrics.brier_score_loss(right, c)),
                    "ece": float(ece), "counts": counts.tolist(), "area": None if area is None else float(area)})
    return out


def cluster_errors(values, clusters):
    """The cluster-robust standard error of a mean and its degrees of freedom."""
    covariance, df = by_clusters(np.ones((len(values), 1)), values, clusters)
    return float(np.sqrt(covariance[0, 0])), float(df[0])


def degrees(df):
    """Degrees of freedom as the package takes them: rounded down above 60."""
    return float(np.floor(df) if df > 60 else df)


def unpaired():
    """Welch's test by scipy; with clusters the standard errors and degrees of freedom are those of CR2."""
    own = np.random.default_rng(20251130)
    out = []
    for sizes, clustered in (((2, 2), False), ((5, 9), False), ((40, 25), False), ((300, 30), False), ((30, 50), True)):
        a, b = (rounded(own.normal(m, s, n)) for m, s, n in zip((0.6, 0.5), (0.2, 0.35), sizes))
        groups = [[int(x) for x in np.sort(own.integers(0, n // 3, n))] if clustered else None for n in sizes]
        one = {"base": a, "new": b, "base_clusters": groups[0], "new_clusters": groups[1]}
        if clustered:
            errors = [cluster_errors(v, g) for v, g in zip((a, b), groups)]
            squares = [e**2 for e, _ in errors]
            df = sum(squares) ** 2 / sum(v**2 / d for v, (_, d) in zip(squares, errors))
            t = (np.mean(b) - np.mean(a)) / np.sqrt(sum(squares))
        else:
            r = stats.ttest_ind(b, a, equal_var=False)
            t, df = float(r.statistic), float(r.df)
        df = degrees(df)
        one |= {"df": df, "t": float(t), "p": float(2 * stats.t.sf(abs(t), df))}
        difference = np.mean(b) - np.mean(a)
        half = stats.t.ppf(0.975, df) * abs(difference / t)
        out.append(one | {"difference": float(difference), "low": float(difference - half), "high": float(difference + half)})
    return out


def strata():
    """Weighted means of strata. What they vary together by shared clusters is the covariance CR2 of a model with one mean a
    stratum. The degrees of freedom are at most one less than there are clusters."""
    own = np.random.default_rng(20251201)
    out = []
    for sizes, names in (((12, 20), None), ((30, 40, 50), 60), ((60, 20), 9)):
        values = [rounded(own.normal(0.03, 0.3, n)) for n in sizes]
        groups = [None if names is None else [int(x) for x in own.integers(0, names, n)] for n in sizes]
        weights = np.array(rounded(own.uniform(0.5, 2, len(sizes))))
        shares = weights / weights.sum()
        at, used = 0, []
        for n, g in zip(sizes, groups):
            used.append(np.arange(1000 + at, 1000 + at + n) if g is None else np.array(g))
            at += n
        design = np.zeros((sum(sizes), len(sizes)))
        for i in range(len(sizes)):
            design[sum(sizes[:i]):sum(sizes[:i + 1]), i] = 1
        together = np.concatenate(used)
        covariance, dfs = by_clusters(design, np.concatenate(values), together)
        parts = shares**2 * np.diag(covariance)
        df = degrees(min(parts.sum() ** 2 / (parts**2 / dfs).sum(), len(set(together)) - 1))
        mean, error = float(shares @ [np.mean(v) for v in values]), float(np.sqrt(shares @ covariance @ shares))
        half = stats.t.ppf(0.975, df) * error
        out.append({"values": values, "clusters": groups, "weights": weights.tolist(), "mean": mean, "low": float(mean - half), "high": float(mean + half),
                    "df": df, "t": mean / error, "p": float(2 * stats.t.sf(abs(mean / error), df))})
    return out


def unpaired_drops():
    """The smallest drop in thousandths from 0.85 that Fisher's one-sided test shows with 80 %, summed over all outcomes."""
    out = []
    for n in (5, 30, 61, 100):
        k = np.arange(n + 1)
        base, other = np.meshgrid(k, k, indexing="ij")
        significant = stats.hypergeom.cdf(other, 2 * n, base + other, n) <= 0.05
        power = lambda d: (stats.binom.pmf(k, n, 0.85)[:, None] * stats.binom.pmf(k, n, 0.85 - d)[None, :] * significant).sum()
        out.append({"n": n, "drop": next((d / 1000 for d in range(851) if power(d / 1000) >= 0.8), None)})
    return out


def main():
    made = (t_quantiles, t_tails, means, shares, clustered, bootstraps, paired, sign_flips, mcnemars, holms, powers, mcnemar_powers,
            gates_of_flips, agreement, calibrations, unpaired, strata, unpaired_drops)
    print("{")
    print(",\n".join(f'"{f.__name__}": [\n' + ",\n".join(json.dumps(x, allow_nan=False) for x in f()) + "\n]" for f in made))
    print("}")


if __name__ == "__main__":
    main()
