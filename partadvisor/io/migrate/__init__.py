"""Runs a migration plan on a server: apply, rollback, status. Everything it must remember is in the database."""

from partadvisor.io.migrate.apply import apply
from partadvisor.io.migrate.progress import ApplyOptions, Progress
from partadvisor.io.migrate.rollback import rollback
from partadvisor.io.migrate.status import status

__all__ = ["ApplyOptions", "Progress", "apply", "rollback", "status"]
