"""Text and JSON of any result; every renderer returns a string and writes nothing."""
