"""Makes level.json: what other libraries give for gates that test at another level than 5 %.

Python 3.11 with
    scipy==1.17.1 statsmodels==0.15.0
Run it in this folder: python make_level.py > level.json
The same versions give the same file.
"""

import itertools
import json
import math

from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

LEVELS = (0.05, 0.025, 0.01, 0.05 / 8, 0.001)


def critical():
    return [{"df": df, "level": level, "t": float(stats.t.isf(level / 2, df))} for df in (1, 2, 5, 30, 99, 499, 2000) for level in LEVELS]


def tails():
    return [{"t": t, "df": df, "p": float(2 * stats.t.sf(abs(t), df))} for t in (-3.1, 0.0, 0.7, 2.0, 6.5) for df in (1, 7, 40, 900)]


def normal():
    return [{"z": z, "p": float(2 * stats.norm.sf(abs(z)))} for z in (-4.2, 0.0, 0.3, 1.96, 5.5)]


def power():
    # One side of the two-sided test: its level is half of it, towards the larger mean.
    return [{"n": n, "size": size, "level": level, "power": float(TTestPower().power(size, n, level / 2, alternative="larger"))}
            for n in (5, 20, 100, 400) for size in (0.05, 0.2, 0.5) for level in LEVELS]


def needed():
    out = []
    for size, level in itertools.product((0.1, 0.25, 0.6), LEVELS):
        n = 2
        while TTestPower().power(size, n, level / 2, alternative="larger") < 0.8:
            n += 1
        out.append({"size": size, "level": level, "n": n})
    return out


def flips():
    """Exact over all outcomes, by brute force."""
    out = []
    for n, fixed, broken, margin, level in ((30, 0.05, 0.3, 0.02, 0.05), (60, 0.02, 0.2, 0.05, 0.01), (100, 0.05, 0.17, 0.02, 0.025)):
        t = float(stats.t.isf(level / 2, n - 1))
        total = 0.0
        for f in range(n + 1):
            for b in range(n + 1 - f):
                more = n + 2  # one pair more of each kind of flip
                mean = (f - b) / more
                squares = f + b + 2 - more * mean * mean
                if mean + t * math.sqrt(squares) / more < -margin:
                    total += float(stats.multinomial.pmf([f, b, n - f - b], n, [fixed, broken, 1 - fixed - broken]))
        out.append({"n": n, "fixed": fixed, "broken": broken, "margin": margin, "level": level, "power": total})
    return out


def shares():
    """The largest share, in thousandths, whose interval of Clopper and Pearson lies below the threshold in 80 %."""
    out = []
    for n, threshold, level in ((8, 0.6, 0.05), (40, 0.6, 0.05), (200, 0.8, 0.05), (200, 0.8, 0.01), (1000, 0.5, 0.05)):
        below = [k for k in range(n + 1) if proportion_confint(k, n, alpha=level, method="beta")[1] < threshold]
        best = max((i for i in range(1001) if sum(stats.binom.pmf(k, n, i / 1000) for k in below) >= 0.8), default=-1)
        out.append({"n": n, "threshold": threshold, "level": level, "share": best / 1000})
    return out


def exact():
    out = []
    for yes, n in ((0, 30), (30, 30), (1, 7), (85, 100), (700, 2000)):
        low, high = proportion_confint(yes, n, method="beta")
        out.append({"yes": yes, "n": n, "low": float(low), "high": float(high)})
    return out


print(json.dumps({"critical": critical(), "tails": tails(), "normal": normal(), "power": power(), "needed": needed(), "flips": flips(), "shares": shares(), "exact": exact()}, indent=1))
