"""The walkthrough in a terminal: stages from a source to an exported migration. Shows and asks; decides nothing."""
