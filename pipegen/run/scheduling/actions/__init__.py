"""The actions of a cycle, in order: admit gangs, place their tasks, fill in those that take no resources."""
