"""The text of a Jenkinsfile as statements, sections and stages."""
