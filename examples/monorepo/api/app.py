"""An API that greets."""


def greeting(name: str) -> str:
    """Return the greeting for *name*."""
    return f"Hello, {name}!"
