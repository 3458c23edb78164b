"""Positions of references in scripts, and the expected output of the shell there.

In `prints`, `@` stands for the value. `p` prints each of its words between `<` and `>`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipegen.bindings.script.model import ParsedScript
from pipegen.shell.uses import is_plain


@dataclass(frozen=True, slots=True)
class Position:
    """A script that reads `${s.v}`, its expected output, and whether only bash supports the position.

    Shells take quadratic time to compare a pattern with the start of a text: such a position gets no long values.
    """

    name: str
    script: str
    prints: str = "<@>"
    is_bash: bool = False
    is_quadratic: bool = False


_WORDS = (
    Position("bare", "p ${s.v}"),
    Position("bare, text around", "p a${s.v}b", "<a@b>"),
    Position("bare, digit behind", "p ${s.v}9", "<@9>"),
    Position("bare, twice", "p ${s.v}${s.v}", "<@@>"),
    Position("bare, between quotes", """p 'a b'${s.v}"c d\"""", "<a b@c d>"),
    Position("bare beside a glob", "set -f; p *${s.v}*", "<*@*>"),
    Position("bare behind a tilde", "p ~${s.v}", "<~@>"),
    Position("bare behind a variable", "x=1; p $x${s.v}", "<1@>"),
    Position("bare behind the process id", 'p $$${s.v} >pid; x=$(cat pid; echo .); p "${x#"<$$"}"', "<@>.>"),
    Position("bare, own namespace", "p ${.v}"),
    Position("bare, dotted name", "p ${setup.params.v}"),
    Position("bare, combinations of a matrix", "p ${s[os=linux,python=3.11].v}"),
    Position("assignment", 'x=${s.v}; p "$x"'),
    Position("assignment, text around", 'x=a${s.v}b; p "$x"', "<a@b>"),
    Position("assignment in front of a command", 'x=${s.v} sh -c \'printf "<%s>" "$x"\''),
    Position("export", 'export x=${s.v}; p "$x"'),
    Position("readonly", 'readonly x=${s.v}; p "$x"'),
    Position("local in a function", 'f() { local x=${s.v}; p "$x"; }; f'),
    Position("argument behind options", "p --flag=${s.v} -- ${s.v}", "<--flag=@><--><@>"),
    Position("set", 'set -- ${s.v}; p "$#" "$1"', "<1><@>"),
    Position("for", 'for x in ${s.v}; do p "$x"; done'),
    Position("for, several words", 'for x in a ${s.v} b; do p "$x"; done', "<a><@><b>"),
    Position("line continuation", "p \\\n  ${s.v} \\\n  b", "<@><b>"),
    Position("continuation in the word", "p a\\\n${s.v}", "<a@>"),
    Position("hash inside a word", "p a#${s.v}", "<a#@>"),
    Position("number of arguments in front", "set -- a b; p $#${s.v}", "<2@>"),
    Position("length in front", "x=abc; p ${#x}${s.v}", "<3@>"),
    Position("backslash in front", "p \\\\${s.v}", "<\\@>"),
    Position("test", '[ ${s.v} = "$value" ] && p same', "<same>"),
    Position("test, empty or not", "[ -z x${s.v} ] || p same", "<same>"),
    Position("number compared in [ ]", "[ ${s.v} -eq 1 ] 2>/dev/null || p no", "<no>"),
    Position("default that is not needed", "p ${s.full|other}", "<full>"),
)

