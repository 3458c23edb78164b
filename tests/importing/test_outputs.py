"""Dotenv reports become outputs where it is certain what they contain, and who reads it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from importing.samples import differences, from_text, messages

from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.structs import replace

_BUILD = """\
stages: [build, test, deploy]
build:
  stage: build
  script: ['echo "VERSION=$(cat VERSION)" > build.env']
  artifacts: { reports: { dotenv: build.env } }
"""
_OTHER = _BUILD.partition("\n")[2].replace("build:", "other:", 1)
_TEST = "test: { stage: test, script: ['./test \"$VERSION\"'] }\n"


def _with_script(commands: Sequence[str], folder: Path) -> tuple[GitLabImport, str]:
    build = {"stage": "build", "script": commands, "artifacts": {"reports": {"dotenv": "build.env"}}}
    result, report = from_text(json.dumps({"build": build, "test": {"stage": "test", "script": ["t"]}}), folder)
    return result, messages(report)


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (['echo "A=$(cat A)" >> build.env'], "A"),
        (["echo A=$X>build.env", 'echo "B=2">>./build.env'], "A B"),
        (["V=$(cat V); echo \"A=$V\" >> build.env; echo 'B=;' >> build.env; make"], "A B"),
        (['printf "A=%s\\n" "$A" >"$CI_PROJECT_DIR/build.env"'], "A"),
        (["printf 'A=%s\\nB=100%%\\n' \"$A\" | tee build.env"], "A B"),
        (["echo 'A=1' | tee -a build.env > /dev/null"], "A"),
        (["cat <<EOF > build.env\nA=1\nB=$X\nEOF"], "A B"),
        (["cat > 'build.env' <<-'EOF'\n\tA=1\n\tB=\n\tEOF\necho x"], "A B"),
        (["tee build.env <<EOF\nA=1\nEOF"], "A"),
        (["{ echo A=1; echo B=2; } >> build.env"], "A B"),
        (['{\n  echo "A=1"\n  printf "B=%s\\n" "$B"\n} > build.env'], "A B"),
        (["echo A=1 >> build.env", "echo B=2 > build.env"], "B"),
        (
            ["touch build.env", "rm -f build.env", 'echo "A=1\nB=2" >> build.env;\n# build.env\n\n', "cat build.env"],
            "A B",
        ),
        (["if make; then echo; fi", "V=$(cat V); echo A=$V > build.env"], "A"),
        (["(cd docs && make)", "echo A=1 > build.env"], "A"),
        (["cd docs", "echo A=1 > ${CI_PROJECT_DIR}/build.env", "exit 0"], "A"),
        (["if make; then echo; else exit 2; fi\nmake x || exit 1\necho A=1 > build.env"], "A"),
        (["docker exec app cat exit", "(make; exit)", "cat <<EOF > run\nexit 0\nEOF", "echo A=1 > build.env"], "A"),
        (["(cd a && (cd b; make)); make", "V=$(cd a; make)", "make cd", "echo A=1 > build.env"], "A"),
        (["echo \"A=$(awk '{print $1}' f)\" > build.env", 'echo "B=`sed \'s/a$//\' <<< "$A"`" >> build.env'], "A B"),
        (["printf '%s=%d\\n%s\\n' A \"$(wc -l <f)\" 'B=*' > build.env"], "A B"),
        (["set -e", 'if [ -n "$X" ]; then export V=1; fi', 'echo "A=$V" >> build.env', "./run"], "A"),
        (["./run", ": > build.env", "echo A=1 >> build.env"], "A"),
        (["./run", "rm -f build.env", "touch build.env", "echo A=1 >> build.env"], "A"),
    ],
)
def test_variables_of_a_report_are_outputs(commands: Sequence[str], names: str, tmp_path: Path) -> None:
    """Commands that always run write them; the script stays as it is."""
    result, report = _with_script(commands, tmp_path)

    assert all(f"{name}: {{ command: sed -n s/^{name}=//p build.env }}" in result.text for name in names.split())
    assert all(f"{name}: ${{build.{name}}}" in result.text.replace('"', "") for name in names.split())
    assert result.text.count("command:") == len(names.split())
    assert (report, differences(result)) == ("", [])


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        (["./build"], "the script writes no variables"),
        (["./build build.env"], 'which variables the command "./build build.env" writes is not certain'),
        (["if test -e A; then\n  echo A=1 >> build.env\nfi"], "not certain"),
        (["if test -e A; then", "echo A=1 >> build.env", "fi"], "not certain"),
        (["test -e A && echo A=1 >> build.env"], "not certain"),
        (["echo 'A=1 >> build.env"], "this quote is not closed"),
        (["echo A=1 >> build.env", "echo A=2 >> build.env"], "not certain"),
        (['echo "$NAME=1" >> build.env'], "not certain"),
        (['echo -e "A=1\\nB=1" >> build.env'], "not certain"),
        (['echo "A=1\\nB=1" >> build.env'], "not certain"),
        (["echo 'A=$B' >> build.env"], "not certain"),
        (["echo 'A= b' >> build.env"], "not certain"),
        (["echo '# A' >> build.env"], "not certain"),
        (["cat <<EOF > build.env\nA=1\n\nEOF"], "not certain"),
        (["cat <<'EOF' > build.env\nA=$B\nEOF"], "not certain"),
        (["cat <<EOF > build.env\nA=\\$B\nEOF"], "not certain"),
        (["sed x <<EOF > build.env\nA=1\nEOF"], "not certain"),
        (["printf 'A=%s' 1 >> build.env"], "not certain"),
        (["printf 'A=%s\\n' 1 2 >> build.env"], "not certain"),
        (["env | grep ^A >> build.env"], "not certain"),
        (["{ echo A=1 >&2; echo B=2; } >> build.env"], "not certain"),
        (["{ make && echo A=1; } >> build.env"], "not certain"),
        (["echo A=1 >> build.env.bak"], "not certain"),
        (["echo A=1 >> ../build.env"], "not certain"),
        (["mv other build.env"], "not certain"),
        (["echo A=1 >> build.env", "rm build.env"], "the script writes no variables"),
        (["cd docs", "echo A=1 > build.env"], "the script changes the directory"),
        (["test -e A || exit 0", "echo A=1 > build.env"], "the script may end before the report is complete"),
        *(
            ([command, "echo A=1 > build.env"], "the script may end before the report is complete")
            for command in (
                "exec ./run",
                'if [ -n "$X" ]; then exec ./run; fi',
                "for x in a b; do return; done",
                "if make; then echo; else\nexit 0; fi",
                "{ exec ./run; }",
                "X=1 command exec ./run",
                "make || exit 256",
                "make || exit $X",
                "trap 'exit 0' ERR",
                'eval "return"',
            )
        ),
        (["echo '('; cd docs; echo ')'", "echo A=1 > build.env"], "the script changes the directory"),
        (["eval 'cd docs'", "echo A=1 > build.env"], "the script changes the directory"),
        *(
            ([command], "which variables the command")
            for command in (
                "echo 'A=\"$CI_COMMIT_SHA\"' > build.env",
                "echo A=\\$CI_COMMIT_SHA > build.env",
                'echo "A=\\$CI_COMMIT_SHA" > build.env',
                "echo \"A=$\"'CI_COMMIT_SHA' > build.env",
                "echo A=$'\\x24CI_COMMIT_SHA' > build.env",
                'printf "A=\\$CI_COMMIT_SHA\\n" > build.env',
                "printf 'A=\\044CI_COMMIT_SHA\\n' > build.env",
                'printf "A=%s\\n" "\\$X" > build.env',
                "{ echo A=1; echo 'B=$X'; } > build.env",
                "echo A=1 2> build.env",
                "echo A=1 3>> build.env",
                "echo A=1 &> build.env",
                "echo A=1 {fd}> build.env",
                "echo A=1 <> build.env",
                "echo A=1 >| build.env",
                "echo A=1 \\> build.env",
                "echo A=1 # > build.env",
                "{ echo A=1 || echo B=1; } > build.env",
                "{ echo A=1 & echo B=1; } > build.env",
                'echo "A=1\nB="{a,b} > build.env',
                "printf 'A=%s\\n' \"a\nb\" > build.env",
                "printf 'A=%s\\n' * > build.env",
                "printf 'A=%s\\n' a? > build.env",
                "printf 'A=%s\\n' [ab] > build.env",
                "printf 'A=%s\\n' {a,b} > build.env",
                "printf 'A=%s\\n' $X > build.env",
                "printf 'A=%s\\n' `cat V` > build.env",
                "printf 'A=%s\\n' \"$@\" > build.env",
                "printf 'A=%s\\n' \"${X[@]}\" > build.env",
                "printf 'A=%b\\n' 'a\\nB=1' > build.env",
            )
        ),
        *(
            ([*commands, "echo A=1 >> build.env"], '"build.env" may exist before the script appends to it')
            for commands in (
                ["./gitversion"],
                ["V=$(./gitversion)"],
                ["rm build.env", "./gitversion"],
                ["cat build.env"],
                [". build.env"],
            )
        ),
        (['echo "A=$(./gitversion)" >> build.env'], '"build.env" may exist before the script appends to it'),
        (["echo PATH=1 > build.env"], "the runner may read PATH"),
        (["echo GIT_DEPTH=1 > build.env"], "the runner may read GIT_DEPTH"),
    ],
)
def test_a_report_whose_variables_are_not_certain_stays_raw(
    commands: Sequence[str], reason: str, tmp_path: Path
) -> None:
    """The reason is in its diagnostic."""
    result, report = _with_script(commands, tmp_path)

    assert reason in report
    assert report.count('"dotenv" of job "build" stays a key of GitLab: ') == 1
    assert "outputs:" not in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    ("keys", "jobs", "reason"),
    [
        ("", "", "no job reads it"),
        ("", "next: { stage: test, trigger: group/next }", 'does not contain the script of job "next"'),
        ("", "test: { stage: test, script: ['Get-Item $env:VERSION'] }", 'does not contain the script of job "test"'),
        ("", "test: { stage: test, script: [t], variables: { VERSION: x } }", "VERSION is also another variable"),
        ("", f"variables: {{ VERSION: x }}\n{_TEST}", "VERSION is also another variable"),
        ("", f"variables: {{ VERSION: {{ value: x, description: of the build }} }}\n{_TEST}", "another variable"),
        ("", "test: { script: [t], rules: [{ if: $CI_COMMIT_TAG, variables: { VERSION: x } }] }", "another variable"),
        ("", "test: { script: [t], parallel: { matrix: [{ VERSION: [a, b] }] } }", "VERSION is also another variable"),
        ("", "test: { script: [t], rules: [{ if: $VERSION }] }", '"rules" of job "test" contains'),
        ("", "test: { script: [t], cache: { key: $VERSION, paths: [a] } }", '"cache" of job "test" contains'),
        ("", "test: { script: [t], environment: a/$VERSION }", '"environment" of job "test" contains'),
        ("", "test: { script: [t], variables: { A: $VERSION }, tags: [$A] }", '"tags" of job "test" contains'),
        ("", "test: { script: [t], variables: { GIT_DEPTH: $VERSION } }", "the runner may read variables of job"),
        ("", "test: { script: [t], services: [broker] }", 'the services of job "test" may read it'),
        ("", "test: { script: [t], when: always }", 'job "test" may start after failures'),
        ("", "test: { script: [t], rules: [{ if: $A, when: always }, { if: $B }] }", "may start after failures"),
        ("image: app:$VERSION", _TEST, '"image" of job "build" contains'),
        ("when: manual", _TEST, "its job may not run before the jobs that get it"),
        ("rules: [{ if: $CI_COMMIT_TAG }]", _TEST, "${build.VERSION}"),
        ("allow_failure: true", _TEST, "${build.VERSION}"),
        ("parallel: 2", _TEST, "each combination of the job has its own"),
        ("after_script: [rm build.env]", _TEST, '"after_script" contains "build.env"'),
        ("environment: { name: a, url: $A }, variables: { A: $VERSION }", "", '"environment" of job "build"'),
        ("environment: { name: a, url: 'https://$VERSION/!(1)' }", "", 'the environment of job "build" with a value'),
        (
            "environment: { name: a, url: $VERSION$A }, variables: { A: (1) }",
            "",
            'the environment of job "build" with a',
        ),
        (
            "",
            "test: { script: [t], environment: { name: a, url: $VERSION/a b } }",
            'the environment of job "test" with a',
        ),
        ("variables: { FILE: build.env }", _TEST, 'the variable FILE contains "build.env"'),
    ],
)
def test_a_report_that_a_job_cannot_read_by_reference_stays_raw(
    keys: str, jobs: str, reason: str, tmp_path: Path
) -> None:
    """All jobs that get it read it as a variable of GitLab, as before."""
    source = _BUILD + "".join(f"  {line}\n" for line in keys.replace("}, ", "}\n").split("\n")) + jobs
    result, report = from_text(source, tmp_path)

    assert reason in messages(report)
    assert '"dotenv" of job "build" stays a key of GitLab: ' in messages(report)
    assert "outputs:" not in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("build:\n", "build it:\n", 'references cannot contain "build it"'),
        ("dotenv: build.env", "dotenv: [build.env, other.env]", "it is not one file with a plain path"),
        *(
            ("dotenv: build.env", f"dotenv: {path}", "it is not one file with a plain path")
            for path in ("$FILE", "../build.env", "a/../build.env", "/a/build.env", "'*.env'", ".pipegen/build.env")
        ),
        ("artifacts: {", "artifacts: { when: on_failure,", "only failed jobs leave it"),
        ("artifacts: {", "artifacts: { paths: [$CI_JOB_ID], ", '"artifacts" of job'),
    ],
)
def test_a_report_that_cannot_be_an_output_stays_raw(old: str, new: str, reason: str, tmp_path: Path) -> None:
    """A generated job with raw paths would not leave the files of its outputs."""
    result, report = from_text((_BUILD + _TEST).replace(old, new), tmp_path)

    assert reason in messages(report)
    assert "outputs:" not in result.text
    assert "dotenv" in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    ("keys", "is_raw"),
    [
        ("needs: []", False),
        ("needs: [{ job: first, artifacts: false }]", False),
        ("needs: [first]", True),
        ("needs: [{ project: a/b, job: c, ref: main, artifacts: true }]", True),
        ("cache: { paths: [a/] }", True),
        ("variables: { GIT_CLEAN_FLAGS: none }", True),
    ],
)
def test_a_file_to_which_a_script_appends_is_new(keys: str, is_raw: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Files that the job gets may contain it."""
    first = "first: { stage: .pre, script: [f], artifacts: { paths: [a/] } }\n"
    build = _BUILD.replace(" > build.env", " >> build.env")
    needs = "" if keys.startswith("needs") else "  needs: []\n"
    result, report = from_text(f"{build}{needs}  {keys}\n{first}{_TEST}", tmp_path)

    assert ('"build.env" may exist before the script appends to it' in messages(report)) is is_raw
    assert ("outputs:" in result.text) is not is_raw
    assert differences(result) == []


