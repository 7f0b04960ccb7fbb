"""The vocabulary by which recommendations are told, as the handbook has it."""

from __future__ import annotations

KIND_WORDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "Bug": (
        ("investigat*",),
        (
            "reproduc*",
            "replicat*",
        ),
        ("debug*",),
        (
            "log",
            "logs",
            "logfile*",
            "logged",
            "logging",
        ),
        ("error*",),
        (
            "fail",
            "fails",
            "failed",
            "failing",
            "failure*",
        ),
        (
            "fix",
            "fixes",
            "fixed",
            "fixing",
            "hotfix*",
            "patch*",
        ),
        ("diagnos*",),
        (
            "trace*",
            "tracing",
        ),
        ("regression*",),
        (
            "cause",
            "causes",
            "caused",
            "causing",
        ),
        (
            "bug",
            "bugs",
            "defect*",
        ),
        ("repair*",),
        ("fault*",),
    ),
    "FeatureRequest": (
        (
            "roadmap*",
            "backlog*",
        ),
        (
            "evaluat*",
            "assess*",
        ),
        ("research*",),
        ("prioriti*",),
        ("feature*",),
        ("request*",),
        (
            "design*",
            "prototyp*",
        ),
        (
            "scope*",
            "scoping",
        ),
        ("feasib*",),
        ("demand*",),
        ("consider*",),
        ("estimat*",),
        ("requirement*",),
        ("develop*",),
    ),
    "Question": (
        (
            "guide*",
            "guidance",
            "guiding",
        ),
        (
            "document*",
            "doc",
            "docs",
        ),
        ("help*",),
        (
            "walk",
            "walks",
            "walked",
            "walking",
            "walkthrough*",
            "step",
            "steps",
        ),
        (
            "explain*",
            "explanation*",
            "clarif*",
        ),
        (
            "article*",
            "faq*",
        ),
        ("instruct*",),
        (
            "show",
            "shows",
            "showed",
            "shown",
            "showing",
        ),
        (
            "answer*",
            "reply",
            "replies",
            "replied",
            "replying",
            "respond*",
            "response*",
        ),
        (
            "advis*",
            "advice",
        ),
        ("confirm*",),
        ("tutorial*",),
        (
            "tell",
            "tells",
            "telling",
            "told",
        ),
        ("describ*",),
    ),
}
"""Category to its words, each with the forms that count as it; one that ends in "*" stands for all that begin so."""

VERBS = frozenset(
    """
    add adjust advise answer apply approve arrange ask assess assign attach book build call cancel change charge
    check clarify clear close collect compare confirm connect consider contact correct create credit debug delete
    deliver describe design diagnose disable discuss document enable ensure escalate estimate evaluate examine
    exchange explain explore extend file find fix follow forward gather get give grant guide have help identify
    inform inspect investigate invite issue keep let link log look make measure merge move note notify offer open
    pass patch plan point prepare prioritise prioritize process propose prototype provide pull put raise read
    rebuild recommend reconcile record recover refund register reissue remove renew repair replace replicate reply
    report reproduce request research resend reset resolve respond restart restore retry return reverse review
    revoke roll rotate route run scope send set share ship show sort split start stop submit switch take talk tell
    test trace track transfer try turn unlock update upgrade use validate verify walk work write
    """.split()
)
"""Base forms with which somebody is told to do something."""

BEFORE = frozenset(
    """
    and then to please should must or kindly first next also immediately urgently can will shall promptly quickly
    personally directly team need
    """.split()
)
"""Words after which a base form tells somebody to do something."""
