"""The rules, one file each, named after its code."""
