"""Text for other interpreters, and what the shell itself evaluates: no place for a value."""

from __future__ import annotations

import pytest
from bindings.scripted import scalar

from pipegen.bindings.script.entry import parse_script
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report

PROGRAMS = (
    # A shell's -c, however it is called.
    'sh -c "echo ${s.v}"',
    "bash -ec 'echo ${s.v}'",
    "bash -euo pipefail -c 'x ${s.v}'",
    "bash -e -u -o pipefail -c 'x ${s.v}'",
    "/bin/sh -c ${s.v}",
    "A=1 sh -c 'x ${s.v}'",
    '"$SHELL" -c "x ${s.v}"',
    "sudo -u me bash -c 'x ${s.v}'",
    "timeout -k 5 10 sh -c 'x ${s.v}'",
    "env A=1 sh -c 'x ${s.v}'",
    "xargs -n 1 sh -c 'x ${s.v}'",
    "find . -exec sh -c 'x ${s.v}' \\;",
    "docker exec web sh -c 'x ${s.v}'",
    "docker run --entrypoint sh -v a:b image -c 'x ${s.v}'",
    "docker run --entrypoint=/bin/bash image -ec 'x ${s.v}'",
    "docker run --rm image bash -lc 'x ${s.v}'",
    "kubectl exec pod -- sh -c 'x ${s.v}'",
    "su - me -c 'x ${s.v}'",
    # The shell's own ways to read text again.
    'eval "x ${s.v}"',
    "eval x=${s.v}",
    "trap 'rm ${s.v}' EXIT",
    'alias x="y ${s.v}"',
    # Other shells, elsewhere.
    'ssh host "x ${s.v}"',
    "ssh -p 22 -i key host x ${s.v}",
    "watch 'x ${s.v}'",
    # Other languages.
    "python -c \"print('${s.v}')\"",
    "python3.11 -I -c 'print(\"${s.v}\")'",
    "$PYTHON -c 'x ${s.v}'",
    'perl -pe "s/x/${s.v}/" file',
    'perl -i.bak -ne "${s.v}" file',
    "ruby -e 'x ${s.v}'",
    'node -e "${s.v}"',
    "awk '{ print \"${s.v}\" }' file",
    "awk -F: -v x=1 ${s.v} file",
    "gawk -f x -e ${s.v}",
    "busybox awk ${s.v}",
    'sed "s/x/${s.v}/" file',
    'sed -i.bak -E "s/x/${s.v}/" file',
    'sed -n -e p -e "s/x/${s.v}/" file',
    'sed file -e "s/x/${s.v}/"',
    'jq ".v = \\"${s.v}\\"" file',
    'jq -r --arg a b ".v = \\"${s.v}\\"" file',
    "psql -h host db -c \"select '${s.v}'\"",
    "mysql -u root -e 'x ${s.v}'",
    # Wherever a command may stand.
    "if sh -c 'x ${s.v}'; then :; fi",
    'x="$(sh -c "x ${s.v}")"',
    "x=`sh -c 'x ${s.v}'`",
    "case a in a) sh -c 'x ${s.v}' ;; esac",
    "! sh -c 'x ${s.v}'",
    "f() { sh -c 'x ${s.v}'; }",
    # A program on standard input.
    "echo 'x ${s.v}' | sh",
    "echo 'x ${s.v}' |\n  sudo bash -s",
    "printf '%s\\n' ${s.v} | ssh host",
    "printf '%s\\n' ${s.v} | ssh host bash -s",
    "{ echo a; echo ${s.v}; } | sh",
    "for i in 1 2; do echo ${s.v}; done | bash",
    "(echo ${s.v}) | sh",
    "cat <<E | sh\n${s.v}\nE",
    "bash -s a <<E\n${s.v}\nE",
    "sh <<-E\n\t${s.v}\n\tE",
    "python3 - <<'E'\n${s.v}\nE",
    "ssh host 'bash -s' <<E\n${s.v}\nE",
    "docker exec -i web sh <<E\n${s.v}\nE",
    "psql db <<E\n${s.v}\nE",
    "bash <<<'x ${s.v}'",
    # What programs run beside: options and settings whose names say so, in any program.
    "env -S 'x ${s.v}'",
    "flock lock -c 'x ${s.v}'",
    "script -c 'x ${s.v}' log",
    "sg docker -c 'x ${s.v}'",
    "npm exec -c 'x ${s.v}'",
    "rbash -c 'x ${s.v}'",
    "make --eval='x ${s.v}'",
    "make -E 'x ${s.v}'",
    "git -c alias.x='!x ${s.v}' x",
    "git config alias.x '!x ${s.v}'",
    "git ls-remote --upload-pack='x ${s.v}' .",
    "git submodule foreach 'x ${s.v}'",
    "git rebase --exec 'x ${s.v}' main",
    "ssh -o ProxyCommand='x ${s.v}' host",
    "ssh -oProxyCommand='x ${s.v}' host",
    "rsync -e 'ssh ${s.v}' a b",
    "tar -I 'x ${s.v}' -cf a b",
    "tar cf a b --checkpoint-action='exec=x ${s.v}'",
    "zip -TT 'x ${s.v}' a b",
    "expect -c 'x ${s.v}'",
    "vagrant ssh -c 'x ${s.v}'",
    "nix-shell --command 'x ${s.v}'",
    "ansible all -a 'x ${s.v}'",
    "gcloud compute ssh host --command='x ${s.v}'",
    "docker run --health-cmd 'x ${s.v}' image",
    "echo '!x ${s.v}' | ed",
    "echo '* * * * * x ${s.v}' | crontab -",
    "GIT_SSH_COMMAND='ssh ${s.v}' git fetch",
    "echo ${s.v} | xargs -I{} sh -c 'echo {}'",
    "echo ${s.v} | xargs sh -c",
    "S=sh; $S -c 'x ${s.v}'",
    'c=(sh -c); "${c[@]}" "x ${s.v}"',
    'c=(sh -c "x ${s.v}"); "${c[@]}"',
    'c=(sh -c); c+=("x ${s.v}"); "${c[@]}"',
    "S='sh -c'; $S 'x ${s.v}'",
    '. <(echo "${s.v}")',
    "bash <(echo ${s.v})",
    'eval "$(echo "${s.v}")"',
    "builtin eval ${s.v}",
    # Interpreters that a compound command, a function or the shell hands its input, and names that expansions make.
    "{ sh; } <<E\n${s.v}\nE",
    "( sh ) <<<${s.v}",
    "if :; then sh; fi <<<${s.v}",
    "echo ${s.v} | (bash)",
    "echo ${s.v} | while :; do bash; done",
    "echo ${s.v} | { x; bash; }",
    "echo ${s.v} > >(bash)",
    "tee >(bash) <<<${s.v}",
    "exec <<<${s.v}; bash",
    "exec 3<<<${s.v}; bash <&3",
    "bash /dev/fd/3 3<<<${s.v}",
    "echo ${s.v} | . /dev/stdin",
    "f() { bash; }; f <<<${s.v}",
    'f() { echo "$1"; }; f ${s.v} | bash',
    'f() { echo ${s.v}; }; eval "$(f)"',
    "function f { echo ${s.v}; }; bash <(f)",
    '"${SHELL:-sh}" -c "x ${s.v}"',
    '$(command -v bash) -c "x ${s.v}"',
    'set -- eval; "$@" ${s.v}',
    "for e in eval; do $e ${s.v}; done",
    "{eval,} ${s.v}",
    "$'\\x65val' ${s.v}",
    '$"eval" ${s.v}',
    "nohup ${s.w} ${s.v}",
    "exec -a x ${s.w} ${s.v}",
    "env ${s.v} bash x",
    "echo ${s.v} | xargs env",
    "xargs -rI{} sh -c '{}' <<<${s.v}",
    # Options that stand in a cluster, attached or abbreviated; files that are no files; variables.
    "node -pe 'x ${s.v}'",
    "rsync -avze 'ssh ${s.v}' a b",
    "ssh -qo 'ProxyCommand=x ${s.v}' host",
    "tar cf a b --checkpoint-act=exec='x ${s.v}'",
    "split --filter='x ${s.v}' a",
    "go test -exec 'x ${s.v}'",
    "gcc -wrapper sh,-c,${s.v} a",
    "vim +${s.v} a",
    "gdb -batch -ex='x ${s.v}'",
    "sqlite3 db '.shell ${s.v}'",
    "flock -w 5 lock -c 'x ${s.v}'",
    "apt-get -o APT::Update::Pre-Invoke::='x ${s.v}' update",
    "git -c ${s.v} status",
    "git config set alias.x '!x ${s.v}'",
    "git clone --config=core.sshCommand='x ${s.v}' a",
    "git rebase -x 'x ${s.v}' main",
    "git grep -O'x ${s.v}' a",
    "git ls-remote 'ext::${s.v}'",
    "echo ${s.v} | make -f -",
    "awk -f <(echo ${s.v}) a",
    "sed -f- a <<<${s.v}",
    "NODE_OPTIONS=${s.v} node a",
    "export GIT_EDITOR=${s.v}",
    "read -r EDITOR <<<${s.v}",
    ": ${GIT_SSH_COMMAND:=${s.v}}",
    # In front of what cannot be followed, which the shell takes to the end of the script.
    "cat <<E & sh -c ${s.v}\n${unclosed",
    "sh <<E\n${s.v}\n${unclosed",
)

