"""The needs of each job, and those whose artifacts it fetches."""

from __future__ import annotations

from targets.gitlab.compiled import compiled


def test_a_predecessor_is_needed_without_its_artifacts() -> None:
    """A stage that only follows another fetches no artifacts."""
    made = compiled("""
        pipelines:
          service:
            stages: [{ name: lint }, { name: test }]
    """)

    assert made.needs("test") == [("lint", False)]


def test_jobs_of_the_first_stage_have_no_needs() -> None:
    """They start immediately."""
    made = compiled("""
        pipelines:
          service:
            stages: [{ name: lint }, { name: test }]
            execution: [[lint], [test]]
    """)

    assert made.data["stages"] == ["lint, test"]
    assert "needs" not in made.data["lint"]
    assert "needs" not in made.data["test"]


def test_outputs_of_any_ancestor_are_fetched() -> None:
    """It is needed with artifacts, listed after the predecessors."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: versions, build: list, run: { tail: 1 } }
              - { name: lint }
              - { name: test, build: test, run: { arguments: ['${versions.output}'] } }
    """)

    assert made.needs("test") == [("lint", False), ("versions", True)]


def test_a_build_fetches_the_files_of_all_ancestors() -> None:
    """Without any reference, if its context is the checkout."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: docs, build: docs, run: true, copy: [/srv/docs] }
              - { name: lint }
              - { name: site, build: site }
    """)

    assert made.needs("site") == [("lint", False), ("docs", True)]
    assert made.data["docs"]["artifacts"] == {"paths": ["srv/docs"]}


def test_a_copy_from_another_container_fetches_its_files() -> None:
    """The job of the container passes on the copied paths."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: build, build: app, run: true }
              - { name: lint }
              - { name: pack, copy: [{ from: '${build.container}', source: /srv/app, destination: app }] }
    """)

    assert made.needs("pack") == [("lint", False), ("build", True)]


def test_needs_are_in_the_order_of_the_arcs() -> None:
    """The order is the user's."""
    made = compiled("""
        pipelines:
          service:
            stages: [{ name: a }, { name: b }, { name: c }, { name: end }]
            execution: [[c, end], [a, end], [b, end]]
    """)

    assert made.needs("end") == [("c", False), ("a", False), ("b", False)]
