"""A service that greets."""

from http.server import BaseHTTPRequestHandler, HTTPServer


def greeting(name: str) -> str:
    """Return the greeting for *name*."""
    return f"Hello, {name}!"


class Handler(BaseHTTPRequestHandler):
    """Answers each request with a greeting."""

    def do_GET(self) -> None:
        """Answer with a greeting."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(greeting(self.path.strip("/") or "world").encode())


if __name__ == "__main__":
    HTTPServer(("", 8080), Handler).serve_forever()
