"""From a statement's tree to typed facts: what it does, to which relations, and where in the file it says so."""
