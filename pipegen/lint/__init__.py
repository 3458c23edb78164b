"""Rules over the plan that report valid code which is probably a mistake."""
