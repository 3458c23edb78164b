"""Values that several stages of an import repeat are in templates."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text
from yaml_data import yaml_data

from pipegen.importing.gitlab.proof.comparison import prove

_SETUP = "before_script: [make setup, make tools, make check-tools, make login, make cache]"
_FILES = "artifacts: { paths: [dist/, logs/], expire_in: 1 day, when: always, name: files }"
_OTHER = "lint: { script: make lint }\nstyle: { script: make style }\npages-check: { script: make links }\n"


def test_a_value_of_several_stages_is_in_a_template_with_their_words(tmp_path: Path) -> None:
    """The source may merge maps, or repeat the value."""
    jobs = "".join(f"debian-{name}: {{ {_SETUP}, {_FILES}, script: [./{name}] }}\n" for name in ("unit", "api", "load"))
    result, _ = from_text(jobs + _OTHER, tmp_path)
    proof = prove(result)

    assert result.text.startswith("templates:\n  debian:\n    before:\n      - make setup\n")
    assert "- name: debian-unit\n        extends: debian\n        script: [./unit]\n" in result.text
    assert (result.text.count("make setup"), result.text.count("expire: 1 day")) == (1, 1)
    assert proof is not None
    assert proof.differences == ()


def test_stages_without_common_words_extend_what_they_repeat(tmp_path: Path) -> None:
    """A second one has a number."""
    first = "".join(f"{name}: {{ {_SETUP}, script: [./{name}] }}\n" for name in ("unit", "api", "load"))
    second = "".join(
        f"{name}: {{ before_script: [./a, ./b, ./c, ./d, ./e], script: [./{name}] }}\n" for name in ("x", "z")
    )
    result, _ = from_text(first + second + _OTHER, tmp_path)

    assert "templates:\n  setup:\n    before:\n      - make setup\n" in result.text
    assert "  setup-2:\n    before:\n      - ./a\n" in result.text
    assert "- name: api\n        extends: setup\n        script: [./api]\n" in result.text
    assert "- name: z\n        extends: setup-2\n        script: [./z]\n" in result.text


@pytest.mark.parametrize(
    ("names", "template"),
    [
        (("alpine_build", "rocky_build"), "build-setup"),
        (("unit (linux)", "package (linux)"), "linux-setup"),
        (("debian-unit-slow", "debian-api-slow"), "debian-slow-setup"),
        (("a-1", "b-1"), "setup"),
    ],
)
def test_words_of_all_stages_are_the_name_of_their_template(
    names: tuple[str, str], template: str, tmp_path: Path
) -> None:
    """In any position, so that templates of other stages with the same first words have names of their own."""
    jobs = "".join(f"{name}: {{ {_SETUP}, script: [./{number}] }}\n" for number, name in enumerate(names))
    result, _ = from_text(jobs + _OTHER, tmp_path)

    assert f"\n  {template}:\n    before:\n      - make setup\n" in f"\n{result.text}"


def test_raw_keys_that_stages_repeat_have_the_name_of_the_key(tmp_path: Path) -> None:
    """All of them are below `raw`."""
    hooks = (
        "hooks: { pre_get_sources_script: [date, pwd, 'find . -name core -newer marker', 'env | sort | head -n 100'] }"
    )
    jobs = "".join(f"{name}: {{ {hooks}, script: [./{name}] }}\n" for name in ("unit", "api", "load"))
    result, _ = from_text(jobs + _OTHER, tmp_path)

    assert "templates:\n  hooks:\n    raw:\n      gitlab:\n" in result.text
    assert "- name: unit\n        extends: hooks\n        script: [./unit]\n" in result.text


def test_a_template_has_the_name_of_the_one_in_the_source_that_all_users_extend(tmp_path: Path) -> None:
    """Templates that repeat a value extend it, too."""
    source = f".setup: {{ {_SETUP} }}\n"
    for name in ("linux", "macos"):
        source += f".{name}: {{ extends: .setup, tags: [{name}], timeout: 1 hour }}\n"
        source += "".join(f"{name}{job}: {{ extends: .{name}, script: [./{name}-{job}] }}\n" for job in (1, 2))
    result, _ = from_text(source + _OTHER, tmp_path)
    proof = prove(result)

    assert "templates:\n  setup:\n    before:\n" in result.text
    assert "  linux:\n    extends: setup\n    agent: linux\n" in result.text
    assert "- name: linux1\n        extends: linux\n        script: [./linux-1]\n" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_a_stage_extends_a_template_that_has_only_what_it_repeats(tmp_path: Path) -> None:
    """There is no other template with the same keys."""
    source = f".setup: {{ {_SETUP} }}\n"
    source += "".join(f"{name}: {{ extends: .setup, script: [./{name}] }}\n" for name in ("unit", "api"))
    result, _ = from_text(f"{source}load: {{ {_SETUP}, script: [./load] }}\n{_OTHER}", tmp_path)

    assert result.text.count("make setup") == 1
    assert "- name: load\n        extends: setup\n        script: [./load]\n" in result.text


def test_short_values_and_those_with_null_stay_in_stages(tmp_path: Path) -> None:
    """A template costs two lines; null removes a variable of the defaults, or a generated key."""
    jobs = "".join(f"{name}: {{ before_script: [./setup, ./check], script: [./{name}] }}\n" for name in ("a", "b"))
    variables = "variables: { A: a, B: b, C: c, D: d }\n"
    own = "inherit: { variables: false }"
    others = "".join(f"{name}: {{ {own}, script: ./{name} }}\n" for name in ("c", "d"))
    more = "".join(f"{name}: {{ script: ./{name} }}\n" for name in ("e", "f", "g", "h"))
    result, _ = from_text(variables + jobs + others + more, tmp_path)

    assert "templates" not in result.text


def test_comments_are_in_the_template_that_a_stage_gets_the_value_from(tmp_path: Path) -> None:
    """Another template with the same key is about other stages."""
    paths = [f"a/long/path/of/files/with/results/{number}" for number in range(6)]
    source = "".join(f"{name}: {{ script: ./{name}, artifacts: {{ paths: [x, *a] }} }}\n" for name in ("unit", "api"))
    source = source.replace("[x, *a]", str([f"x/{path}" for path in paths]))
    source += f"x1:\n  script: ./x1\n  # for x\n  artifacts:\n    paths: {paths}\n"
    source += f"x2: {{ script: ./x2, artifacts: {{ paths: {paths} }} }}\n"
    result, _ = from_text(source + _OTHER, tmp_path)

    assert "  artifacts:\n    artifacts:\n      - x/a/long" in result.text
    assert "  artifacts-2:\n    # for x\n    artifacts:\n      - a/long" in result.text
    assert result.text.count("for x") == 1


def test_maps_of_which_jobs_share_only_parts_are_in_their_template_in_part(tmp_path: Path) -> None:
    """A stage has the rest: maps of a template and a stage are merged."""
    source = """\
