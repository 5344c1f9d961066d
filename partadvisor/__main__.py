"""Lets ``python -m partadvisor`` do what the console script does."""

from partadvisor.cli.main import main

if __name__ == "__main__":
    main()