def test_a_report_without_a_name_before_its_ending_is_an_output(tmp_path: Path) -> None:
    """This is the usual name of such files."""
    result, report = from_text((_BUILD + _TEST).replace("build.env", ".env"), tmp_path)

    assert "VERSION: { command: sed -n s/^VERSION=//p .env }" in result.text
    assert (messages(report), differences(result)) == ("", [])


def test_variables_of_two_reports_that_a_job_gets_stay_raw(tmp_path: Path) -> None:
    """GitLab decides which value wins."""
    result, report = from_text(_BUILD + _OTHER + _TEST, tmp_path)

    assert messages(report).count("may set the same variables in job") == len(("build", "other"))
    assert "outputs:" not in result.text
    assert differences(result) == []


def test_jobs_get_the_same_variable_of_different_reports(tmp_path: Path) -> None:
    """Each gets only one of them."""
    jobs = [f"{name}: {{ stage: test, needs: [{name}], script: [./test] }}\n" for name in ("build", "other")]
    result, report = from_text(_BUILD + _OTHER + "".join(f"test-{job}" for job in jobs), tmp_path)

    assert 'env: { VERSION: "${build.VERSION}" }' in result.text
    assert 'env: { VERSION: "${other.VERSION}" }' in result.text
    assert (messages(report), differences(result)) == ("", [])


