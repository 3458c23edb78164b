"""The stages of a Jenkinsfile as stages of a config."""
