"""Fixtures for tap tests with the program `tap`: see README.md."""

from .cards import CardSide, PresentedFunction
from .programs import Presented, Reader, Tap, TapError, Verdict

__all__ = ["CardSide", "Presented", "PresentedFunction", "Reader", "Tap", "TapError", "Verdict"]
