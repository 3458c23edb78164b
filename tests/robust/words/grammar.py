"""The grammar of bash commands around one word: each path through it is a position of a reference.

A template contains one name between `«` and `»`: the template to insert there. Other names are constant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

REFERENCE = "${s.v}"
SECOND = "${s.w}"

_FIELDS = tuple(f"{prefix}{operator}" for prefix in ("", "1", "2", "{fd}") for operator in (">&", "<&"))
_REDIRECTIONS = (*_FIELDS, ">", "<", ">>", ">|", "<>", "&>", "&>>", "2>", "<<<")
_COMPARISONS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "==", "=", "!=", "=~", "<", ">", "-nt", "-ot", "-ef")
_TESTS = tuple(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")

GRAMMAR: dict[str, tuple[str, ...]] = {
    "script": (
        "«command»",
        "{ «command»; }",
        "( «command» )",
        "if «command»; then :; fi",
        "for i in 1; do «command»; done",
        "while «command»; do break; done",
        "case a in a) «command»;; esac",
        "f() { «command»; }; f",
        "function f { «command»; }; f",
        "«command» | cat",
        ": | «command»",
        ": && «command»",
        "! «command»",
        "time «command»",
        "«command» & wait",
        "coproc «command» </dev/null; wait",
        "coproc N { «command»; } </dev/null; wait",
        "x=$(«command»)",
        "x=`«command»`",
        ": <(«command»)",
        ": > >(«command»)",
        "{ «command»; } >/dev/null",
        "(( $(«command») ))",
        "bash -c : $(«command»)",
        "set -x; «command»; :",
        "«command»; bash -c :",
        f"{{ x=1; «reader»; }} <<<{REFERENCE}",
        f"( «reader» ) <<E\n{REFERENCE}\nE",
        f"if :; then «reader»; fi < <(echo {REFERENCE})",
        f"echo {REFERENCE} | while :; do «reader»; break; done",
        f"echo {REFERENCE} | {{ :; «reader»; }}",
        f"echo {REFERENCE} | case a in a) «reader»;; esac",
        f"f() {{ «reader»; }}; f <<<{REFERENCE}",
        f"f() {{ echo {REFERENCE}; }}; f | «reader»",
        f'f() {{ echo "$1"; }}; f {REFERENCE} | «reader»',
        f"exec <<<{REFERENCE}; «reader»",
        f"exec 3<<<{REFERENCE}; «reader» <&3",
        f"echo {REFERENCE} | tee >(«reader»); wait",
        f"echo {REFERENCE} > >(«reader»); wait",
        f"coproc «reader»; echo {REFERENCE} >&${{COPROC[1]}}",
        f"«prefix» «evaluator» {REFERENCE}",
        f"«prefix» {SECOND} {REFERENCE}",
        f"set -x; «prefix» export {REFERENCE}; :",
    ),
    "reader": (
        "bash",
        "sh -",
        "sh -s",
        "command bash",
        "env bash",
        ". /dev/stdin",
        "bash /dev/stdin",
        "exec sh",
        "cat",
    ),
    "prefix": ("", "command", "command --", "builtin", "command -p", "builtin command", "time", "time -p", "!", "x=1"),
    "evaluator": (
        "eval",
        "'eval'",
        "$'eval'",
        "$'\\x65val'",
        '$"eval"',
        "e\\val",
        "{eval,}",
        "$(echo eval)",
        "${u:-eval}",
        "unset",
        "read",
        "printf -v",
        "test -v",
        "[ -v",
        "declare",
        "let",
        "trap --",
    ),
    "command": (
        "echo «word»",
        "f «word»",
        "x=«word»",
        "x=«word» :",
        "x+=«word»",
        "x=(a «word»)",
        "x+=(«word»)",
        "x=([0]=«word»)",
        "x=([«number»]=a)",
        "x[«number»]=a",
        "x[«number»]=a :",
        "x[«number»]+=a",
        "x[1]=«word»",
        "x[0«word»]=a",
        'x["«text»"]=a',
        "declare -A m; m[«word»]=a",
        "declare -A m=([«word»]=a)",
        "declare -A m=([a]=«word»)",
        "declare -A m=(«word» a)",
        "for i in «word»; do :; done",
        "for i in a «word»; do :; done",
        "select i in «word»; do :; done",
        "case «word» in *) ;; esac",
        "case x in «word») ;; esac",
        "case x in a|«word»b) ;; esac",
        "for ((i = 0; i < «number»; i = 9)); do :; done",
        "for ((i = «number»; 0; )); do :; done",
        "for ((i = 0; i < 1; i += 1 + «number»)); do :; done",
        "(( «number» ))",
        "(( x = «number» ))",
        "[[ «word» ]]",
        "[[ ! «word» ]]",
        "[[ ( «word» ) ]]",
        "[[ a == a && «word» ]]",
        ": <<E\n«document»\nE",
        "cat <<E\n«document»\nE",
        ": <<-E\n\t«document»\n\tE",
        f": <<'E'\n{REFERENCE}\nE",
        "coproc «word» { :; }",
        ": {a[«word»]}>file",
        ": {a[«number»]}>file",
        *(f": {operator}«word»" for operator in _REDIRECTIONS),
        *(f"{{ :; }} {operator} «word»" for operator in _REDIRECTIONS),
        *(f"exec {operator}«word»" for operator in _REDIRECTIONS),
        *(f"[[ «word» {operator} 1 ]]" for operator in _COMPARISONS),
        *(f"[[ 1 {operator} «word» ]]" for operator in _COMPARISONS),
        *(f"[[ {test} «word» ]]" for test in (*_TESTS, "-R")),
        *(f"[[ ! {test} «word» && a ]]" for test in _TESTS),
        *(
            f"{opening} {test} «word»{closing}"
            for test in (*_TESTS, "-R")
            for opening, closing in (("[", " ]"), ("test", ""))
        ),
        *(f"[ «word» {operator} 1 ]" for operator in _COMPARISONS if operator not in "<>=~"),
        *(f"[ 1 {operator} «word» ]" for operator in _COMPARISONS if operator not in "<>=~"),
        "[ ! -v «word» ]",
        "[ a -a -v «word» ]",
        "[ '(' -v «word» ')' ]",
        f"[ «word» {SECOND} ]",
        f"[ ! «word» {SECOND} ]",
        f"test «word» {SECOND}",
        f"[ a -a «word» {SECOND} ]",
        f"[ -n a -a «word» {SECOND} ]",
        f"[ «word» {SECOND} a ]",
        f"printf «word» {SECOND}",
        f"printf {SECOND} «word»",
        f"echo «word» {SECOND}",
        f"builtin «word» {SECOND}",
        f"command «word» {SECOND}",
        f"exec «word» {SECOND}",
        f"«word» {SECOND}",
        f"{SECOND} «word»",
        f"x=1 «word» {SECOND}",
        f"$u «word» {SECOND}",
        f"set -- «word» {SECOND}",
        f"set -o «word»; echo {SECOND}",
        f"shopt -s «word»; echo {SECOND}",
    ),
    "word": (
        REFERENCE,
        f"'{REFERENCE}'",
        f"$'{REFERENCE}'",
        '"«text»"',
        '$"«text»"',
        "a«word»b",
        "-«word»",
        "{a,«word»}",
        "{1..«word»}",
        "~«word»",
        "*«word»*",
        "@(«word»|b)",
        "$u«word»",
        "«expansion»",
    ),
    "text": (REFERENCE, f"a{REFERENCE}b", f"\\$ '{REFERENCE}'", "«expansion»", "a «expansion» b"),
    "document": (REFERENCE, f'"{REFERENCE}"', "«expansion»"),
    "number": (
        REFERENCE,
        f'"{REFERENCE}"',
        f"'{REFERENCE}'",
        f"{REFERENCE} + 1",
        f"1 + {REFERENCE}",
        f"x = {REFERENCE}",
        f"a[{REFERENCE}]",
        f"1 ? {REFERENCE} : 2",
        f"({REFERENCE})",
        f"16#{REFERENCE}",
        f"!{REFERENCE}",
        "«expansion»",
        "«expansion» + 1",
    ),
    "expansion": (
        "$(«output»)",
        "`«output»`",
        "$(( «number» ))",
        "$[ «number» ]",
        "${u:-«word»}",
        "${u-«word»}",
        "${u=«word»}",
        "${u:=«word»}",
        "${x+«word»}",
        "${x:+«word»}",
        "${u:?«word»}",
        "${x#«word»}",
        "${x##«word»}",
        "${x%%«word»}",
        "${x/«word»/y}",
        "${x//«word»}",
        "${x/b/«word»}",
        "${x/#b/«text»}",
        "${x^«word»}",
        "${x,,«word»}",
        "${x:«number»}",
        "${x:0:«number»}",
        "${x: -«number»}",
        "${@:«number»}",
        "${a[«number»]}",
        "${#a[«number»]}",
        "${!a[«number»]}",
        "${a[«number»]:-b}",
        "${a[@]:«number»}",
        "${a[0]:0:«number»}",
    ),
    "output": (
        "echo «word»",
        "printf %s «word»",
        "cat <<E\n«document»\nE\n",
        "cat <<<«word»",
        "echo «word» | cat",
        "echo «word» | tr -d z",
        "basename «word»",
        "x=«word»; echo a",
        "cat <«word»",
        "wc -c <<<«word»",
        ": «word»; echo 1",
        "case «word» in *) echo «word»;; esac",
        "if :; then echo «word»; fi",
        "{ echo «word»; }",
        "expr «word» : '\\(.*\\)'",
        "eval echo «word»",
    ),
}


_HOLE = re.compile("«([a-z]+)»")


def positions(depth: int, root: str = "«command»") -> Iterator[str]:
    """Yield all scripts of the grammar with a reference at most *depth* templates deep."""
    hole = _HOLE.search(root)
    if hole is None:
        yield root
    elif depth:
        for template in GRAMMAR[hole[1]]:
            yield from positions(depth - 1, f"{root[: hole.start()]}{template}{root[hole.end() :]}")


def drawn(chance: Random, root: str = "«script»", depth: int = 8) -> str:
    """Return one random script of the grammar; templates that end it are taken at *depth*."""
    while hole := _HOLE.search(root):
        templates = GRAMMAR[hole[1]]
        depth -= 1
        ends = [template for template in templates if not _HOLE.search(template)]
        template = chance.choice(ends if ends and depth <= 0 else templates)
        root = f"{root[: hole.start()]}{template}{root[hole.end() :]}"
    return root
