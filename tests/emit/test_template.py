"""The Jinja2 environment: what it lays out, and what it refuses."""

from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from pipegen.emit.template import render


@pytest.fixture(autouse=True)
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that stands for the shipped templates."""
    monkeypatch.setattr("pipegen.emit.template.folder", lambda kind: tmp_path / kind)
    (tmp_path / "templates" / "engine").mkdir(parents=True)
    return tmp_path / "templates"


def test_renders_with_the_filters_given(templates: Path) -> None:
    """Strings pass the target's filters; lines that hold only statements leave nothing behind."""
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


def test_takes_user_text_for_data(templates: Path) -> None:
    """What looks like template source or markup in a value comes out as it is."""
    (templates / "File.j2").write_text("{{ text }}")
    text = "${#list[@]} {{ x }} {% y %} {# z #} <&'\">\n"

    assert render("File.j2", filters={}, text=text) == text


def test_reads_templates_as_utf_8(templates: Path) -> None:
    """A template's own text is UTF-8, whatever the machine's encoding."""
    (templates / "File.j2").write_bytes("→ é\n".encode())

    assert render("File.j2", filters={}) == "→ é\n"


def test_refuses_a_name_that_is_not_given(templates: Path) -> None:
    """A variable that the target does not give is a bug, never an empty string."""
    (templates / "File.j2").write_text("{{ stage.name }}")

    with pytest.raises(UndefinedError, match="'stage' is undefined"):
        render("File.j2", filters={})


def test_refuses_a_template_that_is_not_shipped() -> None:
    """Templates come from the shipped folder alone."""
    with pytest.raises(TemplateNotFound, match=r"absent\.j2"):
        render("absent.j2", filters={})


def test_keeps_what_is_compiled_as_python_keeps_modules(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template is compiled once, and again when its text is another."""
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


def test_renders_where_nothing_can_be_kept(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that takes no files, and a Python that is told to write none, cost time and nothing else."""
    (templates / "File.j2").write_text("{{ 1 }}")
    monkeypatch.setattr("sys.pycache_prefix", None)
    monkeypatch.setattr("sys.dont_write_bytecode", True)

    assert render("File.j2", filters={}) == "1"
    assert not (templates / "__pycache__").exists()
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    (templates / "__pycache__").write_text("no folder")
    assert render("File.j2", filters={}) == "1"


def test_compiles_what_is_kept_in_pieces_anew(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was cut off is no code."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr("sys.pycache_prefix", None)
    (templates / "File.j2").write_text("{{ 1 }}")
    render("File.j2", filters={})
    [kept] = (templates / "__pycache__").iterdir()
    kept.write_bytes(kept.read_bytes()[:100])

    assert render("File.j2", filters={}) == "1"