def test_only_jobs_that_get_a_report_read_its_values(tmp_path: Path) -> None:
    """These are the jobs that need it with artifacts, and later ones without needs; their programs may read it."""
    source = f"""\
{_BUILD}late: {{ stage: deploy, script: [./late] }}
alone: {{ stage: test, needs: [], script: [./alone] }}
waits: {{ stage: test, needs: [{{ job: build, artifacts: false }}], script: [./waits] }}
other: {{ stage: test, dependencies: [], script: [./other] }}
"""
    result, report = from_text(source, tmp_path)

    assert result.text.count("${build.VERSION}") == 1
    assert result.text.index("name: late") < result.text.index("${build.VERSION}")
    assert (messages(report), differences(result)) == ("", [])
    assert result.count.number(KeyOutcome.TRANSLATED) == result.count.keys


def test_a_url_has_only_the_values_that_it_reads(tmp_path: Path) -> None:
    """No other job gets the report of the last stage."""
    source = """\
review:
  script: ['echo "URL=https://$(./host)" > deploy.env', 'echo "TIME=$(date)" >> deploy.env']
  artifacts: { reports: { dotenv: deploy.env } }
  environment: { name: review, url: $URL/app }
"""
    result, report = from_text(source, tmp_path)

    assert "outputs: { URL: { command: sed -n s/^URL=//p deploy.env } }" in result.text
    assert 'url: "${.URL}/app"' in result.text
    assert "TIME:" not in result.text
    assert (messages(report), differences(result)) == ("", [])


