"""The grade of a recommendation on the desk's hard task.

Simplified in one point against the handbook: a text copied from the ticket is found, one copied from the handbook is
not.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .tickets import DeskTruth
from .words import BEFORE, KIND_WORDS, VERBS

CLAUSE_MARKS = frozenset(".,;:!?\n()[]–—…*•。，、；：！？")
CAPPED = 0.2
"""The most that copied, listed or stuffed texts earn."""
GRAM = 4


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case; clause says that it begins a sentence or a clause."""

    text: str
    clause: bool


def recommendation_value(truth: DeskTruth, text: str) -> float:
    """Grade a recommendation, 0..1: kind 0.3, specific 0.5, form 0.2, and a cap of 0.2 on what is no recommendation."""
    words = tokenize(text)
    if not words:
        return 0.0
    entities, distracted = find_entities(words, truth)
    verb = tells_to_act(words)
    value = 0.3 * min(kinds(words, truth.category), 2) / 2
    if verb and 6 <= len(words) <= 80:
        value += 0.2
    if not distracted:
        value += 0.5 * min(entities, 2) / 2
    if value > 1 - 1e-9:
        value = 1.0
    if not verb or stuffed(words, truth.category) or listed(words) or copied(words, truth.text):
        value = min(value, CAPPED)
    return value


def tokenize(text: str) -> list[Word]:
    """Split into words of letters and digits of any alphabet; apostrophes and invisible characters are dropped."""
    out: list[Word] = []
    clause = True
    current = ""
    text = text.lower()
    for i, char in enumerate(text):
        kind = unicodedata.category(char)
        if kind[0] in "LNM":
            current += char
            continue
        if char in "'’" or kind == "Cf":
            continue
        if current:
            out.append(Word(current, clause))
            current, clause = "", False
        in_number = 0 < i < len(text) - 1 and text[i - 1].isdecimal() and text[i + 1].isdecimal()
        if char in CLAUSE_MARKS and not in_number:
            clause = True
    if current:
        out.append(Word(current, clause))
    return out


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Fold plurals and endings of verbs: "invoices" and "invoicing" meet "invoice"."""
    if len(word.encode()) > 3 and word.endswith("s") and not word.endswith(("ss", "us")):
        word = word[:-1]
    size = len(word.encode())
    if size > 5 and word.endswith("ing"):
        word = word[:-3]
    elif size > 4 and word.endswith("ed"):
        word = word[:-2]
        if word.endswith("i"):
            word = word[:-1] + "y"
    elif size > 3 and word.endswith("ie"):
        word = word[:-2] + "y"
    if len(word.encode()) > 3:
        word = word.removesuffix("e")
    if len(word.encode()) > 4 and word[-1] == word[-2] and word[-1].isascii():
        word = word[:-1]
    return word


def kinds(words: list[Word], category: str) -> int:
    """How many distinct kind words of a category a text holds."""
    texts = {word.text for word in words}
    return sum(any(_matches(form, texts) for form in forms) for forms in KIND_WORDS[category])


def _matches(form: str, texts: set[str]) -> bool:
    if form.endswith("*"):
        return any(text.startswith(form[:-1]) for text in texts)
    return form in texts


def stuffed(words: list[Word], category: str) -> bool:
    """Whether a text holds two kind words of each of the other categories."""
    return all(kinds(words, other) >= 2 for other in KIND_WORDS if other != category)


@lru_cache(maxsize=8192)
def _stems(term: str) -> tuple[str, ...]:
    return tuple(stem(word.text) for word in tokenize(term))


def _places(stems: list[str], term: str) -> Iterator[range]:
    want = _stems(term)
    if want:
        for i in range(len(stems) - len(want) + 1):
            if tuple(stems[i : i + len(want)]) == want:
                yield range(i, i + len(want))


def find_entities(words: list[Word], truth: DeskTruth) -> tuple[int, bool]:
    """How many groups of entities are named, and whether a distractor is that stands not wholly inside their names."""
    stems = [stem(word.text) for word in words]
    named: set[int] = set()
    found = 0
    for group in truth.entities:
        places = [place for term in group for place in _places(stems, term)]
        found += bool(places)
        for place in places:
            named.update(place)
    distracted = any(not named.issuperset(place) for term in truth.distractors for place in _places(stems, term))
    return found, distracted


def tells_to_act(words: list[Word]) -> bool:
    """Whether a base form stands at the start of a clause or after a word that calls for one, followed by something."""
    for i, word in enumerate(words[:-1]):
        starts = word.clause or (i > 0 and words[i - 1].text in BEFORE)
        if word.text in VERBS and starts and not words[i + 1].clause:
            return True
    return False


def listed(words: list[Word]) -> bool:
    """Whether a text has five items of at most two words between commas and the like."""
    starts = [0, *(i for i, word in enumerate(words) if word.clause and i > 0), len(words)]
    return sum(end - start <= 2 for start, end in pairwise(starts)) >= 5


@lru_cache(maxsize=1024)
def _grams_of_ticket(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_grams(tokenize(text)))


def _grams(words: list[Word]) -> list[tuple[str, ...]]:
    return [tuple(word.text for word in words[i : i + GRAM]) for i in range(len(words) - GRAM + 1)]


def copied(words: list[Word], ticket: str) -> bool:
    """Whether more than half of the text's runs of four words stand in the ticket."""
    grams = _grams(words)
    known = _grams_of_ticket(ticket)
    return 2 * sum(gram in known for gram in grams) > len(grams)
