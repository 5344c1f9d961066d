"""Unused ignore comments. They are known once all other rules have run, so ``lint.suppress`` finds them."""

from __future__ import annotations
