"""The rules, one file each, named as its code."""
