"""The Jinja2 environment."""

from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from pipegen.emit.template import render


@pytest.fixture(autouse=True)
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder in place of the shipped templates."""
    monkeypatch.setattr("pipegen.emit.template.folder", lambda kind: tmp_path / kind)
    (tmp_path / "templates" / "engine").mkdir(parents=True)
    return tmp_path / "templates"


def test_renders_with_the_filters_given(templates: Path) -> None:
    """Strings pass the target's filters, and lines with only statements leave no blank line."""
    (templates / "engine" / "File.j2").write_text(
        "{% for stage in stages %}\n"
        "    {% if stage %}\n"
        "    stage({{ stage | shout }})\n"
        "    {% endif %}\n"
        "{% endfor %}\n"
        "end\n"
    )
    written = render("engine/File.j2", filters={"shout": str.upper}, stages=["a", "", "b"])

    assert written == "    stage(A)\n    stage(B)\nend\n"


def test_user_text_is_not_template_source(templates: Path) -> None:
    """Template syntax or markup in a value is output unchanged."""
    (templates / "File.j2").write_text("{{ text }}")
    text = "${#list[@]} {{ x }} {% y %} {# z #} <&'\">\n"

    assert render("File.j2", filters={}, text=text) == text


def test_reads_templates_as_utf_8(templates: Path) -> None:
    """The encoding of the system does not matter."""
    (templates / "File.j2").write_bytes("→ é\n".encode())

    assert render("File.j2", filters={}) == "→ é\n"


def test_an_undefined_name_raises_an_error(templates: Path) -> None:
    """A variable that the target does not pass is a bug, never an empty string."""
    (templates / "File.j2").write_text("{{ stage.name }}")

    with pytest.raises(UndefinedError, match="'stage' is undefined"):
        render("File.j2", filters={})


def test_an_unknown_template_raises_an_error() -> None:
    """Templates come only from the shipped folder."""
    with pytest.raises(TemplateNotFound, match=r"absent\.j2"):
        render("absent.j2", filters={})


def test_compiled_templates_are_cached(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template is compiled once, and again if its text changes."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr("sys.pycache_prefix", None)
    (templates / "File.j2").write_text("one {{ 1 }}")
    first = render("File.j2", filters={})
    monkeypatch.setattr("jinja2.Environment.compile", None)
    second = render("File.j2", filters={})
    monkeypatch.undo()
    monkeypatch.setattr("pipegen.emit.template.folder", lambda kind: templates.parent / kind)
    (templates / "File.j2").write_text("two {{ 1 }}")

    assert first == second == "one 1"
    assert render("File.j2", filters={}) == "two 1"


def test_renders_without_a_writable_cache(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python may be told not to write bytecode, or the folder may not be writable."""
    (templates / "File.j2").write_text("{{ 1 }}")
    monkeypatch.setattr("sys.pycache_prefix", None)
    monkeypatch.setattr("sys.dont_write_bytecode", True)

    assert render("File.j2", filters={}) == "1"
    assert not (templates / "__pycache__").exists()
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    (templates / "__pycache__").write_text("no folder")
    assert render("File.j2", filters={}) == "1"


def test_a_truncated_cache_file_is_ignored(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The template is compiled again."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr("sys.pycache_prefix", None)
    (templates / "File.j2").write_text("{{ 1 }}")
    render("File.j2", filters={})
    [path] = (templates / "__pycache__").iterdir()
    path.write_bytes(path.read_bytes()[:100])

    assert render("File.j2", filters={}) == "1"
