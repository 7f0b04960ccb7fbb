"""Tests of the client and of the reference server.

They need the packages of ``pip install -e '.[test]'``. Those that talk to the real program need its path in the
variable TRIAGE_BINARY (or ``triage`` on the PATH) and are skipped without it.
"""
