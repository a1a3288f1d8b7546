"""Fixtures for tap tests with the program `tap`: see README.md."""

from .programs import Presented, Reader, Tap, TapError, Verdict

__all__ = ["Presented", "Reader", "Tap", "TapError", "Verdict"]
