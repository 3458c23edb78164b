"""How large a Jenkinsfile becomes in the JVM, and how deep its blocks nest."""
