"""The neutral plan: what each job does, independent of any engine."""
