# A repeated name has a count of two.
set -eu
found=$(printf 'world\nmoon\nworld\n' | sh tally.sh)
test "$found" = "$(printf '1 moon\n2 world')"
