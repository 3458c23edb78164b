"""The .dockerignore of a build context, which is the user's again when the build is over."""

BACKUP = '"$pipegen/dockerignore"'
PUT_BACK = f'if [ -e {BACKUP} ]; then cat {BACKUP} >"$pipegen_ignore"; else rm -f "$pipegen_ignore"; fi'
