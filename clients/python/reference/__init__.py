"""A Python OpenEnv server with the same environments, to compare with and to measure against.

It is written as one would write it with the ``openenv`` package alone: ``create_app``, a class per environment,
pydantic models. Tickets are read at start from files that ``triage tickets generate`` made; it makes none itself. It
has no ``on_invalid`` and no ``handbook`` on reset. ``python -m reference --help`` says how to start it.
"""
