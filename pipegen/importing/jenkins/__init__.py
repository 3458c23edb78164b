"""The import of Declarative Jenkinsfiles."""
