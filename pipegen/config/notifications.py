"""The webhooks of a pipeline and of its stages, as finally stages that post a message."""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Mapping as ReadOnly

from pipegen.config.model import PipelineConfig, StageConfig, StepValue
from pipegen.numbering import unique_name
from pipegen.source.text import Located, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind, Sequence, items_of, scalars_of, written_text
from pipegen.structs import replace

# The name of a stage whose status others can read.
_READABLE_NAME = r"[A-Za-z0-9_-]+"
_NAME = "notify"
_TEXT = "${setup.project}: pipeline ${setup.pipeline} ended with ${pipeline.status}, ${setup.logURL}"
_STAGE_TEXT = "${setup.project}: stage STAGE ended with ${STAGE.status}, ${setup.logURL}"
_ALWAYS = "always"
# Shell patterns of the results of a stage; a matrix stage has a line for each combination.
_FAILED, _SUCCEEDED = "*failed*", "*success*"
# Results of the pipeline and of the run before that mean that it has been fixed; a timeout aborts a build.
_FIXED = ("'success FAILURE'", "'success ABORTED'")
# Characters that JSON does not allow in a text, and those that it escapes.
_ESCAPE = r"""text=$(printf '%s\n' "$NOTIFICATION" | tr -d '\000-\010\013-\037' | tr '\011' ' ' |
  sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s%s", separator, $0; separator = "\\n" }')"""
# The address is a secret, so it is in no argument, which other processes could see.
_POST = r"""printf 'url = "%s"\n' "$WEBHOOK_URL" |
  curl --config - --fail --silent --show-error --max-time 60 \
    --data "{\"FIELD\": \"$text\"}" --header 'Content-Type: application/json'"""


def with_webhooks(pipeline: PipelineConfig, notify: Node | None) -> PipelineConfig:
    """Return *pipeline* with the stages that post the messages of the webhooks in *notify* and in its stages."""
    of_stages = {
        stage.name.value: _webhook(stage.body.get("notify") if stage.body is not None else None)
        for stage in pipeline.stages
    }
    webhooks = [(name, entry) for name, entry in [("", _webhook(notify)), *of_stages.items()] if entry is not None]
    if not webhooks:
        return pipeline
    unreadable = {name: entry.key.span for name, entry in webhooks if name and not re.fullmatch(_READABLE_NAME, name)}
    taken = {stage.name.value for stage in pipeline.stages}
    stages: list[StageConfig] = []
    for watched, entry in webhooks:
        if watched in unreadable:
            continue
        own = f"{_NAME} {watched}" if watched else _NAME
        name = unique_name(own, taken, "{} {}".format)
        stages.append(_stage(Located(name, entry.key.span), entry, watched))
    named = pipeline.finally_.node if pipeline.finally_ is not None else None
    items = items_of(named)
    span = webhooks[0][1].key.span
    names = (Scalar(stage.name.value, stage.name.span) for stage in stages)
    return replace(
        pipeline,
        stages=(*(_marked(stage, unreadable) for stage in pipeline.stages), *stages),
        finally_=StepValue(Sequence((*items, *names), span), span),
    )


def _marked(stage: StageConfig, unreadable: ReadOnly[str, Span]) -> StageConfig:
    """Return *stage* with the location of its webhook if it is *unreadable*; the plan reports it."""
    name = stage.name.value
    return replace(stage, unreadable_webhook=unreadable[name]) if name in unreadable else stage


def _webhook(notify: Node | None) -> Entry | None:
    """Return the webhook in the value of `notify`."""
    entry = notify.entry("webhook") if isinstance(notify, Mapping) else None
    return entry if entry is not None and isinstance(entry.value, Mapping) else None


def _stage(name: Located[str], entry: Entry, watched: str) -> StageConfig:
    """Return the stage *name* that posts the message in *entry* about the stage *watched*, "" for the pipeline."""
    body, span = entry.value, name.span
    if not isinstance(body, Mapping):
        raise TypeError(entry)
    image, on = body.entry("curl"), body.get("on") or Scalar("failure", span)
    results = [item.text for item in scalars_of(on)]
    status = f"${{{watched or 'pipeline'}.status}}"
    text = _STAGE_TEXT.replace("STAGE", watched) if watched else _TEXT
    values: dict[str, Node] = {"NOTIFICATION": body.get("text") or Scalar(text, span)}
    if watched or _is_fixed(results):
        values["STAGE_STATUS" if watched else "PIPELINE_STATUS"] = Scalar(status, span)
    if _is_fixed(results):
        values["PREVIOUS_RESULT"] = Scalar("${setup.previousResult}", on.span)
    return StageConfig(
        name=name,
        body=Mapping((), span),
        posts=True,
        on_status="" if watched else _only_status(results),
        script=_value(Sequence(tuple(Scalar(line, span) for line in _script(body, results, watched)), span)),
        env=_value(_mapping(span, **values)),
        secrets=_value(_mapping(span, WEBHOOK_URL=body.get("url") or Scalar("", span))),
        image=StepValue(image.value, image.key.span) if image is not None else None,
        # A message that cannot be posted does not change the result.
        allow_failure=_value(Scalar("true", span, ScalarKind.BOOLEAN)),
        timeout=_value(Scalar("5 minutes", span)),
    )


def _script(body: Mapping, results: Collection[str], watched: str) -> tuple[str, ...]:
    """Return the commands that post the message in *body* for the *results* of a stage, or of the pipeline."""
    field = body.get("field")
    key = written_text(field, "text")
    skip = _stage_filter(results) if watched else _pipeline_filter(results)
    return (*skip, _ESCAPE, _POST.replace("FIELD", key))


def _only_status(results: Collection[str]) -> str:
    """Return the status of the pipeline for which alone the message is posted, "" for both."""
    if _ALWAYS in results or {"failure", "success"} <= {*results} or _is_fixed(results):
        return ""
    return "failed" if "failure" in results else "success"


def _pipeline_filter(results: Collection[str]) -> tuple[str, ...]:
    """Return the command that ends the script if the result of the previous run makes a difference, and not this."""
    if not _is_fixed(results):
        return ()
    patterns = (*(("'failed '*",) if "failure" in results else ()), *_FIXED)
    return (f'case "$PIPELINE_STATUS $PREVIOUS_RESULT" in {" | ".join(patterns)}) ;; *) exit 0 ;; esac',)


def _is_fixed(results: Collection[str]) -> bool:
    """Return whether the result of the previous run matters: `fixed` is a success after a failure."""
    return "fixed" in results and not {"success", _ALWAYS} & {*results}


def _stage_filter(results: Collection[str]) -> tuple[str, ...]:
    """Return the command that ends the script for other results than *results*: also for a stage that was skipped."""
    if _ALWAYS in results or {"failure", "success"} <= {*results}:
        return (f'case "$STAGE_STATUS" in {_FAILED} | {_SUCCEEDED}) ;; *) exit 0 ;; esac',)
    if "failure" in results:
        return (f'case "$STAGE_STATUS" in {_FAILED}) ;; *) exit 0 ;; esac',)
    return (f'case "$STAGE_STATUS" in {_FAILED}) exit 0 ;; {_SUCCEEDED}) ;; *) exit 0 ;; esac',)


def _mapping(span: Span, **values: Node) -> Mapping:
    return Mapping(tuple(Entry(Scalar(name, span), value) for name, value in values.items()), span)


def _value(node: Node) -> StepValue:
    return StepValue(node, node.span)
