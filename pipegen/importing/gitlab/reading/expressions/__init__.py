"""Expressions of rules: parsed to formulas, which are evaluated."""
