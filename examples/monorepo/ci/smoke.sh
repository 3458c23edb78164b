# Stands for a test of the services together: smoke.sh start, smoke.sh look.
set -eu
echo "$1: fine"
