"""A service that greets."""

from http.server import BaseHTTPRequestHandler, HTTPServer


def greeting(name: str) -> str:
    """Return what is said to *name*."""
    return f"Hello, {name}!"


class Handler(BaseHTTPRequestHandler):
    """Greets whoever asks."""

    def do_GET(self) -> None:
        """Answer with a greeting."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(greeting(self.path.strip("/") or "world").encode())


if __name__ == "__main__":
    HTTPServer(("", 8080), Handler).serve_forever()
