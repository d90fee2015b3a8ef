"""Fixtures of the tests about results."""

from tests.browser import chromium

__all__ = ["chromium"]
