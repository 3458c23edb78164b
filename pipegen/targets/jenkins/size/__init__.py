"""The size of a Jenkinsfile in the JVM, and the nesting depth of its blocks."""