_QUOTES = (
    Position("double quotes", 'p "${s.v}"'),
    Position("double quotes, text around", 'p "a ${s.v} b"', "<a @ b>"),
    Position("double quotes, name goes on", 'p "${s.v}x"', "<@x>"),
    Position("double quotes, bracket behind", 'p "${s.v}[0]"', "<@[0]>"),
    Position("double quotes, several lines", 'p "a\n${s.v}\n  b"', "<a\n@\n  b>"),
    Position("double quotes, escaped quote in front", 'p "\\"${s.v}\\""', '<"@">'),
    Position("double quotes, backslash in front", 'p "\\\\${s.v}"', "<\\@>"),
    Position("double quotes, apostrophe in front", 'p "it\'s ${s.v}"', "<it's @>"),
    Position("double quotes, dollar behind", 'p "${s.v}$"', "<@$>"),
    Position("single quotes", "p '${s.v}'"),
    Position("single quotes, text around", "p 'a \"$x\" ${s.v} `b`'", '<a "$x" @ `b`>'),
    Position("single quotes, text in front", "p 'a ${s.v}'", "<a @>"),
    Position("single quotes, text behind", "p '${s.v} b'", "<@ b>"),
    Position("single quotes, twice", "p '${s.v}${s.v} ${s.v}'", "<@@ @>"),
    Position("single quotes in a word", "p a'${s.v}'b", "<a@b>"),
    Position("single quotes, backslash in front", "p '\\${s.v}\\'", "<\\@\\>"),
    Position("single quotes, several lines", "p 'a\n${s.v}\nb'", "<a\n@\nb>"),
    Position("single quotes, assignment", "x='a ${s.v}'; p \"$x\"", "<a @>"),
    Position("ANSI quotes", "p $'${s.v}'", is_bash=True),
    Position("ANSI quotes, text around", "p $'a\\t${s.v}\\'b'", "<a\t@'b>", is_bash=True),
    Position("ANSI quotes, escaped quote in front", "p $'\\'${s.v}\\''", "<'@'>", is_bash=True),
    Position("translated quotes", 'p $"${s.v}"', is_bash=True),
    Position("all quotes in one word", """p "a"'b ${s.v}'"${s.v}"${s.v}""", "<ab @@@>"),
)

_SUBSTITUTIONS = (
    Position("substitution", 'x=$(p ${s.v}); p "$x"', "<<@>>"),
    Position("substitution, in double quotes", 'p "$(p ${s.v})"', "<<@>>"),
    Position("double quotes in a substitution in double quotes", 'p "$(p "${s.v}")"', "<<@>>"),
    Position("single quotes in a substitution in double quotes", "p \"a $(p 'b ${s.v}') c\"", "<a <b @> c>"),
    Position("three deep", 'p "$(p "$(p "${s.v}")")"', "<<<@>>>"),
    Position("substitution behind a quote that closes", """p 'a'"$(p 'b'${s.v})\"""", "<a<b@>>"),
    Position("substitution with a case", 'p "$(case x in x) p ${s.v} ;; esac)"', "<<@>>"),
    Position("substitution with a comment", 'p "$(p ${s.v} # it\'s )\n)"', "<<@>>"),
    Position("substitution with a subshell", 'p "$( (p ${s.v}) )"', "<<@>>"),
    Position("substitution that looks like arithmetic", 'p "$((p ${s.v}) ; (p b))"', "<<@><b>>", is_bash=True),
    Position("backticks", 'x=`p ${s.v}`; p "$x"', "<<@>>"),
    Position("backticks, in double quotes", 'p "`p ${s.v}`"', "<<@>>"),
    Position("double quotes in backticks", 'x=`p "a ${s.v}"`; p "$x"', "<<a @>>"),
    Position("double quotes in backticks in double quotes", 'p "`p \\"a ${s.v}\\"`"', "<<a @>>"),
    Position("bare quotes in backticks in double quotes", 'p "`p "a ${s.v}"`"', "<<a @>>"),
    Position("single quotes in backticks", "x=`p 'a ${s.v}'`; p \"$x\"", "<<a @>>"),
    Position("single quotes in backticks in double quotes", "p \"`p 'a ${s.v} b'`\"", "<<a @ b>>"),
    Position("backticks in backticks", 'x=`p "\\`p ${s.v}\\`"`; p "$x"', "<<<@>>>"),
    Position("backticks in a substitution", 'p "$(p "`p ${s.v}`")"', "<<<@>>>"),
    Position("substitution in backticks", 'x=`p "$(p ${s.v})"`; p "$x"', "<<<@>>>"),
    Position("process substitution", "cat <(p ${s.v})", is_bash=True),
    Position("process substitution in a word", 'cat -- <(p "a ${s.v}")', "<a @>", is_bash=True),
)

