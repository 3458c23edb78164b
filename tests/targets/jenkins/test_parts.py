"""Traversal of the model."""

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.model.parts import parts_of


def test_parts_of_a_model_are_found_at_any_depth() -> None:
    """In nested steps, their arguments, and pairs of a name and a value."""
    value = model.Joined((model.GroovyCode("env.X"), "text"))
    job = model.StartJob(job="deploy", parameters=(("what", value),), propagate=True, wait=True)
    around = model.Wrapped("within(60)", (model.OnAgent(model.Agent("linux"), (job, model.Echo("done"))),))
    values = list(parts_of(around, "text", None, 3, (model.Selected(("main",)),)))

    assert len(values) == 8
    assert all(part in values for part in (around, job, value, model.GroovyCode("env.X"), model.Agent("linux")))


def test_texts_and_numbers_are_not_parts() -> None:
    """A model with only such fields has none."""
    assert list(parts_of("text", ("a", ("b", True)), None)) == []