ARGUMENTS = (
    "sh -c 'echo \"$1\"' sh ${s.v}",
    "docker run --entrypoint sh image -c 'echo \"$1\"' sh ${s.v}",
    "docker run --entrypoint tool image ${s.v}",
    "bash script -c ${s.v}",
    "python script.py -c ${s.v}",
    "python -m pip install -c ${s.v}",
    "node server.js -e ${s.v}",
    "pip install jq sed ${s.v}",
    "apt-get install -y bash python3 ${s.v}",
    "sed -n 1p ${s.v}",
    "sed -e 1p ${s.v}",
    "sed -f program ${s.v}",
    "awk -v x=${s.v} '{ print x }' ${s.v}",
    "jq --arg a ${s.v} '.x = $a' file",
    "jq .x ${s.v}",
    "ssh -p ${s.v} ${s.v} uptime",
    "trap finish ${s.v}",
    "echo sh -c ${s.v}",
    "echo ${s.v} | grep sh",
    "echo ${s.v} | sh script",
    "echo ${s.v} | python script.py",
    "echo ${s.v} | ssh host 'cat >file'",
    "curl -H ${s.v} https://example.org | sh",
    "VALUE=${s.v} python -c 'import os'",
    "env VALUE=${s.v} awk '{ print ENVIRON[\"VALUE\"] }'",
    'eval "$(tool ${s.v})"',
    'sh -c "$(cat ${s.v})"',
    "find . -name ${s.v} -exec sed -n 1p {} \\;",
    "for sh in ${s.v}; do :; done",
    "command -v bash; echo ${s.v}",
    "python3 --version; echo ${s.v}",
    "docker run -d image bash; echo ${s.v}",
    "bash <script; echo ${s.v}",
    "f() { bash script; }; f ${s.v}",
    'log() { echo "$1"; }; log ${s.v} | tee log',
    "export $(grep x ${s.v})",
    "export VERSION=${s.v}",
    "git --no-pager log ${s.v}",
    "git config url.https://${s.v}@host/.insteadOf https://host/",
    "docker ps --filter name=${s.v}",
    "$DOCKER run ${s.v}",
    '"${TOOL:-tool}" -c ${s.v}',
    'echo ${s.v} | while read -r line; do x "$line"; done',
)