_EXPANSIONS = (
    Position("word of a default", "p ${unset:-${s.v}}"),
    Position("word of a default, text around", "p ${unset:-a ${s.v}}", "<a><@>"),
    Position("word of a default, in double quotes", 'p "${unset:-${s.v}}"'),
    Position("word of a default, text, in double quotes", 'p "${unset:-a ${s.v} b}"', "<a @ b>"),
    Position("word of a default, quotes in quotes", 'p "${unset:-"a ${s.v}"}"', "<a @>"),
    Position("word of a default, apostrophes in quotes", "p \"${unset:-'${s.v}'}\"", "<'@'>"),
    Position("word of a default, single quotes", "p ${unset:-'a ${s.v}'}", "<a @>"),
    Position("word of a default, without colon", 'p "${unset-${s.v}}"'),
    Position("word of an assignment", ': "${fresh:=${s.v}}"; p "$fresh"'),
    Position("word of an alternative", 'x=1; p "${x:+${s.v}}"'),
    Position("word of a word", 'p "${unset:-${unset:-${s.v}}}"'),
    Position("word in an assignment", 'x=${unset:-${s.v}}; p "$x"'),
    Position("word of an error", '(: "${unset:?${s.v}}") 2>error || p failed', "<failed>"),
    Position("prefix, in double quotes", 'x="${value}b"; p "${x#${s.v}}"', "<b>", is_quadratic=True),
    Position("prefix, in an assignment", 'x="${value}b"; x=${x#${s.v}}; p "$x"', "<b>", is_quadratic=True),
    Position(
        "prefix in double quotes in double quotes", 'x="a${value}b"; p "${x#"a${s.v}"}"', "<b>", is_quadratic=True
    ),
    Position(
        "prefix in single quotes in double quotes", 'x="a${value}b"; p "${x#\'a${s.v}\'}"', "<b>", is_quadratic=True
    ),
    Position("suffix, in double quotes", 'x="b${value}"; p "${x%${s.v}}"', "<b>", is_quadratic=True),
    Position("longest suffix", 'x="b.${value}"; p "${x%%.${s.v}}"', "<b>", is_quadratic=True),
    Position("pattern replaced", 'x="a.${value}.b"; p "${x/.${s.v}./-}"', "<a-b>", is_bash=True),
    Position("replacement", 'x=a.b; p "${x/./${s.v}}"', "<a@b>", is_bash=True),
    Position("replacement in an assignment", 'x=a.b; x=${x/./${s.v}}; p "$x"', "<a@b>", is_bash=True),
    Position("replacement, all", 'x=a.b.; p "${x//./"${s.v}"}"', "<a@b@>", is_bash=True),
    Position("in front of the elements", 'x=(1 2); p "${x[@]/#/${s.v}}"', "<@1><@2>", is_bash=True),
)

