"""A triage agent that counts words: one observation a line in, one answer a line out.

Play it with:  triage run --agent exec:'python3 examples/python/my_agent.py' --tasks queue-easy desk-easy

Standard library only. Put your own model into `queue` and `desk`; the loop at the end stays as it is. Standard output
is for answers alone: logs go to standard error.
"""

import json
import sys
from typing import Any

# Words and phrases that speak for an answer, written from tickets of the train split. Each counts once a ticket.
ROUTE = {
    "billing": "billing, invoice, bill, charge, payment, paid, euros, refund, seats, price, cancel, credit, parcel",
    "technical": "repair, error, how do i, explain, steps, export, import, csv, api, wi-fi, sign in, connect, link",
    "feature": "wish, would like, miss, feature, beta, please add, exist, developed, built, depends on, daily work",
    "feedback": "opinion, feedback, liked, compliment, thank-you, impression, wanted to tell, rude, banner",
    "spam": "dollars, free, example, bitcoin, gift card, seo, click, your website, guaranteed, password, pounds",
}
URGENCY = {
    "low": "everything works, nuisance, cosmetic, minor, wish, held up, only me, trifle, nicety, no date, just a",
    "medium": "slower, for now, still, instead, more effort, twice as, in three days, within the week, by hand, days",
    "high": "today, tomorrow, my own work, only my, one colleague, cannot, unable, stuck, no other way, no workaround",
    "critical": "whole company, entire company, nobody in, all of us, clients, our customers, no workaround, "
    "no alternative, exposed, overwritten, strangers, locked, whole, everyone here, no other way",
}
EFFORT = {
    "easy": "is enough, just tell, a link, setting, article, switch, tell me where, support can, short, form, resend",
    "medium": "someone, check, look into, log, beta, limit, find out, look up, investigate, our account",
    "hard": "departments, engineer, last release, other customers, platform, act, developed, built, warehouse, both",
}
CATEGORY = {
    "Bug": "repair, correct, error, last release, other customers, should, wrong, again, log, exposed, overwritten",
    "FeatureRequest": "wish, would like, miss, feature, beta, please add, exist, developed, built, depends on, limit",
    "Question": "how, question, explain, steps, terms, transfer, tell me, invoice, cancel, pay, change, price, what",
}
URGENCY_POINTS = {"low": 0, "medium": 25, "high": 50, "critical": 75}  # the handbook's table of the priority score
TIER_POINTS = {"free": 0, "pro": 4, "business": 8, "enterprise": 12}
DEPARTMENT = {"Bug": "Engineering", "FeatureRequest": "Product", "Question": "Support"}
ADVICE = {
    "Bug": "Investigate the logs, reproduce the error and repair what the customer reports.",
    "FeatureRequest": "Evaluate the request and put it on the roadmap if others ask for it too.",
    "Question": "Answer with the steps and a link to the help article.",
}


def best(lists: dict[str, str], text: str, bonus: str = "") -> str:
    """Gives the answer of which most words are in the text; the one named by bonus has two more."""
    return max(lists, key=lambda a: sum(w in text for w in lists[a].split(", ")) + 2 * (a == bonus))


def queue(ticket: dict[str, Any]) -> dict[str, Any]:
    """Answers a ticket of the queue track."""
    text, meta = (ticket["subject"] + "\n" + ticket["description"]).lower(), ticket["metadata"]
    route = best(ROUTE, text, meta["selected_category"])
    if route == "spam":
        return {
            "route_category": "spam",
            "urgency_assessment": "low",
            "resolution_difficulty": "easy",
            "priority_score": 0,
        }
    urgency, wait = best(URGENCY, text), meta["wait_time_hours"]
    score = URGENCY_POINTS[urgency] + TIER_POINTS[meta["customer_tier"]] + (0 if wait < 4 else 3 if wait < 24 else 6)
    score += 4 * meta["is_escalated"] + 3 * (meta["previous_contacts"] >= 2)
    return {
        "route_category": route,
        "urgency_assessment": urgency,
        "resolution_difficulty": best(EFFORT, text),
        "priority_score": min(score, 100),
    }


def desk(seen: dict[str, Any]) -> dict[str, Any]:
    """Answers a ticket of the desk track. What a task does not ask for is not counted."""
    text, wait, tone = seen["issue_text"].lower(), seen["wait_time_hours"], seen["sentiment_score"]
    category = best(CATEGORY, text)
    points = 2 * list(URGENCY).index(best(URGENCY, text))
    points += (2 if tone <= -0.8 else tone <= -0.4) + (2 if wait >= 48 else wait >= 24) + seen["is_escalated"]
    level = min(points // 2, 3)
    return {
        "category": category,
        "priority": ["Low", "Medium", "High", "Critical"][level],
        "department": DEPARTMENT[category],
        "urgency_days": max(1, [7, 4, 2, 1][level] - (wait >= 24)),
        "recommendation": ADVICE[category],
    }


def act(seen: dict[str, Any]) -> dict[str, Any]:
    """Answers one observation of either track."""
    return queue(seen["ticket"]) if "ticket" in seen else desk(seen)


def main() -> None:
    """Answers each line of standard input with a line, until it ends."""
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # not the default everywhere
    for line in sys.stdin:
        print(json.dumps(act(json.loads(line))), flush=True)  # ASCII, one line; without the flush nobody sees it


if __name__ == "__main__":
    main()
