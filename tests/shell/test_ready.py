"""What a script waits for before it begins."""

from __future__ import annotations

from shell.world import World, host, plan_of, script_of, text_of


def stage(ready: str) -> dict[str, object]:
    """Return a stage whose only service is ready when *ready* succeeds."""
    return {
        "name": "t",
        "image": "x",
        "services": [{"image": "example/db:1", "ready": ready}],
        "env": {"A": "2"},
        "script": ["echo ran >ran"],
    }


def test_it_waits_until_the_service_is_ready(world: World) -> None:
    """What is tried does nothing to the shell of the script, and finds its variables."""
    made = plan_of([stage('echo x >>tries; [ "$(wc -l <tries)" -ge "$A" ] && cd / && exit')])

    done = world.run_job(made, "t", host())

    assert (done.status, (world.root / "ran").read_text("utf-8")) == (0, "ran\n")
    assert (world.root / "tries").read_text("utf-8") == "x\nx\n"


def test_a_service_that_is_late_fails_the_stage_by_name(world: World) -> None:
    """After a minute, which is over at once here."""
    text = text_of(script_of(plan_of([stage("false")]), "t", host()))

    done = world.run(text.replace("+ 60", "+ 0"))

    assert done.status != 0
    assert 'stage "t": service "db" was not ready within 60 seconds' in done.errors
    assert not (world.root / "ran").exists()
