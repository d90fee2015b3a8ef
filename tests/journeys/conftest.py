"""Homes for whole journeys: graphs and models are shared, everything else is new for each test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chattygen.config import Home

DATA = Path(__file__).parent.parent / "data"