_DOCUMENTS = (
    Position("here-document", "q <<EOF\n${s.v}\nEOF", "<@\n>"),
    Position("here-document, text around", "q <<EOF\na \"${s.v}\" 'b'\nEOF", "<a \"@\" 'b'\n>"),
    Position("here-document, name goes on", "q <<EOF\n${s.v}_x\nEOF", "<@_x\n>"),
    Position("here-document, backslash in front", "q <<EOF\n\\\\${s.v}\\\\\nEOF", "<\\@\\\n>"),
    Position("here-document, tabs", "q <<-EOF\n\ta\n\t${s.v}\n\tEOF", "<a\n@\n>"),
    Position("here-document, default", "q <<EOF\n${unset:-${s.v}}\nEOF", "<@\n>"),
    Position("here-document, quotes in a default", 'q <<EOF\n${unset:-"${s.v}"}\nEOF', "<@\n>"),
    Position("here-document, substitution", "q <<EOF\n$(p ${s.v})\nEOF", "<<@>\n>"),
    Position("here-document, quotes in a substitution", "q <<EOF\n$(p 'a ${s.v}')\nEOF", "<<a @>\n>"),
    Position("here-document, backticks", "q <<EOF\n`p ${s.v}`\nEOF", "<<@>\n>"),
    Position("here-document in a substitution", 'p "$(q <<EOF\n${s.v}\nEOF\n)"', "<<@\n>>"),
    Position("here-document in a here-document", "q <<A\n$(q <<B\n${s.v}\nB\n)\nA", "<<@\n>\n>"),
    Position("two here-documents", "q <<A; q <<B\n${s.v}\nA\nx${s.v}\nB", "<@\n><x@\n>"),
    Position("two here-documents, one quoted", "q <<'A'; q <<B\n${s.v} $x\nA\nx${s.v}\nB", "<@ $x\n><x@\n>"),
    Position("here-document, more words behind", "q <<EOF && p ${s.v}\na ${s.v}\nEOF", "<a @\n><@>"),
    Position("here-document in a loop", "for i in 1; do q <<EOF\n${s.v}\nEOF\ndone", "<@\n>"),
    Position("here-document before a subshell", "q <<EOF | (\n${s.v}\nEOF\ncat)", "<@\n>"),
    Position("here-document in a case", "case a in a) q <<EOF ;;\n${s.v}\nEOF\nesac", "<@\n>"),
    Position("quoted here-document", "q <<'EOF'\n${s.v}\nEOF", "<@\n>"),
    Position(
        "quoted here-document, text around",
        "q <<'EOF'\n$x `y` \\$z \\ \"${s.v}\" $(w) \\\\ \\\n'v'\\\nEOF",
        "<$x `y` \\$z \\ \"@\" $(w) \\\\ \\\n'v'\\\n>",
    ),
    Position("quoted here-document, escape", "q <<'EOF'\n$${s.v} ${s.v}\nEOF", "<${s.v} @\n>"),
    Position("quoted here-document, name goes on", "q <<'EOF'\n${s.v}x\\${s.v}\nEOF", "<@x\\@\n>"),
    Position("quoted here-document, double quotes", 'q <<"EOF"\n$x ${s.v}\nEOF', "<$x @\n>"),
    Position("quoted here-document, backslash", "q <<\\EOF\n$x ${s.v}\nEOF", "<$x @\n>"),
    Position("quoted here-document, tabs", "q <<-'EOF'\n\t$x\n\t\t${s.v} \\\n\tEOF", "<$x\n@ \\\n>"),
    Position("quoted here-document in a substitution", 'p "$(q <<\'EOF\'\n$x ${s.v} "\nEOF\n)"', '<<$x @ "\n>>'),
    Position("here-string", "q <<<${s.v}", "<@\n>", is_bash=True),
    Position("here-string, double quotes", 'q <<<"a ${s.v}"', "<a @\n>", is_bash=True),
)