def test_images_and_variables_have_values_of_reports(tmp_path: Path) -> None:
    """The image is chosen before the script sets variables."""
    source = f"""\
variables: {{ IMAGE: 'app:$VERSION' }}
{_BUILD}test: {{ stage: test, image: $IMAGE, script: ['./test $IMAGE'], parallel: {{ matrix: [{{ A: [a, b] }}] }} }}
"""
    result, report = from_text(source, tmp_path)

    assert "image: app:${build.VERSION}" in result.text
    assert (messages(report), differences(result)) == ("", [])


def test_a_job_whose_needs_stay_raw_reads_values(tmp_path: Path) -> None:
    """Its needs contain the job that leaves the values, with artifacts, and others that do so without."""
    jobs = """\
other: { stage: build, script: ['echo "A=$(a)" > a.env'], artifacts: { reports: { dotenv: a.env } } }
test: { stage: test, needs: [build, { job: other, artifacts: false }], script: ['./test "$VERSION"'] }
more: { stage: test, script: ['./more $A'] }
"""
    result, _ = from_text(_BUILD + jobs, tmp_path, frozenset({"test"}))

    assert "needs: [build, { job: other, artifacts: false }]" in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("cat .pipegen/outputs/build/VERSION", "cat .pipegen/outputs/other/B", "the variable VERSION of job "),
        ("s/^VERSION=", "s/^OTHER=", "the variable VERSION of job "),
        ("//p build.env", "//p other.env", "the variable VERSION of job "),
        (".pipegen/outputs/build/]", ".pipegen/outputs/else/]", "the variable VERSION of job "),
        ('export VERSION="$build_VERSION"', "true", "the variable VERSION of job "),
        ("PIPEGEN_BUILD__VERSION=", "PIPEGEN_OTHER=", "the image of job "),
        ("app:$PIPEGEN_BUILD", "app:$PIPEGEN_OTHER", "the image of job "),
        ("dotenv: .pipegen/dotenv/build.env", "dotenv: none.env", "the image of job "),
        (
            'printf %s "https://$build_VERSION"',
            'printf %s "https://$other_B"',
            "the address of the environment of job ",
        ),
        ("url: $PIPEGEN_URL_TEST", "url: https://example.org", "the address of the environment of job "),
    ],
)
def test_values_are_compared(old: str, new: str, difference: str, tmp_path: Path) -> None:
    """A value of another report, a missing value, and one that does not arrive are differences."""
    jobs = """\
other: { stage: build, script: ['echo "B=$(b)" > other.env'], artifacts: { reports: { dotenv: other.env } } }
test:
  stage: test
  image: app:$VERSION
  script: ['./test "$VERSION"']
  environment: { name: test, url: https://$VERSION }
"""
    result, _ = from_text(_BUILD + jobs, tmp_path)
    (file,) = result.generated
    changed = replace(result, generated=(replace(file, text=file.text.replace(old, new)),))

    assert old in file.text
    assert differences(result) == []
    assert f'{difference}"test" is another one' in differences(changed)
