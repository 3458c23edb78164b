# Placeholder for a test of all services: smoke.sh start, smoke.sh look.
set -eu
echo "$1: fine"
