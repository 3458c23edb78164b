package harness

import groovy.json.JsonSlurper
import groovy.transform.CompileStatic

/** What a build is started with; read from the JSON file that the Python door writes. */
@CompileStatic
class Settings {
    File script
    /** Everything that the build makes lies in here: workspaces, stashes, archive. */
    File root
    File report
    File log
    /** The program and its first arguments that run shell steps, such as `busybox sh`. */
    List<String> shell
    /** The environment of the agents' processes. */
    Map<String, String> environment
    /** Variables of the build, such as BRANCH_NAME. */
    Map<String, String> variables
    /** What the build was started with, or null for the first build of a job, whose parameters are not known yet. */
    Map<String, Object> parameters
    /** Credentials by id: kind (text, file, pair, ssh) and the fields of that kind. */
    Map<String, Map<String, String>> credentials
    /** Agents: name, labels, executors. */
    List<Map<String, Object>> nodes
    File repository
    /** The address under which scripts know the repository. */
    String remote
    /** Which branch the job is configured with, a pattern such as GitSCM takes. */
    String branch
    /** The classes of what started the build. */
    List<String> causes
    /** The commit that the build before had, or null for the first build of a branch. */
    String previous
    /** The result of the build before, or null for the first build of a job. */
    String previousResult
    String job
    int number
    /** Whether `input` goes on or aborts. */
    boolean approve
    /** Results of the jobs that `build` starts; others succeed. */
    Map<String, String> jobs
    /** Steps of plugins and libraries that this harness only notes in the log. */
    Set<String> pluginSteps
    /** How long the build may take before it is aborted as by a person. */
    double seconds
    /** How long a process may take to end after TERM. */
    double patience

    static Settings read(File file) {
        Map<String, Object> values = (Map<String, Object>) new JsonSlurper().parse(file, 'UTF-8')
        Settings settings = new Settings()
        settings.script = new File((String) values.script)
        settings.root = new File((String) values.root)
        settings.report = new File((String) values.report)
        settings.log = new File((String) values.log)
        settings.shell = (List<String>) values.shell
        settings.environment = (Map<String, String>) values.environment
        settings.variables = (Map<String, String>) values.variables
        settings.parameters = (Map<String, Object>) values.parameters
        settings.credentials = (Map<String, Map<String, String>>) values.credentials
        settings.nodes = (List<Map<String, Object>>) values.nodes
        settings.repository = new File((String) values.repository)
        settings.remote = (String) values.remote
        settings.branch = (String) values.branch
        settings.causes = (List<String>) values.causes
        settings.previous = (String) values.previous
        settings.previousResult = (String) values.previous_result
        settings.job = (String) values.job
        settings.number = ((Number) values.number).intValue()
        settings.approve = (boolean) values.approve
        settings.jobs = (Map<String, String>) values.jobs
        settings.pluginSteps = ((List<String>) values.plugin_steps).toSet()
        settings.seconds = ((Number) values.seconds).doubleValue()
        settings.patience = ((Number) values.patience).doubleValue()
        return settings
    }
}
