package harness

import groovy.transform.CompileStatic
import hudson.model.Result

/** One run of a Jenkinsfile: what it is made from, and what has come of it so far. */
@CompileStatic
class Build {
    static Build current

    final Settings settings
    final Threads threads = new Threads()
    final Stages stages = new Stages()
    final Locks locks = new Locks()
    final Agents agents
    final Processes processes
    final Console console
    final Parameters parameters
    final Scm scm
    /** The commit that all checkouts of a multibranch build share. */
    String pinned
    private final List<String> commits = []
    final Steps steps
    /** Variables of the whole build; `env.NAME = …` sets them. */
    final Map<String, String> variables = new TreeMap<>()
    final Map<String, List<String>> stashes = new TreeMap<>()
    final Set<String> archived = new TreeSet<>()
    final List<Map<String, Object>> mails = []
    final List<Map<String, String>> containers = []
    final List<Map<String, Object>> builds = []
    final List<Map<String, Object>> inputs = []
    final List<Map<String, Object>> reports = []
    /** What starts builds of the job by the clock. */
    final List<String> crons = []
    final long started = Clock.now()
    String displayName
    String description
    private Result worst

    Build(Settings settings) {
        this.settings = settings
        agents = new Agents(settings)
        processes = new Processes(settings.patience)
        console = new Console(settings.log)
        displayName = "#${settings.number}"
        variables.putAll(ownVariables())
        variables.putAll(settings.variables)
        parameters = new Parameters(this, settings.parameters)
        scm = new Scm(userRemoteConfigs: [new Scm.Remote(url: settings.remote)],
                branches: [new Scm.Branch(name: settings.branch)],
                extensions: isMultibranch() ? [(Object) ['$class': 'GitSCMSourceDefaults']] : [])
        steps = new Steps([new FlowSteps(this), new AgentSteps(this), new ShellSteps(this), new ArtifactSteps(this),
                           new EnvironmentSteps(this), new ScmSteps(this), new NoticeSteps(this)])
        current = this
    }

    /** The result so far, or null while nothing has gone wrong. */
    Result getResult() {
        return worst
    }

    /** As Jenkins: a result can only get worse. */
    void worsen(Result result) {
        if (worst == null || result.isWorseThan(worst)) {
            worst = result
        }
    }

    /** Replaces the result, as Declarative does for a while. */
    void replaceResult(Result result) {
        worst = result
    }

    /** As Jenkins: of two triggers of a kind, the job keeps the last. */
    void startBy(List triggers) {
        crons.clear()
        triggers.each { Object it ->
            if (((Symbol) it).name == 'cron') {
                crons.clear()
                crons.add(((Symbol) it).arguments.value as String)
            }
        }
    }

    boolean isMultibranch() {
        return settings.variables.containsKey('BRANCH_NAME')
    }

    /** Returns all variables that a process started here sees. */
    Map<String, String> environment() {
        Map<String, String> base = new TreeMap<>(Threads.scope.agent == null ? [:] : settings.environment)
        base.putAll(variables)
        return Threads.scope.environment(base)
    }

    Object evaluate(File file) {
        return Compiler.script(file.getText('UTF-8'), this).run()
    }

    private Map<String, String> ownVariables() {
        String name = settings.job.tokenize('/').last()
        String number = settings.number as String
        return [JOB_NAME: settings.job, JOB_BASE_NAME: name, BUILD_NUMBER: number, BUILD_ID: number,
                BUILD_DISPLAY_NAME: displayName, BUILD_TAG: 'jenkins-' + settings.job.replace('/', '-') + '-' + number,
                CI: 'true']
    }

    /**
     * Returns what `checkout` of a commit returns as GIT_COMMIT: the commit that was checked out first of all that the
     * build has checked out, last. `GitSCM.checkout` adds the data of a commit to the build once, and
     * `GitSCM.getBuildData` reads the data that was added last.
     */
    synchronized String latest(String commit) {
        if (!(commit in commits)) {
            commits.add(commit)
        }
        return commits.last()
    }
}
