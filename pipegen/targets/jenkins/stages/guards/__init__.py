"""What happens before a stage runs, or ends it: conditions, approvals, locks, limits."""