EVALUATED = (
    "(( ${s.v} + 1 ))",
    "x=$(( ${s.v} ))",
    'x="$(( ${y:-${s.v}} ))"',
    "x=$[ ${s.v} ]",
    "let x=${s.v}",
    "x[${s.v}]=1",
    "x=([${s.v}]=1)",
    'echo "${x[${s.v}]}"',
    "echo ${x:${s.v}}",
    "echo ${x:0:${s.v}}",
    "for ((i = 0; i < ${s.v}; i++)); do :; done",
    "[[ ${s.v} -eq 1 ]]",
    "[[ a || 1 -lt ${s.v} ]]",
    "[[ -v ${s.v} ]]",
    "[ -v ${s.v} ]",
    "read -r -p x ${s.v}",
    "read -a ${s.v}",
    "printf -v ${s.v} x",
    "declare ${s.v}=1",
    "declare -i x=${s.v}",
    'declare -a x="(${s.v})"',
    "declare -n x=${s.v}",
    "f() { local ${s.v}=1; }",
    "declare -i n\nn=${s.v}",
    "RANDOM=${s.v}",
    "HISTCMD=${s.v}",
    "HISTCMD=(${s.v})",
    "RANDOM+=([1]=${s.v})",
    "declare -i x=(${s.v})",
    "for SECONDS in ${s.v}; do :; done",
    "read RANDOM <<<${s.v}",
    "echo ${s.v} | read RANDOM",
    "declare -i x; read x <<<${s.v}",
    "declare -ix x=${s.v}",
    "printf -v RANDOM %s ${s.v}",
    "echo ${x:=a} ${RANDOM:=${s.v}}",
    "export ENV=${s.v}; sh -i",
    "unset ${s.v}",
    "command unset ${s.v}",
    "time -p unset ${s.v}",
    "builtin printf -v ${s.v} x",
    "$'unset' ${s.v}",
    "[ -${s.w} ${s.v} ]",
    '[ "$x${s.w}" ${s.v} ]',
    "test $x ${s.v}",
    "export ${s.v}",
    "readonly ${s.v}",
    'export "$(echo ${s.v})"',
    "echo x >&${s.v}",
    'echo x >&"${s.v}"',
    "exec 1>&${s.v}",
    "{ :; } <&'${s.v}'",
    ": {a[${s.v}]}>file",
    "x[1 + ${s.v}]=a",
    "x=([1 + ${s.v}]=a)",
    "compgen -W ${s.v}",
    "mapfile -C ${s.v} x",
    "getopts a ${s.v}",
    'x="$(( $(echo ${s.v}) + 1 ))"',
    'echo "${a[$(echo ${s.v})]}"',
    "echo ${x:$(echo ${s.v}):1}",
    "[[ $(echo ${s.v}) -eq 1 ]]",
    "x=$(( `basename ${s.v}` ))",
    "PS4=${s.v}",
)

