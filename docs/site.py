"""The parts of the site besides the documents: the pages of codes, examples, and links out of this folder.

mkdocs calls the functions `on_…` during the build. Pages load nothing from other servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
_PAGES = ROOT / "pipegen/diagnostics/pages"
# Files of the repository's root, and their paths in the site.
_TOP = {f"{name}.md": f"project/{name.lower()}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING")}
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
# Words after the language of a block, which tests read: `fragment`, the code of its diagnostic.
_FENCE = re.compile(r"^( *```\w+) .*$", re.MULTILINE)
_FROM_ELSEWHERE = re.compile(r"<(?:script|img|iframe)[^>]*\ssrc=\"(?:https?:)?//|<link[^>]*\shref=\"(?:https?:)?//")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages whose sources are elsewhere in the repository."""
    for path, text in _further_pages():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - as mkdocs calls it
    """Return *markdown* in which links out of the documents lead to the site's page for the file, or are removed."""
    own = PurePosixPath("docs", page.file.src_uri) if page.file.generated_by is None else _source(page.file.src_uri)
    linked = _LINK.sub(lambda link: _link(link, own, page.file.src_uri), markdown)
    return _FENCE.sub(r"\1", linked)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001 - as mkdocs calls it
    """Reject a page that loads a resource from another server."""
    resource = _FROM_ELSEWHERE.search(output)
    if resource:
        raise PluginError(f"{page.file.src_uri} loads from elsewhere: {resource[0]}")
    return output


def _further_pages() -> Iterator[tuple[str, str]]:
    for source, path in _TOP.items():
        yield path, (ROOT / source).read_text(encoding="utf-8")
    for page in sorted(_PAGES.glob("PG*.md")):
        yield f"codes/{page.name}", page.read_text(encoding="utf-8")
    for folder in sorted((ROOT / "examples").iterdir()):
        for config in (folder / "pipegen.yaml", folder / ".pipeline/config.yaml"):
            if config.exists():
                yield f"examples/{folder.name}.md", _example(folder, config)


def _example(folder: Path, config: Path) -> str:
    readme = folder / "README.md"
    head = readme.read_text(encoding="utf-8") if readme.exists() else f"# {folder.name}\n"
    return f"{head}\n## {config.relative_to(folder)}\n\n```yaml\n{config.read_text(encoding='utf-8')}```\n"


def _source(url: str) -> PurePosixPath:
    """Return the repository path of the page at *url*."""
    top = {target: source for source, target in _TOP.items()}
    if url in top:
        return PurePosixPath(top[url])
    path = PurePosixPath(url)
    if path.parts[0] == "examples":
        return PurePosixPath("examples", path.stem, "README.md")
    return PurePosixPath(_PAGES.relative_to(ROOT).as_posix(), path.name)


def _link(link: re.Match[str], own: PurePosixPath, page: str) -> str:
    """Return *link*, in the file *own* of the repository and on the page *page*, as a link of the site."""
    words, target, anchor = link[1], link[2], link[3] or ""
    if re.match(r"[a-z]+:", target):
        return link[0]
    path = _site_path(_joined(own.parent, target))
    if path is None:
        return words
    up = "../" * (len(PurePosixPath(page).parts) - 1)
    return f"[{words}]({up}{path}{anchor})"


def _site_path(source: str) -> str | None:
    """Return the site's path of the file *source* of the repository; None if the site does not have it."""
    if source in _TOP:
        return _TOP[source]
    if source.startswith("docs/") and source.endswith((".md", ".svg", ".png")):
        return source.removeprefix("docs/")
    if source == "docs":
        return "README.md"
    if source.startswith("pipegen/diagnostics/pages/"):
        return f"codes/{PurePosixPath(source).name}"
    parts = PurePosixPath(source).parts
    if len(parts) > 1 and parts[0] == "examples":
        return f"examples/{parts[1]}.md"
    return None


def _joined(folder: PurePosixPath, target: str) -> str:
    parts: list[str] = []
    for part in (*folder.parts, *target.split("/")):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
