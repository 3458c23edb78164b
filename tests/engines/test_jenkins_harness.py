"""The harness runs Jenkinsfiles like Jenkins: its steps, one by one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from engines.jenkins_harness import Build, Node, SecretFile, SshKey, UsernamePassword
from engines.requirement import require_program

Jenkins = Callable[..., Build]


@pytest.mark.parametrize("shell", ["dash", "bash", ("busybox", "sh")])
def test_sh_runs_in_the_configured_shell(jenkins: Jenkins, shell: str | tuple[str, ...]) -> None:
    """Text without a shebang runs with `-xe`, and stops at a failing command."""
    require_program(shell if isinstance(shell, str) else shell[0])
    build = jenkins(
        """
        node {
            sh 'tr "\\\\0" " " </proc/$$/cmdline >name'
            echo "> ${readFile('name').tokenize()[0]}"
            echo "> ${sh(script: 'false; true', returnStatus: true)}"
            sh 'echo out'
        }
        """,
        shell=shell,
    )

    assert build.echoed() == ["busybox" if isinstance(shell, tuple) else shell, "1"]
    assert "+ echo out" in build.log


def test_functions_read_fields_that_closures_assign(jenkins: Jenkins) -> None:
    """Both are properties of the script: `visitVariableExpression` in `CpsTransformer` of workflow-cps."""
    build = jenkins(
        """
        import groovy.transform.Field
        @Field String changed = ''
        node { changed = "${'some'} files" }
        echo "> ${read()}"
        String read() { return changed }
        """
    )

    assert build.echoed() == ["some files"]


def test_sh_returns_output_and_status(jenkins: Jenkins) -> None:
    """The final newline stays, a shebang selects the interpreter, and a failure has its status."""
    build = jenkins(
        """
        node {
            echo "> [${sh(script: 'printf "a b\\\\n"', returnStdout: true)}]".replace('\\n', 'N')
            echo "> ${sh(script: '#!/bin/bash\\necho ${BASH_VERSION:+bash}', returnStdout: true).trim()}"
            sh 'exit 3'
        }
        """
    )

    assert build.echoed() == ["[a bN]", "bash"]
    assert build.error is not None
    assert build.error.message == "script returned exit code 3"


def test_exports_are_lost_between_steps(jenkins: Jenkins) -> None:
    """Each sh is a separate process."""
    build = jenkins("""node { sh 'export A=b'; echo "> [${sh(script: 'echo -n $A', returnStdout: true)}]" }""")

    assert build.echoed() == ["[]"]


def test_each_allocation_has_a_workspace(jenkins: Jenkins) -> None:
    """Two concurrent ones have two folders; a later one reuses the first with its files."""
    build = jenkins(
        """
        parallel a: { node { echo "> ${pwd().tokenize('/').last()}"; writeFile file: 'left', text: ''; sleep 1 } },
                 b: { node { echo "> ${env.WORKSPACE.tokenize('/').last()}"; sleep 1 } }
        node {
            echo "> ${pwd().tokenize('/').last()} ${fileExists('left')} ${env.WORKSPACE_TMP.tokenize('/').last()}"
        }
        """
    )

    assert build.echoed() == ["demo", "demo@2", "demo true demo@tmp"]


def test_labels_select_the_agent(jenkins: Jenkins) -> None:
    """Names, labels and expressions; an unknown label is an error instead of a wait."""
    build = jenkins(
        """
        node('one') { echo "> ${env.NODE_NAME}" }
        node('linux && !fast') { echo "> ${env.NODE_NAME}" }
        node('fast || windows') { echo "> ${env.NODE_NAME}" }
        node('windows') {}
        """,
        nodes=[Node(name="one", labels=("linux",)), Node(name="two", labels=("linux", "fast"))],
    )

    assert build.echoed() == ["one", "one", "two"]
    assert "no agent has the label" in build.log


def test_processes_end_with_the_allocation(jenkins: Jenkins, tmp_path: Path) -> None:
    """Background processes are stopped when the node block ends."""
    build = jenkins("""node { sh 'sleep 300 & echo "$!" >pid'; echo "> ${readFile('pid').trim()}" }""")
    (pid,) = build.echoed()
    state = Path("/proc", pid, "stat")

    assert not state.exists() or ") Z " in state.read_text()
    assert (tmp_path / "build").is_dir()


def test_a_shell_step_without_a_node_is_rejected(jenkins: Jenkins) -> None:
    """A shell step needs an agent."""
    build = jenkins("sh 'true'")

    assert build.error is not None
    assert build.error.type.endswith("MissingContextVariableException")


def test_files_are_read_and_written(jenkins: Jenkins) -> None:
    """Byte for byte; folders are created, and `dir` is restored."""
    build = jenkins(
        """
        node {
            dir('a/b') {
                writeFile file: 'c', text: 'é$x\\n'
                echo "> ${readFile('c').length()} ${fileExists('c')} ${pwd().endsWith('a/b')}"
            }
            echo "> ${fileExists('a/b/c')} ${readFile(file: 'a/b/c', encoding: 'ISO-8859-1').length()}"
            dir('a') { deleteDir() }
            echo "> ${fileExists('a')}"
        }
        """
    )

    assert build.echoed() == ["4 true true", "true 5", "false"]


def test_a_stash_restores_files_modes_and_links(jenkins: Jenkins) -> None:
    """Patterns are Ant's; another workspace gets executable bits and links."""
    build = jenkins(
        """
        node {
            sh 'mkdir -p out/sub; echo 1 >out/sub/tool; chmod 755 out/sub/tool; ln -s sub/tool out/link; echo 2 >other'
            stash name: 's', includes: 'out/, nothing/**', excludes: '**/other'
            node {
                unstash 's'
                sh 'ls; test -x out/sub/tool; echo "> $(readlink out/link)"'
            }
        }
        """
    )

    assert build.stashes == {"s": ("out/link", "out/sub/tool")}
    assert build.echoed() == ["sub/tool"]
    assert build.result == "SUCCESS"


