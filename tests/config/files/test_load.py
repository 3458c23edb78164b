"""Decoding of config files, and the folder and repository root of a config."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from pipegen.config.files.load import MAX_BYTES, USUAL_NAMES, decode, find, load, repository_root
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile

TEXT = "pipelines: {é𝒳: 1}\n"


def decoded(data: bytes) -> tuple[SourceFile, Report]:
    """Return *data* as a file, and the report."""
    report = Report()
    return decode(data, "pipegen.yaml", "", report), report


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
    ],
    ids=["UTF-8", "UTF-8 mark", "UTF-16 LE", "UTF-16 BE", "UTF-32 LE", "UTF-32 BE"],
)
def test_a_byte_order_mark_selects_the_encoding(data: bytes) -> None:
    """UTF-8 needs none, and the mark is not part of the text."""
    file, report = decoded(data)

    assert file.text == TEXT
    assert report.diagnostics() == ()


def test_line_breaks_are_preserved() -> None:
    """Offsets of spans refer to the text of the file."""
    assert decoded(b"a: 1\r\nb: 2\r\n")[0].text == "a: 1\r\nb: 2\r\n"


@pytest.mark.parametrize(
    ("data", "location", "byte"),
    [
        (b"a: \xff", "1:4", "0xff"),
        (b"a: 1\nb: \xc3\xa9 \xe9t\xe9\n", "2:6", "0xe9"),
        (b"a: \xed\xa0\x80", "1:4", "0xed"),
        (b"a: \xf0\x9f\x98", "1:4", "0xf0"),
        (codecs.BOM_UTF8 + b"\xc3\xa9\xff", "1:2", "0xff"),
        (codecs.BOM_UTF16_LE + b"a\x00\x00\xd8b\x00", "1:2", "0x00"),
    ],
    ids=["never valid", "Latin-1", "surrogate", "cut off", "after the mark", "half a pair"],
)
def test_invalid_bytes_are_reported_at_their_location(data: bytes, location: str, byte: str) -> None:
    """Only the first one is reported; each is replaced by the replacement character."""
    file, report = decoded(data)
    (diagnostic,) = report.diagnostics()

    assert diagnostic.primary is not None
    assert (diagnostic.code.number, byte in diagnostic.message) == ("PG101", True)
    assert f"{diagnostic.primary.span.first.line}:{diagnostic.primary.span.first.column}" == location
    assert file.text[diagnostic.primary.span.start] == "\ufffd"


def test_an_empty_file_is_decoded() -> None:
    """Other stages report what it lacks."""
    assert decoded(b"")[0].text == ""


def config(root: Path, name: str) -> Path:
    """Return the path of a new config *name* below *root*."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("pipelines:\n", encoding="utf-8")
    return path


def test_default_names_are_searched_in_order(tmp_path: Path) -> None:
    """Our own names come before PipelineLib's."""
    values = []
    for name in reversed(USUAL_NAMES):
        config(tmp_path, name)
        values.append(find(tmp_path))

    assert values == [tmp_path / name for name in reversed(USUAL_NAMES)]


def test_a_folder_without_a_config_returns_none(tmp_path: Path) -> None:
    """A folder with a default name is not a config."""
    (tmp_path / "pipegen.yaml").mkdir()

    assert find(tmp_path) is None


@pytest.mark.parametrize(
    ("name", "folder"),
    [("pipegen.yaml", ""), (".pipeline/config.yaml", ".pipeline"), ("services/a/pipegen.yaml", "services/a")],
)
def test_the_folder_is_relative_to_the_repository(tmp_path: Path, name: str, folder: str) -> None:
    """The root is the nearest folder with a `.git`."""
    (tmp_path / ".git").mkdir()

    assert load(config(tmp_path, name), Report()).folder == folder


def test_a_git_worktree_is_a_repository(tmp_path: Path) -> None:
    """Its `.git` is a file."""
    (tmp_path / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")

    assert load(config(tmp_path, "ci/pipegen.yaml"), Report()).folder == "ci"


@pytest.mark.parametrize(("name", "folder"), [("pipegen.yaml", ""), (".pipeline/config.yaml", ".pipeline")])
def test_without_a_repository_the_name_decides_the_root(tmp_path: Path, name: str, folder: str) -> None:
    """PipelineLib's config is in a subfolder of the root."""
    path = config(tmp_path, name)

    assert repository_root(path) == tmp_path
    assert load(path, Report()).folder == folder


def test_the_path_is_shown_as_the_user_named_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path to show can also be given."""
    path = config(tmp_path, ".pipeline/config.yaml")
    monkeypatch.chdir(tmp_path)

    assert load(Path(".pipeline/config.yaml"), Report()).path == ".pipeline/config.yaml"
    assert load(path, Report(), shown="config.yaml").path == "config.yaml"


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """A file of the maximum size is read."""
    path = tmp_path / "pipegen.yaml"
    path.write_bytes(b"#" * MAX_BYTES)
    fits = Report()
    assert len(load(path, fits).text) == MAX_BYTES
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    report = Report()
    load(path, report)

    assert fits.diagnostics() == ()
    assert [(diagnostic.code.number, diagnostic.message) for diagnostic in report.diagnostics()] == [
        ("PG113", "the file is larger than 10 MiB")
    ]
