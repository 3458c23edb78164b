# A repeated name has a count of two.
set -eu
counts=$(printf 'world\nmoon\nworld\n' | sh tally.sh)
test "$counts" = "$(printf '1 moon\n2 world')"
