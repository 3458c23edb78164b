# Placeholder for a script that pushes a tag: release.sh TAG, with a token in TOKEN.
set -eu
test -n "$TOKEN"
echo "released $1"
