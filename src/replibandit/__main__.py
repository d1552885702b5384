"""Run the command line with `python -m replibandit`."""

from replibandit.cli import main

if __name__ == "__main__":
    main()