.build:
  script: [make]
  artifacts: { name: $CI_JOB_NAME, paths: [bin/, log/], expire_in: 1 day }
  cache: { key: $CI_JOB_NAME, paths: [deps/] }
one: { extends: .build, image: a }
two: { extends: .build, image: b }
three: { extends: .build, image: c, cache: [{ key: x, paths: [x] }, { key: y, paths: [y] }] }
other: { script: [make other] }
"""
    result, _ = from_text(source, tmp_path)
    config = yaml_data(result.text)
    stages = {stage["name"]: stage for stage in config["pipelines"]["ci"]["stages"]}
    proof = prove(result)

    assert config["templates"]["build"]["artifacts"] == {"paths": ["bin/", "log/"], "expire": "1 day"}
    assert "cache" not in config["templates"]["build"]
    assert stages["two"]["artifacts"] == {"name": "two"}
    assert stages["two"]["cache"] == {"key": "two", "paths": ["deps/"]}
    assert proof is not None
    assert proof.differences == ()


def test_a_list_of_paths_in_a_template_is_replaced_by_others(tmp_path: Path) -> None:
    """Most jobs have the value of the template."""
    source = """\
.build: { script: [make], artifacts: { paths: [bin/, log/, doc/] }, image: a }
one: { extends: .build }
two: { extends: .build }
three: { extends: .build, artifacts: { paths: [bin/] } }
other: { script: [make other] }
"""
    result, _ = from_text(source, tmp_path)

    assert yaml_data(result.text)["templates"]["build"]["artifacts"] == ["bin/", "log/", "doc/"]


def test_a_long_raw_variable_is_in_a_template_without_other_raw_keys(tmp_path: Path) -> None:
    """The jobs have different raw keys, and maps of a template and a stage are merged."""
    tools = 'TOOLS: "one\\ntwo\\nthree\\nfour $CI_JOB_NAME"'
    jobs = "".join(
        f"debian-{name}: {{ variables: {{ {tools}, FF_{name}: '1' }}, image: '$TOOLS', script: [./{name}], {more} }}\n"
        for name, more in (
            ("a", "hooks: { pre_get_sources_script: [x] }"),
            ("b", "when: on_failure"),
            ("c", "tags: []"),
        )
    )
    result, _ = from_text(jobs + _OTHER, tmp_path)
    proof = prove(result)

    assert result.text.count("four $CI_JOB_NAME") == 1
    assert proof is not None
    assert proof.differences == ()


_PATHS = "[docker/Dockerfile, docker/entrypoint.sh, docker/packages.txt, requirements.txt]"


def _rules(branch: str) -> str:
    automatic = f"{{ if: $CI_COMMIT_BRANCH == '{branch}', changes: {_PATHS} }}"
    return f'rules: [{automatic}, {{ if: $CI_PIPELINE_SOURCE == "web", when: manual }}]'


def _jobs(branch: str, *names: str) -> str:
    return "".join(f"{name}: {{ {_rules(branch)}, script: [./{name}] }}\n" for name in names)


def test_a_condition_of_several_stages_also_says_when_a_person_starts_them(tmp_path: Path) -> None:
    """Stages with other conditions may have the same `approve`."""
    result, _ = from_text(_jobs("main", "a", "b") + _jobs("develop", "c", "d") + _OTHER, tmp_path)
    proof = prove(result)
    config = yaml_data(result.text)

    assert [template.keys() for template in config["templates"].values()] == [{"when", "approve"}] * 2
    assert all("approve" not in stage for stage in config["pipelines"]["ci"]["stages"])
    assert proof is not None
    assert proof.differences == ()


def test_stages_that_start_differently_have_their_own_approval(tmp_path: Path) -> None:
    """Here one of them needs a message."""
    confirmed = _jobs("main", "b").replace("{ rules", "{ manual_confirmation: Sure?, rules", 1)
    result, _ = from_text(_jobs("main", "a") + confirmed + _OTHER, tmp_path)
    config = yaml_data(result.text)

    assert [template.keys() for template in config["templates"].values()] == [{"when"}]
    assert [stage["approve"]["when"] for stage in config["pipelines"]["ci"]["stages"][:2]]


def test_a_stage_replaces_a_part_of_a_map_that_most_stages_share(tmp_path: Path) -> None:
    """A variable, for which no stage lacks a value, or a key of another map."""
    source = """\
