"""One stage a module."""
