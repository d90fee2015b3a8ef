"""`python -m chattygen` is the same as the `chattygen` command."""

from chattygen.cli.main import main

if __name__ == "__main__":
    main()
