"""Generated Jenkinsfiles require no script approval: the sandbox permits all their calls."""

from __future__ import annotations

from engines.jenkins_jvm import available
from engines.requirement import require
from engines.script_security import refused, uses
from robust.sandbox_permissions import generated, unapproved

START = "// Needs the plugin junit.\ndef work(Map arguments, List names, String text) {\n    %s\n}\nwork([:], [], '')\n"


def test_generated_files_require_no_approval() -> None:
    """All goldens, all examples in both styles, and a file with tables."""
    require(available())
    files = generated()
    values = uses({name: file.text for name, file in files.items()})

    assert sum(len(file_uses.words) for file_uses in values.values()) > 1000
    assert unapproved(files, values) == {}


REFUSED = {
    # calls that a real Jenkins rejected
    "names.toArray()": "method java.util.List toArray 0",
    "new File('/etc/passwd')": "new java.io.File 1",
    "System.getenv('HOME')": "static java.lang.System getenv 1",
    "new groovy.json.JsonSlurperClassic()": "new groovy.json.JsonSlurperClassic 0",
    "env['HOME']": "method env getAt 1",
    # methods that are permitted for one type and not for another, and a step of a plugin that the header does not name
    "text.execute()": "method java.lang.String execute 0",
    "names.clear()": "method java.util.List clear 0",
    "arguments.collectEntries { it }": "method java.util.Map collectEntries 1",
    "currentBuild.rawBuild": "property currentBuild rawBuild",
    "text.metaClass": "property java.lang.String metaClass",
    "Jenkins.instance": "field jenkins.model.Jenkins instance",
    "mail to: text": "call mail",
    "httpRequest text": "call httpRequest",
    "hudson": "global hudson",
    "return names as Integer": "cast java.lang.Integer",
    "return text.&trim": "pointer",
}


def test_calls_that_require_approval_are_detected() -> None:
    """Each in its own file; permitted calls next to them are not reported."""
    require(available())
    values = uses({code: START % code for code in REFUSED} | {"fine": START % "junit text; names.add(text.trim())"})

    assert {code: words for code, file_uses in values.items() if (words := refused(file_uses))} == {
        code: (word,) for code, word in REFUSED.items()
    }
