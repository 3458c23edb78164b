"""The Content-Security-Policy of a page."""

from base64 import b64encode
from hashlib import sha256


def content_security_policy(*styles: str, script: str | None = None) -> str:
    """Return the policy that allows a page only *styles* and *script*, and no network access."""
    script_source = f"; script-src '{_digest(script)}'" if script is not None else ""
    hashes = " ".join(f"'{_digest(style)}'" for style in styles)
    return f"default-src 'none'; style-src {hashes}{script_source}; img-src data:; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