def test_a_stash_applies_ants_default_excludes(jenkins: Jenkins) -> None:
    """`.git` and `.gitignore` require `useDefaultExcludes: false`; the same name overwrites."""
    build = jenkins(
        """
        node {
            sh 'touch a .gitignore b~'
            stash name: 'default', includes: '**'
            stash name: 'all', includes: '**', useDefaultExcludes: false
            stash name: 'again', includes: 'a'
            stash name: 'again', includes: 'b~', useDefaultExcludes: false
        }
        """
    )

    assert build.stashes == {"default": ("a",), "all": (".gitignore", "a", "b~"), "again": ("b~",)}


def test_an_empty_or_unknown_stash_fails(jenkins: Jenkins) -> None:
    """An empty one can be allowed."""
    build = jenkins(
        """
        node {
            stash name: 'allowed', includes: 'x', allowEmpty: true
            unstash 'allowed'
            try { stash name: 'empty', includes: 'x' } catch (e) { echo "> ${e.message}" }
            try { unstash 'missing' } catch (e) { echo "> ${e.message}" }
        }
        """
    )

    assert build.echoed() == ["No files included in stash ‘empty’", "No such saved stash ‘missing’"]


def test_artifacts_are_archived(jenkins: Jenkins) -> None:
    """Under their own names; a pattern without matches fails unless allowed."""
    build = jenkins(
        """
        node {
            writeFile file: 'out/a.txt', text: 'A'
            writeFile file: 'out/b.log', text: 'B'
            archiveArtifacts artifacts: 'out/**', excludes: '**/*.log', followSymlinks: false
            archiveArtifacts artifacts: 'none', allowEmptyArchive: true
            archiveArtifacts 'none'
        }
        """
    )

    assert {name: path.read_text() for name, path in build.archived.items()} == {"out/a.txt": "A"}
    assert build.result == "FAILURE"


def test_withenv_adds_and_removes_variables(jenkins: Jenkins) -> None:
    """An empty value removes a variable, `$` is literal, and `PATH+X` is prepended."""
    build = jenkins(
        """
        env.A = 'outer'
        node {
            withEnv(['A=inner', 'B=$A-${HOME}-$$', 'PATH+X=/x']) {
                sh 'echo "> $A $B ${PATH%%:*}"'
                env.A = 'set within'
                echo "> ${env.A}"
                withEnv(['A=']) { sh 'echo "> ${A-unset}"'; echo "> ${env.A}" }
            }
            sh 'echo "> $A"'
        }
        """
    )

    assert build.echoed() == ["inner $A-${HOME}-$$ /x", "inner", "unset", "null", "set within"]


