"""Approvals and environments on GitLab."""

from __future__ import annotations

import re

import pytest
from plan.sample_plans import plan_of
from targets.gitlab.compiled import compiled

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.targets.gitlab.jobs.caches import lower_caches
from pipegen.targets.gitlab.jobs.deployments.approvals import with_start
from pipegen.targets.gitlab.jobs.deployments.environments import lower_environment
from pipegen.targets.gitlab.jobs.drafts import resource_group
from pipegen.targets.gitlab.model import GitLabJob, RuleEntry


def planned(keys: str) -> Plan:
    """Return the plan of a stage `s` with *keys*."""
    return plan_of(f"[{{name: s, script: x, outputs: [v], {keys}}}]")


def test_approvals_keep_the_rules_of_conditions() -> None:
    """A `never` rule stays; all others start the job manually, for which later jobs wait by default."""
    plan = planned("approve: Go?")
    gitlab_job = GitLabJob(
        name="s", stage="step 1", rules=(RuleEntry("a", when="never"), RuleEntry("b"), RuleEntry(""))
    )
    job = with_start(gitlab_job, plan.jobs[0], None, {"s": "s"})

    assert [(rule.condition, rule.when) for rule in job.rules] == [("a", "never"), ("b", "manual"), ("", "manual")]
    assert (job.when, job.is_blocking, job.manual_confirmation) == ("", False, "Go?")


def test_a_delay_is_not_an_approval() -> None:
    """It blocks only for its duration."""
    job = with_start(GitLabJob(name="s", stage="step 1"), planned("approve: {delay: 90m}").jobs[0], None, {"s": "s"})

    assert (job.when, job.start_in, job.is_blocking) == ("delayed", "1 hour 30 minutes", False)


@pytest.mark.parametrize(
    ("lock", "group"),
    [
        ("a b", "a b"),
        ("a/b.c_d-e", "a/b.c_d-e"),
        ("/$x's/", r"-x-s-\w{8}"),
        ("/", r"\w{8}"),
        ("x" * 256, r"x{246}-\w{8}"),
    ],
)
def test_locks_become_valid_resource_groups(lock: str, group: str) -> None:
    """Characters that GitLab expands or rejects become dashes, and a digest keeps names unique."""
    assert re.fullmatch(group, resource_group(planned(f'lock: "{lock}"').jobs[0], Report()))


def test_different_locks_and_environments_stay_different() -> None:
    """Even if GitLab rejects all characters in which they differ."""
    locks = {resource_group(planned(f'lock: "{name}"').jobs[0], Report()) for name in ("it's", "it:s", "it-s")}
    plans = [planned(f'environment: "{name}"') for name in ("it's", "it:s", "it-s")]
    environments = {lower_environment(plan.jobs[0], plan, Report()).environment for plan in plans}

    assert len(locks) == len(environments) == 3


@pytest.mark.parametrize(
    ("url", "expected", "has_report"),
    [
        ("https://a.b/?$x", "https://a.b/?%24x", False),
        ("https://${setup.commit}/", "https://$CI_COMMIT_SHA/", False),
        ("https://${.v}/", "$PIPEGEN_URL_S", True),
        ("https://${setup.timestamp}/", "$PIPEGEN_URL_S", True),
        ("https://${setup.tag|none}/", "$PIPEGEN_URL_S", True),
    ],
)
def test_environment_urls(url: str, expected: str, has_report: bool) -> None:  # noqa: FBT001 - what is expected
    """The script computes values that GitLab cannot expand."""
    plan = planned(f"environment: {{name: e, url: '{url}'}}")
    environment = lower_environment(plan.jobs[0], plan, Report())

    assert environment.environment is not None
    assert (environment.environment.url, bool(environment.dotenv), bool(environment.script)) == (
        expected,
        has_report,
        has_report,
    )


def test_cache_keys_have_no_special_characters() -> None:
    """They are the same on all engines."""
    plan = planned("cache: {paths: [a/], key: '$x/y %z', fallback: ['${setup.branch}/']}")
    (entry,) = lower_caches(plan.jobs[0], plan, Report())

    assert (entry.key, entry.fallback_keys) == ("-x-y--z", ("$CI_COMMIT_REF_SLUG-",))


def test_a_stage_named_with_dots_has_a_valid_cache_key() -> None:
    """https://docs.gitlab.com/ci/yaml/#cachekey: it may be neither "." nor ".."."""
    for name in (".", ".."):
        plan = plan_of(f"[{{name: '{name}', script: [x], cache: {{paths: [a/]}}}}]")

        assert [cache.key for cache in lower_caches(plan.jobs[0], plan, Report())] == [f"stage{name}"]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("environment: qa", "qa"),
        ("environment: { name: qa, url: https://qa.example.org }", {"name": "qa", "url": "https://qa.example.org"}),
        (
            "environment: qa, raw: { gitlab: { environment: { deployment_tier: testing } } }",
            {"name": "qa", "deployment_tier": "testing"},
        ),
    ],
)
def test_the_name_of_an_environment_is_enough(keys: str, expected: object) -> None:
    """Raw keys of an environment are merged with those of its stage."""
    data = compiled(f"pipelines: {{ p: {{ stages: [{{ name: s, script: x, {keys} }}] }} }}").data

    assert data["s"]["environment"] == expected
