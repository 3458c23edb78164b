"""The key `fetch` of a stage."""

from __future__ import annotations

import pytest
from plan.sample_plans import plans_of

from pipegen.plan.model import StageFetch, Submodules


@pytest.mark.parametrize(
    ("fetch", "expected"),
    [
        ("", None),
        ("fetch: false,", StageFetch(is_skipped=True)),
        ("fetch: {},", StageFetch()),
        ("fetch: {depth: 3},", StageFetch(depth=3)),
        ("fetch: {shallow: false},", StageFetch(depth=0)),
        ("fetch: {shallow: false, depth: 3},", StageFetch(depth=0)),
        ("fetch: {submodules: false, tags: true},", StageFetch(submodules=Submodules.NONE, tags=True)),
        (
            "fetch: {submodules: direct, submodule_depth: 2},",
            StageFetch(submodules=Submodules.DIRECT, submodule_depth=2),
        ),
        ("fetch: {clone: false, path: 'app/next build'},", StageFetch(clone=False, path="app/next build")),
    ],
)
def test_a_stage_has_no_defaults(fetch: str, expected: StageFetch | None) -> None:
    """Options that it leaves out are those of its pipeline."""
    (plan,) = plans_of(f"pipelines: {{p: {{fetch: {{depth: 9}}, stages: [{{name: a, {fetch} script: [make]}}]}}}}")

    assert plan.jobs[0].fetch == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [("", StageFetch(is_skipped=True)), ("directory: app, ", None), ("workspace: shared, ", None)],
)
def test_a_webhook_needs_no_checkout(keys: str, expected: StageFetch | None) -> None:
    """It takes that of a shared workspace, and the folder that it runs in."""
    (plan,) = plans_of(
        f"pipelines: {{p: {{{keys}notify: {{webhook: {{url: chat}}}}, stages: [{{name: a, script: x}}]}}}}"
    )

    assert plan.job("notify").fetch == expected
