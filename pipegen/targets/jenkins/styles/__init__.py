"""The styles of a Jenkinsfile: declarative, scripted, and tables for large ones."""