def test_credentials_are_bound_and_masked(jenkins: Jenkins) -> None:
    """Each kind is set inside the block, masked in the log, and removed after it."""
    build = jenkins(
        """
        node {
            withCredentials([string(credentialsId: 'text', variable: 'T'), file(credentialsId: 'file', variable: 'F'),
                             usernamePassword(credentialsId: 'pair', usernameVariable: 'U', passwordVariable: 'P'),
                             sshUserPrivateKey(credentialsId: 'key', keyFileVariable: 'K', usernameVariable: 'KU')]) {
                sh 'echo "> $T $P $U $KU"; printf "%s\\\\n" "$T" >seen; cat "$F" "$K" >>seen; echo "$F" >where'
            }
            echo "> ${readFile('seen')}".replace('\\n', '|')
            echo "> ${env.T} ${fileExists(readFile('where').trim())}"
        }
        """,
        credentials={
            "text": "s3cr$t it's",
            "file": SecretFile("f", b"content\n"),
            "pair": UsernamePassword("alice", "pass"),
            "key": SshKey("bob", "KEY\n"),
        },
    )

    assert build.echoed() == ["**** **** alice bob", "s3cr$t it's|content|KEY||", "null false"]


def test_an_unknown_credential_fails(jenkins: Jenkins) -> None:
    """The message has the ID."""
    build = jenkins("node { withCredentials([string(credentialsId: 'none', variable: 'X')]) {} }")

    assert "Could not find credentials entry with ID 'none'" in build.log


def test_mails_jobs_and_inputs_are_recorded(jenkins: Jenkins) -> None:
    """No data leaves the computer."""
    build = jenkins(
        """
        mail to: 'a@example.org', subject: "s ${1 + 1}", body: 'b'
        input 'go?'
        def other = build job: 'other', parameters: [string(name: 'A', value: 'b')]
        echo "> ${other.result}"
        build job: 'bad'
        """,
        jobs={"bad": "UNSTABLE"},
    )

    assert build.mails == ({"to": "a@example.org", "subject": "s 2", "body": "b"},)
    assert build.inputs == ("go?",)
    assert [(triggered.job, triggered.parameters) for triggered in build.builds] == [("other", {"A": "b"}), ("bad", {})]
    assert build.echoed() == ["SUCCESS"]
    assert build.result == "UNSTABLE"


def test_parameters_of_a_first_build_are_not_variables(jenkins: Jenkins) -> None:
    """`params` has defaults immediately; the shell gets them only in later builds."""
    text = """
        properties([parameters([string(name: 'A', defaultValue: 'a'), booleanParam(name: 'B', defaultValue: true),
                                choice(name: 'C', choices: ['x', 'y'])])])
        node { sh "echo '> ${params.A} ${params.B} ${params.C}' \\${A-unset}" }
        """

    assert jenkins(text).echoed() == ["a true x unset"]
    assert jenkins(text, params={"A": "given"}).echoed() == ["given true x given"]


def test_checkout_returns_the_commit(jenkins: Jenkins) -> None:
    """`checkout scm` clones the repository under its remote URL."""
    build = jenkins(
        """
        node {
            def found = checkout(scm)
            sh 'git rev-parse HEAD >head; cat file; git fetch -q origin'
            echo "> ${readFile('head').trim() == found.GIT_COMMIT} ${found.GIT_BRANCH} ${found.GIT_URL}"
            echo "> ${scm.userRemoteConfigs[0].url} ${scm.branches[0].name}"
            def other = checkout([$class: 'GitSCM', branches: [[name: found.GIT_COMMIT]],
                                  userRemoteConfigs: scm.userRemoteConfigs,
                                  extensions: [[$class: 'RelativeTargetDirectory', relativeTargetDir: 'sub'],
                                               [$class: 'LocalBranch', localBranch: 'work']]])
            echo "> ${other.GIT_LOCAL_BRANCH} ${fileExists('sub/file')}"
        }
        """,
        {"file": "x\n"},
        remote="https://example.org/demo.git",
    )

    assert build.echoed() == [
        "true origin/main https://example.org/demo.git",
        "https://example.org/demo.git */main",
        "work true",
    ]


