"""What a page may do, for the browser to hold it to."""

from base64 import b64encode
from hashlib import sha256


def content_security_policy(*styles: str, script: str | None = None) -> str:
    """Return the policy of a page that shows *styles* and runs *script*, and does nothing else: no network at all."""
    script_source = f"; script-src '{_digest(script)}'" if script is not None else ""
    style_sources = " ".join(f"'{_digest(style)}'" for style in styles)
    return f"default-src 'none'; style-src {style_sources}{script_source}; img-src data:; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
