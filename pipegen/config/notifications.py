"""The webhook of a pipeline, as a finally stage that posts a message."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, count

from pipegen.config.model import PipelineConfig, StageConfig, StepValue
from pipegen.source.text import Located, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind, Sequence
from pipegen.structs import replace

_NAME = "notify"
_TEXT = "${setup.project}: pipeline ${setup.pipeline} ended with ${pipeline.status}, ${setup.logURL}"
_STATUSES = {"failure": "failed", "success": "success"}
# Characters that JSON does not allow in a text, and those that it escapes.
_ESCAPE = r"""text=$(printf '%s\n' "$NOTIFICATION" | tr -d '\000-\010\013-\037' | tr '\011' ' ' |
  sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s%s", separator, $0; separator = "\\n" }')"""
# The address is a secret, so it is in no argument, which other processes could see.
_POST = r"""printf 'url = "%s"\n' "$WEBHOOK_URL" |
  curl --config - --fail --silent --show-error --max-time 60 \
    --data "{\"FIELD\": \"$text\"}" --header 'Content-Type: application/json'"""


def with_webhook(pipeline: PipelineConfig, notify: Node | None) -> PipelineConfig:
    """Return *pipeline* with the stage that posts the message of the webhook in *notify*, if there is one."""
    entry = notify.entry("webhook") if isinstance(notify, Mapping) else None
    if entry is None or not isinstance(entry.value, Mapping):
        return pipeline
    stage = _stage(entry.value, entry.key.span, {stage.name.value for stage in pipeline.stages})
    name = Scalar(stage.name.value, stage.name.span)
    named = pipeline.finally_.node if pipeline.finally_ is not None else None
    items = named.items if isinstance(named, Sequence) else ()
    finally_ = StepValue(Sequence((*items, name), entry.key.span), entry.key.span)
    return replace(pipeline, stages=(*pipeline.stages, stage), finally_=finally_)


def _stage(body: Mapping, span: Span, taken: Collection[str]) -> StageConfig:
    """Return the stage that posts the message in *body*; its name is not among those *taken*."""
    name = next(name for name in chain((_NAME,), (f"{_NAME} {number}" for number in count(2))) if name not in taken)
    image = body.entry("curl")
    return StageConfig(
        name=Located(name, span),
        body=Mapping((), span),
        posts=True,
        script=_value(Sequence(tuple(Scalar(line, span) for line in _script(body)), span)),
        env=_value(
            _mapping(
                span,
                NOTIFICATION=body.get("text") or Scalar(_TEXT, span),
                PIPELINE_STATUS=Scalar("${pipeline.status}", span),
            )
        ),
        secrets=_value(_mapping(span, WEBHOOK_URL=body.get("url") or Scalar("", span))),
        image=StepValue(image.value, image.key.span) if image is not None else None,
        files_from=_value(Sequence((), span)),
        # A message that cannot be posted does not change the result.
        allow_failure=_value(Scalar("true", span, ScalarKind.BOOLEAN)),
        timeout=_value(Scalar("5 minutes", span)),
    )


def _script(body: Mapping) -> tuple[str, ...]:
    """Return the commands that post the message for the results in *body*."""
    node, field = body.get("on"), body.get("field")
    items = node.items if isinstance(node, Sequence) else (node,)
    results = [item.text for item in items if isinstance(item, Scalar)] or ["failure"]
    key = field.text if isinstance(field, Scalar) else "text"
    statuses = [_STATUSES[result] for result in dict.fromkeys(results) if result in _STATUSES]
    is_always = "always" in results or len(statuses) == len(_STATUSES)
    skip = () if is_always else (f'[ "$PIPELINE_STATUS" = {statuses[0]} ] || exit 0',)
    return (*skip, _ESCAPE, _POST.replace("FIELD", key))


def _mapping(span: Span, **values: Node) -> Mapping:
    return Mapping(tuple(Entry(Scalar(name, span), value) for name, value in values.items()), span)


def _value(node: Node) -> StepValue:
    return StepValue(node, node.span)
