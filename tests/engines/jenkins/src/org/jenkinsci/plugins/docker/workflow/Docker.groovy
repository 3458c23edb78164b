package org.jenkinsci.plugins.docker.workflow

/** The class of the global `docker` of the plugin docker-workflow, which scripts may name. */
class Docker {
}