_COMMANDS = (
    Position("case word", 'case ${s.v} in "$value") p same ;; *) p other ;; esac', "<same>"),
    Position("case pattern", 'case "$value" in ${s.v}) p same ;; *) p other ;; esac', "<same>"),
    Position("case pattern, text around", 'case "a${value}b" in a${s.v}*) p same ;; *) p other ;; esac', "<same>"),
    Position("case pattern, second", 'case "$value" in x | ${s.v}) p same ;; *) p other ;; esac', "<same>"),
    Position("case pattern, parenthesis", 'case "$value" in (${s.v}) p same ;; *) p other ;; esac', "<same>"),
    Position("case pattern, double quotes", 'case "$value" in "${s.v}") p same ;; *) p other ;; esac', "<same>"),
    Position("case pattern, literal", "case 'no such text' in ${s.v}) p same ;; *) p other ;; esac", "<other>"),
    Position("case branch", "case a in a) p ${s.v} ;; esac"),
    Position("case branch behind quotes", "case a in 'b)') ;; a) p '${s.v}' ;; esac"),
    Position("redirection", 'p a >${s.file}; cat "./$file"', "<a>"),
    Position("redirection, text around", 'p a >./${s.file}b; cat "./${file}b"', "<a>"),
    Position("redirection, quotes", "p a >'x ${s.file}'; cat \"x $file\"", "<a>"),
    Position("redirection, read", 'p a >"$file"; cat <${s.file}', "<a>"),
    Position("redirection, in front", '>${s.file} p ${s.v}; cat "./$file"'),
    Position("comment", "p ${s.v} # ${s.v} it's \"\np b", "<@><b>"),
    Position("comment at the front", "# it's ${s.v}\np ${s.v}"),
    Position("function body", "f() { p ${s.v}; }; f"),
    Position("function body in a subshell", "f() ( p ${s.v} ); f"),
    Position("function keyword", "function f { p ${s.v}; }; f", is_bash=True),
    Position("function's arguments", 'f() { p "$1"; }; f ${s.v}'),
    Position("subshell", "(p ${s.v})"),
    Position("subshell in a subshell", "((p ${s.v}); p b)", "<@><b>"),
    Position("braces", "{ p ${s.v}; }"),
    Position("if", 'if [ ${s.v} = "$value" ]; then p ${s.v}; fi'),
    Position("while", "while p ${s.v}; do break; done"),
    Position("pipe", "p ${s.v} | cat"),
    Position("and, or", "false || p ${s.v} && p b", "<@><b>"),
    Position("background", "p ${s.v} & wait"),
    Position("negation", "! p ${s.v}"),
    Position("argument of a shell", 'sh -c \'printf "<%s>" "$1"\' sh ${s.v}'),
    Position("environment of a program", 'VALUE=${s.v} awk \'BEGIN { printf "<%s>", ENVIRON["VALUE"] }\''),
    Position("environment by env", 'env VALUE=${s.v} sh -c \'printf "<%s>" "$VALUE"\''),
    Position("substitution in arithmetic", "p $(( $(p ${s.v} | wc -c) > 1 ))", "<1>"),
    Position("condition, left", '[[ ${s.v} == "$value" ]] && p same', "<same>", is_bash=True),
    Position("condition, pattern", "[[ $value == ${s.v} ]] && p same", "<same>", is_bash=True),
    Position("condition, literal pattern", "[[ 'no such text' == ${s.v} ]] || p other", "<other>", is_bash=True),
    Position("condition, regular expression", "[[ $value =~ ^${s.v}$ ]] && p same", "<same>", is_bash=True),
    Position("condition, several lines", '[[ -n x &&\n ${s.v} == "$value" ]] && p same', "<same>", is_bash=True),
    Position("array", 'x=(a ${s.v} b); p "${x[@]}"', "<a><@><b>", is_bash=True),
    Position("array, several lines", 'x=(a # it\'s\n  ${s.v}\n)\np "${x[@]}"', "<a><@>", is_bash=True),
    Position("array, grown", 'x=(a); x+=(${s.v}); p "${x[@]}"', "<a><@>", is_bash=True),
    Position("brace expansion", "p {a,${s.v}}", "<a><@>", is_bash=True),
    Position("pattern list", "case $value in @(x|${s.v})) p same ;; esac", "<same>", is_bash=True),
    Position("escape", "p $${s.v} \"$${s.v}\" '$${s.v}' ${s.v}", "<${s.v}><${s.v}><${s.v}><@>"),
    Position("escape with a default", 'p $${s.v|it\'s} "$${s.v|$(x)}"', "<${s.v|it's}><${s.v|$(x)}>"),
    Position("escaped by a backslash", 'p \\${s.v} "\\${s.v}" ${s.v}', "<${s.v}><${s.v}><@>"),
)

# The value may be empty; then the default is used.
_DEFAULTS = (
    Position("default, bare", "p ${s.empty|a b}", "<a b>"),
    Position("default, double quotes", 'p "x ${s.empty|a b}"', "<x a b>"),
    Position("default, single quotes", "p 'x ${s.empty|a b}'", "<x a b>"),
    Position("default, here-document", "q <<EOF\n${s.empty|a b}\nEOF", "<a b\n>"),
    Position("default, hostile", "p ${s.empty|$(touch canary)`x`\"'\\}", "<$(touch canary)`x`\"'\\>"),
    Position("default, hostile, quoted", 'p "${s.empty|it\'s "$x"}"', '<it\'s "$x">'),
    Position("default, hostile, single quotes", "p 'a ${s.empty|it's *}'", "<a it's *>"),
    Position("default, pattern", "x=abc; p ${x#${s.empty|a}}", "<bc>"),
    Position("default, nothing", "p ${s.empty|}", "<>"),
    Position("default, hostile, not needed", "p ${s.full|*}x", "<fullx>"),
    Position("default of a value that may be empty", "p ${s.v|}", "<@>"),
)

POSITIONS = (*_WORDS, *_QUOTES, *_SUBSTITUTIONS, *_EXPANSIONS, *_DOCUMENTS, *_COMMANDS, *_DEFAULTS)


def special_defaults(script: ParsedScript) -> list[str]:
    """Return the defaults in *script* that need a variable because no expansion can contain them, each once."""
    texts = (placed.reference.default or "" for placed in script.references())
    return list(dict.fromkeys(text for text in texts if not is_plain(text)))
