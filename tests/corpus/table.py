"""Expected results for configs that PipelineLib rejects, or that cannot have run.

Each file is accepted, with the reason, or refused with codes and the lines that they point at. All others are accepted.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The diagnostics of a file as code and line, empty if it is accepted; *reason* explains the difference."""

    errors: tuple[tuple[str, int], ...]
    reason: str


def _accepted(reason: str) -> Outcome:
    return Outcome((), reason)


_NUMBERS = _accepted("upstream's code takes numbers where text is meant: its schema alone does not")
_PROMOTE = _accepted("upstream's code takes promote: true for the project's own chart")
_TAGS = "tags beside image instead of under it: upstream drops them in silence"
_FILLED = "a map indented under image: true is no YAML"

# Rejected by PipelineLib's schema, or not YAML.
SCHEMA = {
    "newest/martaannaj__RecommenderServer.yaml": Outcome(
        (("PG209", 7), ("PG205", 9)), "run is a command, and publish stands beside pipelines"
    ),
    "newest/wikimedia__machinelearning-liftwing-inference-services__revscoring-editquality.yaml": Outcome(
        (("PG107", 16),), _FILLED
    ),
    "older/wikimedia__integration-pipelinelib__systemtests-repo1@7b27754a.yaml": _NUMBERS,
    "older/wikimedia__integration-pipelinelib__systemtests-repo1@974cf8ff.yaml": _NUMBERS,
    "older/wikimedia__integration-pipelinelib__systemtests-repo1@9fbc0b95.yaml": _NUMBERS,
    "older/wikimedia__integration-pipelinelib__systemtests-repo1@b92d17c2.yaml": _NUMBERS,
    "older/wikimedia__integration-pipelinelib__systemtests-repo1@c853505e.yaml": _NUMBERS,
    "older/wikimedia__integration-pipelinelib__systemtests-repo1@c8f4f8c4.yaml": _NUMBERS,
    "older/wikimedia__machinelearning-liftwing-inference-services@066ba966.yaml": Outcome((("PG107", 13),), _FILLED),
    "older/wikimedia__mediawiki-services-citoid@c9b63293.yaml": _PROMOTE,
    "older/wikimedia__mediawiki-services-mathoid@de91673e.yaml": _PROMOTE,
    "older/wikimedia__mediawiki@f31a0586.yaml": Outcome((("PG205", 9),), _TAGS),
    "older/wikimedia__wikibase-termbox@8d2e947a.yaml": Outcome((("PG205", 25),), _TAGS),
    "older/wikimedia__wikimedia-toolhub@2be03642.yaml": _NUMBERS,
    "older/wikimedia__wikimedia-toolhub@31c3aaed.yaml": _NUMBERS,
    "older/wikimedia__wikimedia-toolhub@85ef7979.yaml": _NUMBERS,
    "older/wikimedia__wikimedia-toolhub@87e0793c.yaml": _NUMBERS,
    "older/wikimedia__wikimedia-toolhub@9eeacb8d.yaml": _NUMBERS,
    "older/wikimedia__wikimedia-toolhub@aa9ed0d1.yaml": _NUMBERS,
    "older/wikimedia__wikimedia-toolhub@aef64087.yaml": _NUMBERS,
    "older/wikimedia__wikimedia-toolhub@be4503fb.yaml": _NUMBERS,
}

# Accepted by PipelineLib's schema, and failed in a run.
SEMANTIC = {
    "older/wikimedia__mediawiki-services-image-suggestion-api@7e406f8c.yaml": Outcome(
        (("PG312", 15), ("PG312", 26)), "deploy and promote by default use what their own stage publishes: nothing"
    ),
    "older/wikimedia__wikibase-termbox@6d03cf02.yaml": Outcome((("PG305", 25),), "a binding of another pipeline"),
    "older/wikimedia__wikibase-termbox@a63ff298.yaml": Outcome((("PG305", 32),), "a binding of another pipeline"),
    "older/wikimedia__wikimedia-toolhub@36631530.yaml": Outcome((("PG311", 10),), "run without a built image"),
}

TABLE = SCHEMA | SEMANTIC

# Accepted with a warning: `run: {}` runs nothing in PipelineLib, which handles an empty map like a missing one.
WARNED = ("newest/wikimedia__mediawiki-tools-scap.yaml",)
