"""Screens that lie over the stages."""
