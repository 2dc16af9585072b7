"""``python -m sealgate.gateway`` is the command ``sealgate``."""

from .cli import main

if __name__ == "__main__":
    main()
