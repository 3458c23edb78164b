"""The API: it greets."""


def greeting(name: str) -> str:
    """Return what is said to *name*."""
    return f"Hello, {name}!"
