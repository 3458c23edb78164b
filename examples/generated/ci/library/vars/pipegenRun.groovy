/**
 * Generates the stages of a repository from its config, and runs them.
 *
 * A step of a shared library. The Jenkinsfile of each repository is then
 *
 *     @Library('pipegen') _
 *     pipegenRun()
 *
 * config: its path; without it, the usual one. agent: the label of an agent that has pipegen.
 */
void call(Map given = [:]) {
    String generated
    node(given.agent ?: 'pipegen') {
        checkout scm
        // By a variable: a path is no shell text.
        withEnv(["PIPEGEN_CONFIG=${given.config ?: ''}"]) {
            sh 'pipegen compile ${PIPEGEN_CONFIG:+"$PIPEGEN_CONFIG"} -t jenkins --style scripted -o generated.groovy'
        }
        generated = readFile 'generated.groovy'
    }
    evaluate generated
}
