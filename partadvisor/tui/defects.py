"""What should not happen, as an error to show in place."""

from __future__ import annotations

from partadvisor.model.errors import PartadvisorError


def as_error(error: Exception) -> PartadvisorError:
    """An unexpected exception in the shape of the expected ones."""
    return PartadvisorError(
        f"internal error: {type(error).__name__}",
        detail=str(error) or None,
        hint="This is a defect of partadvisor; nothing was changed by it here.",
    )
