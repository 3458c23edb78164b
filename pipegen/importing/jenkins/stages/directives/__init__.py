"""The directives of a stage: agents, variables, secrets, conditions and matrices."""
