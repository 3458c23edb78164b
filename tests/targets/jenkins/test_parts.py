"""Traversal of the model."""

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.model.parts import parts_of


def test_finds_what_is_held_however_deep() -> None:
    """Nested steps, their arguments, and pairs of a name and a value."""
    value = model.Joined((model.GroovyCode("env.X"), "text"))
    job = model.StartJob(job="deploy", parameters=(("what", value),), propagate=True, wait=True)
    around = model.Wrapped("within(60)", (model.OnAgent(model.Agent("linux"), (job, model.Echo("done"))),))
    found = list(parts_of(around, "text", None, 3, (model.Selected(("main",)),)))

    assert len(found) == 8
    assert all(one in found for one in (around, job, value, model.GroovyCode("env.X"), model.Agent("linux")))


def test_texts_are_no_nouns() -> None:
    """Nothing is found where nothing but texts and numbers is held."""
    assert list(parts_of("text", ("a", ("b", True)), None)) == []
