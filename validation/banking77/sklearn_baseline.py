"""Word and character TF-IDF with a linear SVM on BANKING77: the figure pkg/linear is compared with.

Usage: python sklearn_baseline.py FOLDER   (train.csv and test.csv with the columns text,category)
Prints one JSON object: accuracy and macro-F1 on the test part, seconds of training and of predicting.
"""

import csv
import json
import pathlib
import sys
import time

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["category"] for row in rows]


def main(folder):
    train, test = (read(folder / name) for name in ("train.csv", "test.csv"))
    model = make_pipeline(
        make_union(
            TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True),
        ),
        LinearSVC(random_state=0),
    )
    start = time.perf_counter()
    model.fit(*train)
    trained = time.perf_counter()
    answers = model.predict(test[0])
    done = time.perf_counter()
    print(
        json.dumps(
            {
                "accuracy": round(accuracy_score(test[1], answers), 6),
                "macro_f1": round(f1_score(test[1], answers, average="macro"), 6),
                "train_seconds": round(trained - start, 3),
                "texts_per_second": round(len(answers) / (done - trained)),
                "scikit_learn": sklearn.__version__,
            }
        )
    )


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
