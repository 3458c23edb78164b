"""What each job waits for, and whose artifacts it fetches."""

from __future__ import annotations

from targets.gitlab.compiled import compiled


def test_a_predecessor_is_waited_for_without_its_artifacts() -> None:
    """A stage that only comes after another fetches nothing."""
    made = compiled("""
        pipelines:
          service:
            stages: [{ name: lint }, { name: test }]
    """)

    assert made.needs("test") == [("lint", False)]


def test_the_first_step_has_no_needs() -> None:
    """A job of the first step starts at once, and says nothing of needs."""
    made = compiled("""
        pipelines:
          service:
            stages: [{ name: lint }, { name: test }]
            execution: [[lint], [test]]
    """)

    assert made.data["stages"] == ["lint, test"]
    assert "needs" not in made.data["lint"]
    assert "needs" not in made.data["test"]


def test_outputs_are_fetched_however_far_up() -> None:
    """An ancestor that is read is needed with artifacts, after the predecessors."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: versions, build: list, run: { tail: 1 } }
              - { name: lint }
              - { name: test, build: test, run: { arguments: ['${versions.output}'] } }
    """)

    assert made.needs("test") == [("lint", False), ("versions", True)]


def test_files_are_fetched_by_a_local_build_without_a_binding() -> None:
    """A stage that builds from the checkout gets the files of all ancestors that leave some."""
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


def test_a_container_that_is_copied_from_is_fetched() -> None:
    """The producer of a container hands on the paths that others copy."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: build, build: app, run: true }
              - { name: lint }
              - { name: pack, copy: [{ from: '${build.container}', source: /srv/app, destination: app }] }
    """)

    assert made.needs("pack") == [("lint", False), ("build", True)]


def test_predecessors_keep_the_order_of_the_arcs() -> None:
    """Needs are told as the user tells the arcs."""
    made = compiled("""
        pipelines:
          service:
            stages: [{ name: a }, { name: b }, { name: c }, { name: end }]
            execution: [[c, end], [a, end], [b, end]]
    """)

    assert made.needs("end") == [("c", False), ("a", False), ("b", False)]
