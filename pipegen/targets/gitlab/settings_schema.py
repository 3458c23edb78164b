"""The schema of the `targets.gitlab` section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipegen.shell.defaults import PromoteSettings
from pipegen.shell.host import Images
from pipegen.targets.gitlab.memory import LIMIT
from pipegen.targets.gitlab.settings import FOLDER, TAG, GitLabSettings, MailVariables, Tools

# Written unchanged into texts that GitLab expands and that the shell quotes.
_WORD: Mapping[str, object] = {"type": "string", "pattern": r"^[^\s\"'`$\\{}]+$"}
# Also expanded by the shell, between double quotes.
_REF: Mapping[str, object] = {
    "type": "string",
    "pattern": r"^([^\s\"'`$\\{}]|\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\})+$",
}
# Images are in no script; runners expand their variables, such as $CI_DEPENDENCY_PROXY_GROUP_IMAGE_PREFIX.
_IMAGE: Mapping[str, object] = {"type": "string", "pattern": r"^[^\s\"'`\\]+$"}
# GitLab puts it between double quotes of a shell, where only GitLab's variables may be expanded.
_SHOWN: Mapping[str, object] = {"type": "string", "pattern": r"^(?![\s\S]*\$\()[^\"`\\]+$"}
_PATH: Mapping[str, object] = {"type": "string", "pattern": r"^(?!/)[^\s\"'`$\\]+$"}
_VARIABLE: Mapping[str, object] = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
_ID: Mapping[str, object] = {"type": "string", "minLength": 1}


def _object(description: str, /, **properties: object) -> dict[str, object]:
    return {"type": "object", "description": description, "additionalProperties": False, "properties": properties}


def _described(kind: Mapping[str, object], description: str, default: str | None = None) -> dict[str, object]:
    return {**kind, "description": description, **({"default": default} if default is not None else {})}


_TOOLS = _object(
    "The images that jobs run in; `images: local` uses none.",
    docker=_described(_IMAGE, "The image of jobs that run containers.", Tools().docker),
    dind=_described(_IMAGE, "The service in which the containers run.", Tools().dind),
    helm=_described(_IMAGE, "The image of jobs that call helm and run no containers.", Tools().helm),
    git=_described(_IMAGE, "The image of jobs that only propose new chart versions.", Tools().git),
    shell=_described(_IMAGE, "The image of jobs that need a shell and no other tool.", Tools().shell),
    release=_described(_IMAGE, "The image of a job that creates a release.", Tools().release),
    curl=_described(_IMAGE, "The image of jobs that send mail, or start pipelines with computed values.", Tools().curl),
)
_WORKFLOW = _object(
    "Settings of the whole pipeline.",
    name=_described({"type": "string", "minLength": 1}, "The name that GitLab shows for a pipeline."),
    rules={
        "type": "array",
        "items": {"type": "object", "minProperties": 1},
        "description": "GitLab rules that come before the rules that pipegen generates.",
    },
    duplicates={
        "type": "boolean",
        "default": False,
        "description": "A push to a branch with an open merge request starts a pipeline next to that of the merge "
        "request.",
    },
)
_INCLUDED = {
    **_object(
        "A file of GitLab, another project or a server, with GitLab's keys.",
        local=_described(_ID, "The path of a file in this repository."),
        project=_described(_ID, "The project that contains `file`."),
        file={
            "anyOf": [_ID, {"type": "array", "minItems": 1, "items": _ID}],
            "description": "The path of a file in `project`, or a list.",
        },
        ref=_described(_ID, "The tag, commit or branch of `project`."),
        template=_described(_ID, "A template of GitLab."),
        remote=_described(_ID, "The address of a file."),
        integrity=_described(_ID, "The hash of the file at `remote`."),
        component=_described(_ID, "A component, with its version after `@`."),
        inputs={"type": "object", "description": "The inputs of the file."},
        rules={
            "type": "array",
            "items": {"type": "object", "minProperties": 1},
            "description": "GitLab rules that decide whether the file is included.",
        },
    ),
    "oneOf": [{"required": [key]} for key in ("local", "project", "template", "remote", "component")],
    "dependentRequired": {"project": ["file"], "file": ["project"], "ref": ["project"], "integrity": ["remote"]},
}
_OTHER_JOB = {
    **_object(
        "A job of another project or pipeline, with the keys of GitLab's `needs`, in which it expands variables.",
        project=_described(_ID, "The project of the job."),
        pipeline=_described(_ID, "The ID of the pipeline of the job, such as that of a parent pipeline."),
        job=_described(_ID, "The name of the job."),
        ref=_described(_ID, "The branch or tag of `project`."),
    ),
    "required": ["job"],
    "oneOf": [{"required": ["project"]}, {"required": ["pipeline"]}],
    "dependentRequired": {"project": ["ref"], "ref": ["project"]},
}
_OTHER_FILES = {
    **_object(
        "Stages with the same jobs.",
        stages={
            "type": "array",
            "minItems": 1,
            "items": _ID,
            "description": "The stages that get the files; if several pipelines have a stage of this name, "
            "`pipeline: stage`.",
        },
        jobs={"type": "array", "minItems": 1, "items": _OTHER_JOB, "description": "The jobs that left the files."},
    ),
    "required": ["stages", "jobs"],
}
_PAGES = {
    **_object(
        "The website of the project, GitLab Pages.",
        stage=_described(
            _ID, "The stage that creates it; if several pipelines have a stage of this name, `pipeline: stage`."
        ),
        publish=_described(_PATH, "The folder that is published, from the root of the repository.", FOLDER),
    ),
    "required": ["stage"],
}
_RELEASE_LINK = {
    **_object(
        "A link among the assets of a release.",
        name=_described(_SHOWN, "The text of the link."),
        url=_described(_SHOWN, "The address of the file."),
        filepath=_described(_SHOWN, "The path of a permanent address for the link, which begins with a slash."),
        type={
            "enum": ["other", "runbook", "image", "package"],
            "default": "other",
            "description": "The type of the file.",
        },
    ),
    "required": ["name", "url"],
}
_RELEASE: dict[str, Any] = {
    **_object(
        "A release, created after a stage has succeeded, or a list of releases.",
        stage=_described(_ID, "The stage; without an image of its own, it runs in `tools.release`."),
        tag=_described(_SHOWN, "The tag of the release.", TAG),
        name=_described(_SHOWN, "The name of the release; the tag by default."),
        description=_described(
            _SHOWN, "The description of the release, or the path of a file that contains it.", f"Release {TAG}"
        ),
        ref=_described(
            _SHOWN, "The commit or branch that GitLab tags if the tag does not exist; by default, the built commit."
        ),
        milestones={
            "type": "array",
            "minItems": 1,
            "items": _SHOWN,
            "description": "The milestones of the release.",
        },
        links={
            "type": "array",
            "minItems": 1,
            "items": _RELEASE_LINK,
            "description": "Links among the assets of the release: `name`, `url`, `filepath` and `type`.",
        },
    ),
    "required": ["stage"],
}
_RELEASES = {**_RELEASE, "type": ["object", "array"], "minItems": 1, "items": _RELEASE}
_PROMOTE = _object(
    "The destination of proposed chart versions.",
    repository=_described(_WORD, "The git repository of the deployment charts.", PromoteSettings().repository),
    branch=_described(_WORD, "The branch that receives the changes.", PromoteSettings().branch),
    credential=_described(_ID, "The credential that may push there.", PromoteSettings().credential),
)
_PROJECT = {
    **_object(
        "A project, and the branch or tag whose pipeline is started.",
        project=_described(_WORD, "The path of the project."),
        branch=_described(
            _REF,
            "The branch or tag, which may contain CI/CD variables; by default, the default branch (with computed "
            "values, the one of this project).",
        ),
    ),
    "required": ["project"],
}
_MAIL = _object(
    "The CI/CD variables for sending mail; without this section, no mail is sent.",
    server=_described(
        _VARIABLE,
        "The variable that holds the mail server, such as smtp://mail.example.org:25.",
        MailVariables().server,
    ),
    sender=_described(_VARIABLE, "The variable that holds the sender's address.", MailVariables().sender),
)
SCHEMA: Mapping[str, object] = _object(
    "Settings for GitLab.",
    images={
        "enum": [images.value for images in (Images.REGISTRY, Images.LOCAL)],
        "default": GitLabSettings().images.value,
        "description": "How other jobs get images: `registry` pushes and pulls them, `local` stores them in the "
        "container engine of the single shell runner that runs all jobs.",
    },
    tags={"type": "array", "items": _ID, "description": "The tags of the runners that run the jobs."},
    workflow=_WORKFLOW,
    include={
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": [_ID, _INCLUDED]},
        "description": "Templates, components and other files that the generated file includes, as in GitLab's "
        "`include`. pipegen does not see their jobs.",
    },
    include_stages={
        "type": "object",
        "additionalProperties": {"type": ["string", "null"]},
        "description": "The GitLab stages of included jobs: the name of each, and the stage of the config that it "
        "comes after; without a value, it comes first.",
    },
    files_from={
        "type": "array",
        "minItems": 1,
        "items": _OTHER_FILES,
        "description": "Jobs of other projects and pipelines whose artifacts stages get, which pipegen does not see.",
    },
    id_tokens={
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "additionalProperties": {"anyOf": [_ID, {"type": "array", "minItems": 1, "items": _ID}]},
        "description": "ID tokens for every job, as variables, each with its audience.",
    },
    runner_variables={
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "description": "Variables for GitLab's runner, in every job, such as `GET_SOURCES_ATTEMPTS`. GitLab expands "
        "its own variables, and those of the project, in their values.",
    },
    pages=_PAGES,
    release=_RELEASES,
    tools=_TOOLS,
    registry=_described(_WORD, "The registry to publish to; by default, the registry of the project."),
    repository=_described(_WORD, "The path in the registry; by default, the path of the project."),
    registry_credential=_described(_ID, "The credential of the registry; by default, the credential of the job."),
    namespace=_described(_WORD, "The Kubernetes namespace that charts are installed in.", GitLabSettings().namespace),
    charts=_described(_WORD, "The address of the helm chart repository.", GitLabSettings().charts),
    frontend=_described(_WORD, "The BuildKit frontend of blubberfiles that name none.", GitLabSettings().frontend),
    promote=_PROMOTE,
    projects={
        "type": "object",
        "additionalProperties": {"oneOf": [_described(_WORD, "The path of the project."), _PROJECT]},
        "description": "The project whose pipeline each trigger starts, by the name of the trigger.",
    },
    mail=_MAIL,
    max_yaml_size_bytes={
        "type": "integer",
        "minimum": 1,
        "default": LIMIT,
        "description": "The value of this setting on the GitLab server: the maximum memory of a parsed file. The jobs "
        "of a larger file go into files that it includes.",
    },
    version={
        "type": "string",
        "pattern": r"^[0-9]{1,3}\.[0-9]{1,3}$",
        "examples": ["16.11"],
        "description": "The version of the GitLab server, in quotes: `'16.11'`. A feature of a newer version is an "
        "error. Before 17.3, `max_yaml_size_bytes` is 1 MiB by default.",
    },
)