@pytest.mark.parametrize(
    ("refspec", "option", "expected"),
    [
        ("+refs/heads/main:refs/remotes/base/main", "", False),
        ("+refs/heads/main:refs/remotes/base/main", "honorRefspec: true", True),
        ("+refs/heads/main:refs/remotes/base/main +refs/tags/*:refs/other/*", "", True),
    ],
    ids=("ignored", "honored", "fetched after the clone"),
)
def test_the_first_clone_honors_a_refspec_if_configured(
    jenkins: Jenkins, refspec: str, option: str, *, expected: bool
) -> None:
    """README of the git plugin, "Honor refspec on initial clone"; later checkouts always do."""
    build = jenkins(
        f"""
        node {{
            for (int i = 0; i < 2; i++) {{
                checkout([$class: 'GitSCM', branches: [[name: 'main']],
                          userRemoteConfigs: [[url: scm.userRemoteConfigs[0].url, refspec: '{refspec}']],
                          extensions: [[$class: 'CloneOption', noTags: true{option and ", " + option}]]])
                echo "> ${{sh(script: 'git rev-parse -q --verify refs/remotes/base/main', returnStatus: true) == 0}}"
            }}
        }}
        """
    )

    assert build.echoed() == [str(expected).lower(), "true"]


def test_checkout_follows_a_push_outside_multibranch_jobs(jenkins: Jenkins, tmp_path: Path) -> None:
    """The branch is resolved each time, except in a multibranch job."""
    text = """
        node {
            def first = checkout(scm).GIT_COMMIT
            sh 'git -C "$REPOSITORY" -c user.name=a -c user.email=b commit -q --allow-empty -m more'
            echo "> ${checkout(scm).GIT_COMMIT == first}"
        }
        """
    origin = tmp_path / "repository-1"

    assert jenkins(text, env={"REPOSITORY": str(origin)}).echoed() == ["false"]
    assert jenkins(text, env={"REPOSITORY": str(tmp_path / "repository-2"), "BRANCH_NAME": "main"}).echoed() == ["true"]


def test_junit_counts_tests_and_marks_the_build(jenkins: Jenkins) -> None:
    """A failed test makes the build unstable unless that is turned off."""
    report = "<testsuite name='s'><testcase name='a'><failure/></testcase><testcase name='b'/></testsuite>"
    build = jenkins(
        """
        node {
            checkout scm
            echo "> ${junit(testResults: 'r.xml', skipMarkingBuildUnstable: true).failCount} ${currentBuild.result}"
            junit 'r.xml'
        }
        """,
        {"r.xml": report},
    )

    assert build.echoed() == ["1 null"]
    assert build.result == "UNSTABLE"


def test_steps_without_effects_are_available(jenkins: Jenkins) -> None:
    """They only wrap others or print."""
    build = jenkins(
        r"""
        currentBuild.displayName = 'named'
        milestone 1
        timestamps {
            node {
                writeFile file: 'f.groovy', text: 'def twice(x) { 2 * x }\nreturn this'
                echo "> ${load('f.groovy').twice(4)} ${isUnix()} ${tool('m3').endsWith('m3')} ${currentBuild.number}"
                ws('elsewhere') { echo "> ${pwd() == env.WORKSPACE} ${env.WORKSPACE.tokenize('/').last()}" }
                sh 'echo "> $JOB_NAME $BUILD_ID $EXECUTOR_NUMBER"'
            }
        }
        """,
        number=7,
        job="folder/job",
    )

    assert build.echoed() == ["8 true true 7", "true elsewhere", "folder/job 7 0"]
    assert build.name == "named"


def test_names_and_texts_may_be_any_unicode(jenkins: Jenkins) -> None:
    """File names, variables, output and stashes are UTF-8, whatever the caller's locale."""
    build = jenkins(
        """
        node {
            withEnv(['X=ü ☃ 💥']) {
                sh 'mkdir -p "é ☃"; printf %s "$X" >"é ☃/💥"; echo "> $X"'
                stash name: 'snow ☃', includes: 'é ☃/**'
                node {
                    unstash 'snow ☃'
                    echo "> ${readFile('é ☃/💥')} ${sh(script: 'cat "é ☃/"*', returnStdout: true)}"
                }
            }
        }
        """,
        agent_env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
    )

    assert build.echoed() == ["ü ☃ 💥", "ü ☃ 💥 ü ☃ 💥"]
