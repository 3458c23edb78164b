"""Configs with one text at one position of the language, by the name of the position."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from robust.hostile.round import Keys
from robust.hostile.texts import written

from pipegen.config.schema.file import gitlab_reports

Config = Callable[[str], Keys]
ZEROS = "0" * 64
KINDS_OF_REPORTS = sorted({*gitlab_reports(), "sarif"})


def stage(**keys: object) -> Keys:
    """Return a config of one stage."""
    return piped({"name": "a", "script": ["true"], **keys})


def piped(*stages: object, **keys: object) -> Keys:
    """Return a config of one pipeline."""
    return {"pipelines": {"p": {**keys, "stages": list(stages)}}}


def steps(**keys: object) -> Keys:
    """Return a config of one stage with steps of PipelineLib."""
    return piped({"name": "a", **keys})


def service(**keys: object) -> Keys:
    """Return a config whose stage has a service."""
    return stage(image="a", services=[{"image": "b", **keys}])


def pod(**keys: object) -> Keys:
    """Return a config whose stage runs in a pod with another container."""
    return stage(agent={"kubernetes": {"image": "a", "containers": [{"name": "b", "image": "c", **keys}]}})


def cache(**keys: object) -> Keys:
    """Return a config whose stage has a cache."""
    return stage(cache={"paths": ["kept/"], **keys})


def listed(key: str, inner: str) -> Config:
    """Return a function for configs whose stage has a list with one text below two keys."""
    return lambda text: stage(**{key: {inner: [text]}})


def report(kind: str) -> Config:
    """Return a function for configs whose stage has a report of a *kind* at one path."""
    return lambda text: stage(reports={kind: text})


def final(status: str) -> Config:
    """Return a function for configs with a stage of one name in `finally`, for a *status*."""
    return lambda text: piped(
        {"name": "a", "script": ["true"]}, {"name": text, "script": ["true"]}, **{"finally": {status: [text]}}
    )


def blubberfile(name: str, value: str) -> Keys:
    """Return a blubberfile with *value* under *name*."""
    return {"version": "v4", "variants": {"a": {}}, written(name): written(value)}


def plugin_steps(jenkins: object) -> Keys:
    """Return a config of one stage with steps of plugins of *jenkins*."""
    return stage(steps={"jenkins": jenkins, "elsewhere": "skip"})


PLACES: Mapping[str, Config] = {
    "pipelines.{}": lambda text: {"pipelines": {text: {"stages": [{"name": "a", "script": ["true"]}]}}},
    "inputs.{}": lambda text: {"inputs": {text: "x"}, **stage()},
    "templates.{}": lambda text: {"templates": {text: {"script": ["true"]}}, **piped({"name": "a", "extends": text})},
    "include": lambda text: {"include": text, **stage()},
    "include.[]": lambda text: {"include": [text], **stage()},
    "targets.{}": lambda text: {"targets": {text: {}}, **stage()},
    "targets.*.{}": lambda text: {"targets": {"gitlab": {text: "a"}, "jenkins": {text: "a"}}, **stage()},
    "targets.*.*": lambda text: {"targets": {"gitlab": {"images": text}, "jenkins": {"agent": text}}, **stage()},
    "input": lambda text: {"inputs": {"x": text}, **stage()},
    "input.description": lambda text: {"inputs": {"x": {"description": text, "default": "x"}}, **stage()},
    "input.default": lambda text: {"inputs": {"x": {"default": text}}, **stage(script=["echo ${inputs.x}"])},
    "input.choices.[]": lambda text: {"inputs": {"x": {"choices": [text, "y"]}}, **stage()},
    "input.pattern": lambda text: {"inputs": {"x": {"pattern": text, "default": "x"}}, **stage()},
    "image": lambda text: stage(image=written(text)),
    "image.name": lambda text: stage(image={"name": written(text)}),
    "image.entrypoint.[]": lambda text: stage(image={"name": "a", "entrypoint": [text]}),
    "image.dockerfile": lambda text: stage(image={"dockerfile": text}),
    "image.context": lambda text: stage(image={"dockerfile": "Dockerfile", "context": text}),
    "image.build_args.*": lambda text: stage(image={"dockerfile": "Dockerfile", "build_args": {"A": text}}),
    "image.build_args.{}": lambda text: stage(image={"dockerfile": "Dockerfile", "build_args": {text: "v"}}),
    "image.user": lambda text: stage(image={"name": "a", "user": text}),
    "image.args.[]": lambda text: stage(image={"name": "a", "args": [text]}),
    "image.credentials": lambda text: stage(image={"name": "a", "credentials": text}),
    "pod.image": lambda text: stage(agent={"kubernetes": {"image": text}}),
    "pod.yaml": lambda text: stage(agent={"kubernetes": {"yaml": text}}),
    "pod.cloud": lambda text: stage(agent={"kubernetes": {"image": "a", "cloud": text}}),
    "pod.namespace": lambda text: stage(agent={"kubernetes": {"image": "a", "namespace": text}}),
    "pod.container": lambda text: stage(agent={"kubernetes": {"yaml": "a", "container": text}}),
    "pod.labels": lambda text: stage(agent={"kubernetes": {"image": "a"}, "labels": text}),
    "pod.labels.[]": lambda text: stage(agent={"kubernetes": {"image": "a"}, "labels": [text]}),
    "pod.containers.image": lambda text: pod(image=text),
    "pod.containers.name": lambda text: pod(name=text),
    "pod.containers.command.[]": lambda text: pod(command=[text]),
    "pod.containers.env.*": lambda text: pod(env={"V": text}),
    "pod.containers.env.{}": lambda text: pod(env={text: "v"}),
    "stage.tools.*": lambda text: stage(tools={"jdk": text}),
    "stage.tools.{}": lambda text: stage(tools={text: "a"}),
    "service": lambda text: stage(image="a", services=[written(text)]),
    "service.image": lambda text: service(image=written(text), alias="b"),
    "service.alias": lambda text: service(alias=text),
    "service.env.*": lambda text: service(env={"V": text}),
    "service.env.{}": lambda text: service(env={text: "v"}),
    "service.command.[]": lambda text: service(command=[text]),
    "service.ready": lambda text: service(ready=text),
    "secret": lambda text: stage(secrets={"S": text}),
    "secret.text": lambda text: stage(secrets={"S": {"text": text}}),
    "secret.file": lambda text: stage(secrets={"S": {"file": text}}),
    "secret.password": lambda text: stage(secrets={"S": {"password": text}}),
    "secret.ssh_key": lambda text: stage(secrets={"S": {"ssh_key": text}}),
    "secret.id_token": lambda text: stage(secrets={"S": {"id_token": text}}),
    "secret.id_token.[]": lambda text: stage(secrets={"S": {"id_token": [text]}}),
    "stage.secrets.{}": lambda text: stage(secrets={text: "s"}),
    "stage.artifacts.[]": lambda text: stage(artifacts=[text]),
    "artifacts.paths.[]": lambda text: stage(artifacts={"paths": [text]}),
    "artifacts.exclude.[]": lambda text: stage(artifacts={"paths": ["a/"], "exclude": [text]}),
    "artifacts.name": lambda text: stage(artifacts={"paths": ["a/"], "name": written(text)}),
    "artifacts.expire": lambda text: stage(artifacts={"paths": ["a/"], "expire": text}),
    "artifacts.expose_as": lambda text: stage(artifacts={"paths": ["a/"], "expose_as": text}),
    "reports.coverage": lambda text: stage(reports={"coverage": text}),
    "coverage.path": lambda text: stage(reports={"coverage": {"path": text}}),
    "coverage.percent": lambda text: stage(reports={"coverage": {"percent": text}}),
    **{f"reports.{kind}": report(kind) for kind in KINDS_OF_REPORTS},
    **{f"reports.{kind}.[]": listed("reports", kind) for kind in KINDS_OF_REPORTS},
    "cache.paths.[]": lambda text: cache(paths=[text]),
    "cache.key": lambda text: cache(key=written(text)),
    "cache.key.files.[]": lambda text: cache(key={"files": [text]}),
    "cache.key.prefix": lambda text: cache(key={"files": ["see"], "prefix": written(text)}),
    "cache.fallback.[]": lambda text: cache(key="k", fallback=[written(text)]),
    "when.branch": lambda text: stage(when={"branch": text}),
    "when.tag": lambda text: stage(when={"tag": text}),
    "when.event": lambda text: stage(when={"event": text}),
    "when.changes": lambda text: stage(when={"changes": text}),
    "when.changes.paths": lambda text: stage(when={"changes": {"paths": text}}),
    "when.changes.base": lambda text: stage(when={"changes": {"paths": ["a"], "base": text}}),
    "when.exists": lambda text: stage(when={"exists": text}),
    "when.inputs.*": lambda text: {"inputs": {"x": "y"}, **stage(when={"inputs": {"x": text}})},
    "when.env.*": lambda text: stage(when={"env": {"X": text}}),
    **{f"when.{key}.[]": listed("when", key) for key in ("branch", "tag", "changes", "exists")},
    "when.equal.[]": lambda text: stage(when={"equal": ["branch", text]}),
    "when.changes.paths.[]": lambda text: stage(when={"changes": {"paths": [text]}}),
    "when.inputs.*.[]": lambda text: {"inputs": {"x": "y"}, **stage(when={"inputs": {"x": [text]}})},
    "when.inputs.{}": lambda text: {"inputs": {"x": "y"}, **stage(when={"inputs": {text: "y"}})},
    "when.env.*.[]": lambda text: stage(when={"env": {"X": [text]}}),
    "when.env.{}": lambda text: stage(when={"env": {text: "x"}}),
    "matrix.*.[]": lambda text: stage(matrix={"axis": [text]}, script=["echo ${matrix.axis}"]),
    "matrix.{}": lambda text: stage(matrix={text: ["a"]}),
    "matrix.include.[].*": lambda text: stage(matrix={"axis": ["a"], "include": [{"axis": text}]}),
    "matrix.exclude.[].*": lambda text: stage(matrix={"axis": ["a", text], "exclude": [{"axis": text}]}),
    "matrix.include.[].{}": lambda text: stage(matrix={"include": [{text: "a"}]}),
    "matrix.exclude.[].{}": lambda text: stage(matrix={"axis": ["a", "b"], "exclude": [{text: "a"}]}),
    "matrix.from": lambda text: stage(matrix={"from": text}),
    "schedule": lambda text: piped({"name": "a", "script": ["true"]}, schedule=text),
    "schedule.cron": lambda text: piped({"name": "a", "script": ["true"]}, schedule={"cron": text}),
    "schedule.timezone": lambda text: piped(
        {"name": "a", "script": ["true"]}, schedule={"cron": "0 3 * * *", "timezone": text}
    ),
    "pipeline.directory": lambda text: piped({"name": "a", "script": ["true"]}, directory=text),
    "pipeline.execution": lambda text: piped({"name": text, "script": ["true"]}, execution=[[text]]),
    "pipeline.execution.[].[].[]": lambda text: piped({"name": text, "script": ["true"]}, execution=[[[text]]]),
    "pipeline.finally.[]": lambda text: piped(
        {"name": "a", "script": ["true"]}, {"name": text, "script": ["true"]}, **{"finally": [text]}
    ),
    **{f"pipeline.finally.{status}.[]": final(status) for status in ("always", "failed", "success")},
    "pipeline.timeout": lambda text: piped({"name": "a", "script": ["true"]}, timeout=text),
    "pipeline.concurrency": lambda text: piped({"name": "a", "script": ["true"]}, concurrency=text),
    "concurrency.group": lambda text: piped({"name": "a", "script": ["true"]}, concurrency={"group": text}),
    "stage.name": lambda text: stage(name=text),
    "stage.description": lambda text: stage(description=text),
    "stage.directory": lambda text: stage(directory=text),
    "stage.script": lambda text: stage(script=[text]),
    "stage.before": lambda text: stage(before=[text]),
    "stage.before, a text": lambda text: stage(before=text),
    "stage.after": lambda text: stage(after=[text]),
    "stage.script, a text": lambda text: stage(script=text),
    "stage.after, a text": lambda text: stage(after=text),
    "stage.env.*": lambda text: stage(env={"V": written(text)}),
    "stage.env.{}": lambda text: stage(env={text: "v"}),
    "stage.cases.env.*": lambda text: stage(cases=[{"when": {"branch": "main"}, "env": {"V": written(text)}}]),
    "stage.env.* of a case": lambda text: stage(
        env={"V": written(text)}, cases=[{"when": {"branch": "main"}, "env": {"V": "${setup.branch}"}}]
    ),
    "stage.cases.env.{}": lambda text: stage(cases=[{"when": {"branch": "main"}, "env": {text: "v"}}]),
    "stage.outputs.[]": lambda text: stage(outputs=[text]),
    "stage.outputs.{}": lambda text: stage(outputs={text: {"command": "true"}}),
    "output.command": lambda text: stage(outputs={"v": {"command": text}}),
    "output.file": lambda text: stage(outputs={"v": {"file": written(text)}}),
    "stage.files_from.[]": lambda text: stage(files_from=[text]),
    "stage.extends.[]": lambda text: stage(extends=[text]),
    "stage.extends": lambda text: stage(extends=text),
    "stage.pipeline": lambda text: steps(pipeline=text),
    "stage.agent.[]": lambda text: stage(agent=[text]),
    "stage.agent": lambda text: stage(agent=text),
    "stage.resources.cpu": lambda text: stage(resources={"cpu": text}),
    "stage.resources.memory": lambda text: stage(resources={"memory": text}),
    "resources.limits.cpu": lambda text: stage(resources={"limits": {"cpu": text}}),
    "resources.limits.memory": lambda text: stage(resources={"limits": {"memory": text}}),
    "stage.fetch.path": lambda text: stage(fetch={"path": text}),
    "stage.timeout": lambda text: stage(timeout=text),
    "environment.auto_stop_in": lambda text: stage(environment={"name": "e", "auto_stop_in": text}),
    "environment.kubernetes.agent": lambda text: stage(environment={"name": "e", "kubernetes": {"agent": text}}),
    "environment.kubernetes.namespace": lambda text: stage(
        environment={"name": "e", "kubernetes": {"agent": "a", "namespace": written(text)}}
    ),
    "environment.tier": lambda text: stage(environment={"name": "e", "tier": text}),
    "environment.action": lambda text: stage(environment={"name": "e", "action": text}),
    "stage.approve": lambda text: stage(approve=text),
    "approve.message": lambda text: stage(approve={"message": text}),
    "approve.approvers.[]": lambda text: stage(approve={"message": "go?", "approvers": [text]}),
    "approve.message, optional": lambda text: stage(approve={"message": text, "optional": True}),
    "approve.approvers.[], optional": lambda text: stage(approve={"approvers": [text], "optional": True}),
    "approve.when.changes": lambda text: stage(approve={"optional": True, "when": {"not": {"changes": text}}}),
    "approve.when.exists": lambda text: stage(approve={"when": {"exists": text}}),
    "approve.timeout": lambda text: stage(approve={"optional": True, "timeout": text}),
    "approve.delay": lambda text: stage(approve={"delay": text}),
    "stage.environment": lambda text: stage(environment=written(text)),
    "environment.name": lambda text: stage(environment={"name": written(text)}),
    "environment.url": lambda text: stage(environment={"name": "a", "url": written(text)}),
    "environment.on_stop": lambda text: stage(environment={"name": "a", "on_stop": text}),
    "stage.runner_variables.{}": lambda text: stage(runner_variables={text: "v"}),
    "runner_variables.FF_USE_FASTZIP": lambda text: stage(runner_variables={"FF_USE_FASTZIP": text}),
    "stage.lock.[]": lambda text: stage(lock=[text]),
    "stage.lock": lambda text: stage(lock=text),
    "reuse.files.[]": lambda text: stage(reuse={"files": [text]}),
    "reuse.env.[]": lambda text: stage(reuse={"env": [text]}),
    "steps.jenkins.[]": lambda text: plugin_steps([text, {"echo": text}]),
    "steps.jenkins.[].{}": lambda text: plugin_steps([{text: "a"}]),
    "steps.jenkins.before.[]": lambda text: plugin_steps({"before": [text, {"echo": text}]}),
    "steps.jenkins.before.[].{}": lambda text: plugin_steps({"before": [{text: "a"}]}),
    "steps.jenkins.around.[]": lambda text: plugin_steps({"around": [text, {"withMaven": text}]}),
    "steps.jenkins.around.[].{}": lambda text: plugin_steps({"around": [{text: "a"}]}),
    "steps.jenkins.after.[]": lambda text: plugin_steps({"after": [text, {"echo": text}]}),
    "steps.jenkins.after.[].{}": lambda text: plugin_steps({"after": [{text: "a"}]}),
    "steps.jenkins.always.[]": lambda text: plugin_steps({"always": [text, {"echo": text}]}),
    "steps.jenkins.always.[].{}": lambda text: plugin_steps({"always": [{text: "a"}]}),
    "steps.jenkins.failure.[]": lambda text: plugin_steps({"failure": [text, {"echo": text}]}),
    "steps.jenkins.failure.[].{}": lambda text: plugin_steps({"failure": [{text: "a"}]}),
    "stage.raw.{}": lambda text: stage(raw={text: {"x": 1}}),
    "raw.gitlab": lambda text: stage(raw={"gitlab": {"coverage": text}}),
    "stage.raw.*.{}": lambda text: stage(raw={"gitlab": {text: "a"}}),
    "stage.blubberfile": lambda text: steps(blubberfile=written(text)),
    "pipeline.blubberfile": lambda text: piped({"name": "a"}, blubberfile=written(text)),
    "stage.blubberfile.*": lambda text: steps(blubberfile=blubberfile("x", text)),
    "stage.blubberfile.{}": lambda text: steps(blubberfile=blubberfile(text, "x")),
    "pipeline.blubberfile.*": lambda text: piped({"name": "a"}, blubberfile=blubberfile("x", text)),
    "pipeline.blubberfile.{}": lambda text: piped({"name": "a"}, blubberfile=blubberfile(text, "x")),
    "stage.build": lambda text: steps(build=written(text)),
    "build.variant": lambda text: steps(build={"variant": written(text)}),
    "build.context": lambda text: steps(build={"variant": "a", "context": written(text)}),
    "build.excludes": lambda text: steps(build={"variant": "a", "excludes": [written(text)]}),
    "build.imagePullPolicy": lambda text: steps(build={"variant": "a", "imagePullPolicy": written(text)}),
    "run.image": lambda text: steps(run={"image": written(text)}),
    "run.arguments.[]": lambda text: steps(build="a", run={"arguments": [written(text)]}),
    "run.env.*": lambda text: steps(build="a", run={"env": {"V": written(text)}}),
    "run.env.{}": lambda text: steps(build="a", run={"env": {written(text): "v"}}),
    "credential.id": lambda text: steps(build="a", run={"credentials": [{"id": written(text), "name": "V"}]}),
    "credential.name": lambda text: steps(build="a", run={"credentials": [{"id": "a", "name": written(text)}]}),
    "credential.usernameVariable": lambda text: credential(usernameVariable=written(text), passwordVariable="P"),
    "credential.passwordVariable": lambda text: credential(usernameVariable="U", passwordVariable=written(text)),
    "credential.keyFileVariable": lambda text: credential(keyFileVariable=written(text)),
    "copy": lambda text: steps(run={"image": ZEROS}, copy=[written(text)]),
    "copy.from": lambda text: steps(run={"image": ZEROS}, copy=[{"from": written(text), "source": "/a"}]),
    "copy.source": lambda text: steps(run={"image": ZEROS}, copy=[{"source": written(text), "destination": "a"}]),
    "copy.destination": lambda text: steps(run={"image": ZEROS}, copy=[{"source": "/a", "destination": written(text)}]),
    "image.id": lambda text: steps(publish={"image": {"id": written(text)}}),
    "publish.image.name": lambda text: steps(publish={"image": {"id": ZEROS, "name": written(text)}}),
    "publish.image.tag": lambda text: steps(publish={"image": {"id": ZEROS, "tag": written(text)}}),
    "publish.image.tags": lambda text: steps(publish={"image": {"id": ZEROS, "tags": [written(text)]}}),
    "promotion.chart": lambda text: steps(promote=[{"chart": written(text), "version": "v"}]),
    "promotion.environments": lambda text: steps(
        promote=[{"chart": "c", "version": "v", "environments": [written(text)]}]
    ),
    "promotion.version": lambda text: steps(promote=[{"chart": "c", "version": written(text)}]),
    "deploy.image": lambda text: deploy(image=written(text)),
    "deploy.tag": lambda text: deploy(tag=written(text)),
    "deploy.timeout": lambda text: deploy(timeout=text),
    "deploy.chart.name": lambda text: deploy(chart={"name": written(text)}),
    "deploy.chart.version": lambda text: deploy(chart={"name": "c", "version": written(text)}),
    "deploy.overrides": lambda text: deploy(overrides={"a": written(text), written(text): "a"}),
    "stage.exports.*": lambda text: stage(exports={"e": written(text)}),
    "stage.exports.{}": lambda text: stage(exports={text: "e"}),
    "trigger.name": lambda text: steps(trigger={"name": text}),
    "trigger.include": lambda text: steps(trigger={"include": text}),
    "trigger.include.[]": lambda text: steps(trigger={"include": [text]}),
    "trigger.include.[].artifact": lambda text: steps(trigger={"include": [{"artifact": text, "stage": "a"}]}),
    "trigger.include.[].stage": lambda text: steps(trigger={"include": [{"artifact": "a.yml", "stage": text}]}),
    "trigger.parameters.*": lambda text: steps(trigger={"name": "other", "parameters": {"P": written(text)}}),
    "trigger.parameters.{}": lambda text: steps(trigger={"name": "other", "parameters": {text: "p"}}),
    "notify.webhook.url": lambda text: piped(
        {"name": "a", "script": ["true"]}, notify={"webhook": {"url": written(text)}}
    ),
    "notify.webhook.text": lambda text: piped(
        {"name": "a", "script": ["true"]}, notify={"webhook": {"url": "chat", "text": written(text)}}
    ),
    "notify.webhook.field": lambda text: piped(
        {"name": "a", "script": ["true"]}, notify={"webhook": {"url": "chat", "field": text}}
    ),
    "notify.webhook.on": lambda text: piped(
        {"name": "a", "script": ["true"]}, notify={"webhook": {"url": "chat", "on": text}}
    ),
    "stage.notify.webhook.url": lambda text: stage(notify={"webhook": {"url": written(text)}}),
    "stage.notify.webhook.text": lambda text: stage(notify={"webhook": {"url": "chat", "text": written(text)}}),
    "stage.notify.webhook.field": lambda text: stage(notify={"webhook": {"url": "chat", "field": text}}),
    "stage.notify.webhook.on": lambda text: stage(notify={"webhook": {"url": "chat", "on": text}}),
    "notify.email.to, a text": lambda text: stage(notify={"email": {"to": written(text)}}),
    "notify.email.to": lambda text: stage(notify={"email": {"to": [written(text)]}}),
    "notify.email.subject": lambda text: stage(notify={"email": {"to": ["a@b.c"], "subject": written(text)}}),
    "notify.email.body": lambda text: stage(notify={"email": {"to": ["a@b.c"], "body": written(text)}}),
    "each.$in, a text": lambda text: each(**{"$in": written(text)}),
    "each.$each.[]": lambda text: each(**{"$each": [text], "$in": ["a"]}),
    "each.$each": lambda text: each(**{"$each": text}),
    "each.$in": lambda text: each(**{"$in": [written(text)]}),
    "each.$delimiter": lambda text: each(**{"$in": "a b", "$delimiter": text}),
    "each.$yield": lambda text: each(**{"$yield": written(text)}),
    "merge.$merge": lambda text: steps(run={"image": ZEROS, "arguments": {"$merge": [written(text)], "$with": []}}),
    "merge.$with": lambda text: steps(run={"image": ZEROS, "arguments": {"$merge": [], "$with": [written(text)]}}),
    "merge.$merge, a text": lambda text: stage(exports={"e": {"$merge": written(text), "$with": "a"}}),
    "merge.$with, a text": lambda text: stage(exports={"e": {"$merge": "a", "$with": written(text)}}),
    "default": lambda text: stage(script=["echo ${setup.tag|" + text.replace("}", "") + "}"]),
}


def credential(**keys: object) -> Keys:
    """Return a config whose container has a credential."""
    return steps(build="a", run={"credentials": [{"id": "a", **keys}]})


def deploy(**keys: object) -> Keys:
    """Return a config that installs a chart."""
    return steps(deploy={"image": "i", "tag": "t", "chart": {"name": "c"}, **keys})


def each(**keys: object) -> Keys:
    """Return a config whose container gets a computed list."""
    return steps(run={"image": ZEROS, "arguments": {"$each": "x", "$in": ["a"], "$yield": "${.x}", **keys}})
