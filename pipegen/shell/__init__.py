"""Plan steps to POSIX sh, once for all targets."""
