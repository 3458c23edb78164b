"""Secrets of local runs, and their redaction in output."""
