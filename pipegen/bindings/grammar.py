"""The grammar of references in values and in scripts: `${stage.name}`, `${stage.name|default}`."""

# A namespace is a stage, or one that is predefined; without one, `${.name}` reads from the stage itself.
NAMESPACE = r"(?P<namespace>[A-Za-z0-9_-]*)"
# An empty name, as PipelineLib reads it, is bound by no stage.
NAME = r"(?P<name>[A-Za-z0-9._-]*)"
# The brackets for combinations of a matrix stage are pipegen's extension.
COMBINATIONS = r"(?:\[(?P<combinations>[^\]{}\n]*)\])?"
# As in PipelineLib, a default ends at the first brace.
DEFAULT = r"(?:\|(?P<default>[^}]*))?"

# A reference after its `${`.
REFERENCE = rf"{NAMESPACE}{COMBINATIONS}\.{NAME}{DEFAULT}\}}"
# `${name}`, which only values can contain: in a script, it is a variable of the shell.
UNDOTTED = rf"(?P<name>[A-Za-z0-9_-]+){DEFAULT}\}}"