PLAIN = (
    "[ ${s.v} -eq 1 ]",
    "x=$(( $(wc -l <${s.v}) + 1 ))",
    "x=$(( $(echo ${s.v} | wc -c) - 1 ))",
    "ENV=${s.v} make",
    "make VERSION=${s.v} && echo x >&2 ${s.v}",
    'git -c user.name="${s.v}" commit -m "a ${s.v}"',
    "docker ps --filter name=${s.v}",
    "declare -A x; x[a]=${s.v}",
    "printf '%s\\n' ${s.v} ${s.v}",
    "S=make; $S -c ${s.v}",
    "unset x; y=${s.v}",
    "[ a = b -a ${s.v} = c ]",
    "[[ ${s.v} == a ]]",
    "x=(${s.v})",
    "declare -a x=(${s.v})",
    "export x=${s.v}",
    "declare -x x=${s.v}",
    "read -r x <${s.v}",
    "read -p ${s.v} x",
    "( (echo ${s.v}) )",
    "((echo ${s.v}); echo a)",
)


def reported(script: str) -> list[Diagnostic]:
    """Return what is said of *script*."""
    report = Report()
    parse_script(scalar(script), ["s"], report, is_bash=True)
    return list(report.diagnostics())


@pytest.mark.parametrize("script", PROGRAMS)
def test_a_value_is_no_part_of_a_program(script: str) -> None:
    """An error at the reference, with the program that would read it, and a way out."""
    (found,) = reported(script)

    assert found.code.number == "PG318"
    assert found.primary is not None
    assert found.primary.span.text == "${s.v}"
    assert found.related
    assert found.hint


@pytest.mark.parametrize("script", ARGUMENTS)
def test_a_value_may_be_an_argument(script: str) -> None:
    """Of anything; that is the way out."""
    assert reported(script) == []


@pytest.mark.parametrize("script", EVALUATED)
def test_a_value_is_not_evaluated(script: str) -> None:
    """Bash runs `$(…)` in what it works out as arithmetic: measured for each of these."""
    (found,) = reported(script)

    assert found.code.number == "PG319"
    assert found.primary is not None
    assert found.primary.span.text == "${s.v}"


@pytest.mark.parametrize("script", PLAIN)
def test_what_only_looks_like_arithmetic_is_fine(script: str) -> None:
    """Numbers compared by `[`, subshells, arrays."""
    assert reported(script) == []


@pytest.mark.parametrize(
    ("script", "hint"),
    [
        ('sh -c "x ${s.v}"', "pass it as an argument: sh -c '… \"$1\" …' sh ${s.v}"),
        ("sh <<E\n${s.v}\nE", 'pass it as an argument: sh -s -- ${s.v}, and read "$1"'),
        (
            'python3 -c "x ${s.v}"',
            "put the value into the environment: VALUE=${s.v} python …, and read VALUE in the program",
        ),
        ('awk "x ${s.v}"', "put the value into the environment: VALUE=${s.v} awk '… ENVIRON[\"VALUE\"] …'"),
        ('jq "x ${s.v}"', "pass it as a variable: jq --arg value ${s.v} '… $value …'"),
        (
            "trap 'rm ${s.v}' EXIT",
            "move the commands to a shell function, which can use the value, and name it here",
        ),
    ],
)
def test_the_hint_says_how_to_pass_the_value(script: str, hint: str) -> None:
    """As that interpreter takes arguments."""
    (found,) = reported(script)

    assert found.hint == hint
