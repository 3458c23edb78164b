"""`needs`: which jobs each job waits for."""
