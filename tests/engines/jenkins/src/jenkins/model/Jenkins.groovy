package jenkins.model

/** A name that Jenkins imports into every script; scripts in the sandbox cannot use it. */
interface Jenkins {
}
