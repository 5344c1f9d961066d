"""Ignore comments without a reason; ``lint.suppress`` finds them."""

from __future__ import annotations
