/**
 * Generates the stages of a repository from its config and runs them.
 *
 * A step of a shared library. The Jenkinsfile of each repository is then
 *
 *     @Library('pipegen') _
 *     pipegenRun()
 *
 * config: the path of the config; the default is the usual path.
 * agent: the label of an agent with pipegen.
 */
void call(Map parameters = [:]) {
    String generated
    node(parameters.agent ?: 'pipegen') {
        checkout scm
        // A variable, because a path must not become shell code.
        withEnv(["PIPEGEN_CONFIG=${parameters.config ?: ''}"]) {
            sh 'pipegen compile ${PIPEGEN_CONFIG:+"$PIPEGEN_CONFIG"} -t jenkins --style scripted -o generated.groovy'
        }
        generated = readFile 'generated.groovy'
    }
    evaluate generated
}
