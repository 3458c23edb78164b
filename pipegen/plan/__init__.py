"""The neutral plan: what each job does, in words that no engine owns."""