.build:
  script: [make]
  variables: { LEVEL: "1", GIT_DEPTH: "1", GIT_LFS_SKIP_SMUDGE: "1" }
  artifacts: { paths: [bin/], expire_in: 1 day, reports: { junit: one.xml } }
one: { extends: .build, image: a }
two: { extends: .build, image: b }
three:
  extends: .build
  image: c
  variables: { LEVEL: "2", GIT_LFS_SKIP_SMUDGE: "0" }
  artifacts: { expire_in: 1 week, reports: { junit: three.xml } }
other: { script: [make other] }
last: { script: [make last] }
further: { script: [make further] }
"""
    result, _ = from_text(source, tmp_path)
    config = yaml_data(result.text)
    stages = {stage["name"]: stage for stage in config["pipelines"]["ci"]["stages"]}
    proof = prove(result)

    assert config["templates"]["build"]["env"] == {"LEVEL": "1"}
    assert config["templates"]["build"]["artifacts"] == {"paths": ["bin/"], "expire": "1 day"}
    assert config["templates"]["build"]["runner_variables"] == {"GIT_LFS_SKIP_SMUDGE": "1"}
    assert config["templates"]["build"]["reports"] == {"junit": "one.xml"}
    assert stages["two"].keys() == {"name", "extends", "image"}
    assert (stages["three"]["env"], stages["three"]["artifacts"]) == ({"LEVEL": "2"}, {"expire": "1 week"})
    assert stages["three"]["runner_variables"] == {"GIT_LFS_SKIP_SMUDGE": "0"}
    assert stages["three"]["reports"] == {"junit": "three.xml"}
    assert proof is not None
    assert proof.differences == ()


def test_a_template_has_the_name_of_the_outermost_map_that_all_users_merge(tmp_path: Path) -> None:
    """YAML merges maps with anchors, and these have names."""
    source = f"""\
.tools: &tools {{ {_SETUP} }}
.checks: &checks
  <<: *tools
  {_FILES}
unit: {{ <<: *checks, script: [./unit] }}
style: {{ <<: *checks, script: [./style] }}
spelling: {{ <<: *checks, script: [./spelling] }}
"""
    result, _ = from_text(source + _OTHER, tmp_path)
    config = yaml_data(result.text)

    assert [*config["templates"]] == ["checks"]
    assert config["templates"]["checks"].keys() == {"before", "artifacts"}
    assert config["pipelines"]["ci"]["stages"][0] == {"name": "unit", "extends": "checks", "script": ["./unit"]}


def test_a_template_has_no_value_that_only_the_stages_of_another_one_have(tmp_path: Path) -> None:
    """It is in this one, although most stages have it."""
    source = """\
.tools: { image: node, before_script: [make tools, make login] }
.checks: { script: [make check, make lint] }
unit: { extends: [.tools, .checks], variables: { KIND: unit } }
spelling: { extends: [.tools, .checks], variables: { KIND: spelling } }
docs: { extends: .tools, script: [make docs, make links] }
"""
    result, _ = from_text(source + _OTHER, tmp_path)
    templates = yaml_data(result.text)["templates"]

    assert templates["tools"] == {"image": "node", "before": ["make tools", "make login"]}
    assert templates["checks"] == {"script": ["make check", "make lint"]}
