package harness

import groovy.transform.CompileStatic
import hudson.AbortException
import hudson.plugins.git.GitException

/** Where the code of a build comes from: the `scm` of a script. */
@CompileStatic
class Scm {
    List<Remote> userRemoteConfigs
    List<Branch> branches
    List<Object> extensions = []
    boolean doGenerateSubmoduleConfigurations
    List<Object> submoduleCfg = []
    @CompileStatic
    static class Remote {
        String url
        String name
        String refspec
        String credentialsId
    }

    @CompileStatic
    static class Branch {
        String name

        String toString() {
            return name
        }
    }

    /** Reads what `checkout` is given: maps, or parts of another `scm`. */
    static Scm from(Map<String, Object> given) {
        return new Scm(
                userRemoteConfigs: ((List<Object>) given.userRemoteConfigs).collect { Object it -> remote(it) },
                branches: ((List<Object>) (given.branches ?: [[name: '**']])).collect { Object it -> branch(it) },
                extensions: (List<Object>) given.extensions ?: [])
    }

    private static Remote remote(Object given) {
        if (given instanceof Remote) {
            return (Remote) given
        }
        Map<String, String> map = (Map<String, String>) given
        return new Remote(url: map.url, name: map.name, refspec: map.refspec, credentialsId: map.credentialsId)
    }

    private static Branch branch(Object given) {
        return given instanceof Branch ? (Branch) given : new Branch(name: ((Map<String, String>) given).name)
    }
}

/** Steps that fetch code with git. */
@CompileStatic
class ScmSteps extends StepFamily {
    private static final Set<String> IGNORED = '''
            CloneOption cloneOption CheckoutOption SubmoduleOption submodule PruneStaleBranch GitLFSPull
            AuthorInChangelog ScmName UserIdentity GitSCMSourceDefaults
    '''.tokenize().toSet()
    private static final Set<String> CLEANING = '''
            CleanBeforeCheckout CleanCheckout cleanBeforeCheckout cleanAfterCheckout
    '''.tokenize().toSet()
    private static final Set<String> OBEYED = CLEANING + [
            'RelativeTargetDirectory', 'LocalBranch', 'localBranch', 'WipeWorkspace',
    ]

    ScmSteps(Build build) {
        super(build)
    }

    @Step(first = 'scm', others = ['changelog', 'poll'], required = ['scm'], takesMap = true, needsNode = true)
    Object checkout(Map<String, Object> given, Closure body) {
        Scm scm = given.scm instanceof Scm ? (Scm) given.scm : Scm.from(described(given.scm))
        File folder = scope.folder
        Map<String, String> environment = build.environment()
        Map<String, String> found = (Map<String, String>) build.threads.await { fetch(scm, folder, environment) }
        build.console.line("Checking out Revision ${found.GIT_COMMIT} (${found.GIT_BRANCH})")
        return found + [GIT_COMMIT: build.latest(found.GIT_COMMIT)]
    }

    @Step(first = 'url', required = ['url'], needsNode = true,
            others = ['branch', 'credentialsId', 'changelog', 'poll'])
    Object git(Map<String, Object> given, Closure body) {
        String branch = (String) given.branch ?: 'master'
        Map<String, Object> scm = [
                userRemoteConfigs: [[url: given.url]], branches: [[name: "*/${branch}".toString()]],
                extensions: [['$class': 'LocalBranch', localBranch: branch]],
        ] as Map<String, Object>
        return checkout([scm: (Object) scm], null)
    }

    private static Map<String, Object> described(Object given) {
        if (given instanceof Symbol) {
            return ((Symbol) given).arguments
        }
        Map<String, Object> map = (Map<String, Object>) given
        if (map['$class'] != null && map['$class'] != 'GitSCM') {
            throw new AbortException("no such source code manager: ${map['$class']}")
        }
        return map
    }

    private Map<String, String> fetch(Scm scm, File base, Map<String, String> environment) {
        Map<String, Map<String, Object>> extensions = extensions(scm)
        File folder = new File(base, (String) extensions.RelativeTargetDirectory?.relativeTargetDir ?: '.')
        folder.mkdirs()
        if (extensions.containsKey('WipeWorkspace')) {
            folder.listFiles().each { File file -> Trees.delete(file.toPath()) }
        }
        Git git = new Git(build, folder, environment)
        Scm.Remote remote = scm.userRemoteConfigs[0]
        git.fetch(remote.url, remote.refspec, honorsRefspec(scm), depth(scm))
        String commit = revision(git, scm)
        if (extensions.keySet().any { String it -> it in CLEANING }) {
            git.run('clean', '-ffdx')
        }
        String branch = git.branchOf(commit, scm.branches*.name)
        Map<String, String> found = [GIT_COMMIT: commit, GIT_BRANCH: branch, GIT_URL: remote.url]
        if (build.settings.previous != null) {
            found.GIT_PREVIOUS_COMMIT = build.settings.previous
        }
        Map<String, Object> local = extensions.LocalBranch ?: extensions.localBranch
        try {
            if (local == null) {
                git.run('checkout', '-q', '-f', commit)
            } else {
                found.GIT_LOCAL_BRANCH = localName((String) (local.localBranch ?: local.value), branch)
                git.run('checkout', '-q', '-f', '-B', found.GIT_LOCAL_BRANCH, commit)
            }
        } catch (GitException failure) {
            // As `GitSCM.checkout`.
            throw new IOException("Could not checkout ${commit}", failure)
        }
        return found
    }

    private static String localName(String wanted, String branch) {
        return wanted == null || wanted in ['', '**'] ? branch.replaceFirst('^origin/', '') : wanted
    }

    /** As Jenkins: the extensions of a multibranch job's `scm` choose one revision for all checkouts of a build. */
    private String revision(Git git, Scm scm) {
        if (!scm.extensions.any { Object it -> nameOf(it) == 'GitSCMSourceDefaults' }) {
            return git.find(scm.branches*.name)
        }
        build.pinned = build.pinned ?: git.find(build.scm.branches*.name)
        return build.pinned
    }

    /** Whether the first clone fetches by the refspec: a `CloneOption` says so, or the source of a multibranch job. */
    private static boolean honorsRefspec(Scm scm) {
        return scm.extensions.any { Object it ->
            nameOf(it) == 'GitSCMSourceDefaults' || argumentsOf(it).honorRefspec == true
        }
    }

    /** As Jenkins: each `CloneOption` says whether to fetch a part of the history, and the last one counts. */
    private static Integer depth(Scm scm) {
        List<Object> options = scm.extensions.findAll { Object it -> nameOf(it) in ['CloneOption', 'cloneOption'] }
        Map<String, Object> last = options ? argumentsOf(options.last()) : [:]
        return last.shallow ? (Integer) last.depth ?: 1 : null
    }

    private static Map<String, Object> argumentsOf(Object extension) {
        return extension instanceof Symbol ? ((Symbol) extension).arguments : (Map<String, Object>) extension
    }

    private static String nameOf(Object extension) {
        return extension instanceof Symbol ? ((Symbol) extension).name : (String) argumentsOf(extension)['$class']
    }

    private static Map<String, Map<String, Object>> extensions(Scm scm) {
        Map<String, Map<String, Object>> found = [:]
        scm.extensions.each { Object it ->
            String name = nameOf(it)
            if (!(name in IGNORED || name in OBEYED)) {
                throw new AbortException("no such extension of GitSCM: ${name}")
            }
            found[name] = argumentsOf(it)
        }
        return found
    }
}

/** The git program in one folder. */
@CompileStatic
class Git {
    private final Build build
    private final File folder
    private final Map<String, String> environment

    Git(Build build, File folder, Map<String, String> environment) {
        this.build = build
        this.folder = folder
        this.environment = environment
    }

    /**
     * Fetches as the git plugin does: its first clone goes by the default refspec unless it honors that of the job
     * ("Honor refspec on initial clone" in the plugin's README), and only a refspec without `refs/heads` is fetched
     * after it. A history that an earlier fetch cut off at a *depth* stays cut off: its `FetchCommand` has no
     * `--unshallow` (CliGitAPIImpl of the plugin git-client).
     */
    void fetch(String url, String refspec, boolean honorsRefspec, Integer depth) {
        List<String> standard = ['+refs/heads/*:refs/remotes/origin/*']
        List<String> wanted = refspec ? refspec.tokenize(' ') : standard
        if (!new File(folder, '.git').exists()) {
            run('init', '-q')
            run('remote', 'add', 'origin', url)
            run('config', "url.${build.settings.repository.path}.insteadOf", build.settings.remote)
            if (!honorsRefspec) {
                download(standard, depth)
                if (wanted.every { String it -> it.contains('refs/heads') }) {
                    return
                }
            }
        }
        download(wanted, depth)
    }

    private void download(List<String> refspecs, Integer depth) {
        List<String> command = ['fetch', '-q', '--tags', '--force', '--prune']
        if (depth) {
            command.add("--depth=${depth}".toString())
        }
        run((command + ['origin'] + refspecs) as String[])
    }

    /** Returns the commit that the first of the branch specifiers names; the newest when a pattern names several. */
    String find(List<String> specifiers) {
        for (String specifier : specifiers) {
            for (String name : candidates(specifier)) {
                String commit = name.contains('*') ? newest(name) : commitOf(name)
                if (commit) {
                    return commit
                }
            }
        }
        throw new AbortException("Couldn't find any revision to build: none of ${specifiers} is there")
    }

    /** As `DefaultBuildChooser` of the git plugin, which names no branch for a commit that a specifier names. */
    String branchOf(String commit, List<String> specifiers) {
        if (commit in specifiers) {
            return 'detached'
        }
        List<String> names = references('--points-at', commit, '--format=%(refname:short)', 'refs/remotes/origin')
        List<String> wanted = specifiers.collectMany { String it -> candidates(it) }.collect { String it ->
            it.replaceFirst('^refs/remotes/', '')
        }
        return names.find { String name -> name in wanted } ?: (names ? names[0] : 'detached')
    }

    private static List<String> candidates(String specifier) {
        String plain = specifier.replaceFirst('^refs/heads/', '').replaceFirst('^(origin|[*])/', '')
        if (specifier ==~ /[0-9a-f]{40}/ || specifier.startsWith('refs/tags/')) {
            return [specifier]
        }
        return plain.contains('*') ? ["refs/remotes/origin/${plain}".toString()]
                : ["refs/remotes/origin/${plain}".toString(), "refs/tags/${plain}".toString(), plain]
    }

    private String commitOf(String name) {
        return tryRun('rev-parse', '-q', '--verify', "${name}^{commit}")
    }

    private List<String> references(String... arguments) {
        return run((['for-each-ref'] + arguments.toList()) as String[]).readLines()
    }

    private String newest(String pattern) {
        String glob = pattern.replace('**', '*')
        return references('--sort=-committerdate', '--format=%(objectname)', glob).find()
    }

    String run(String... arguments) {
        String output = tryRun(arguments)
        if (output == null) {
            throw new GitException("git ${arguments.join(' ')} failed")
        }
        return output
    }

    private String tryRun(String... arguments) {
        Process process = build.processes.start(['git'] + arguments.toList(), folder, environment)
        StringBuffer errors = new StringBuffer()
        Thread drain = process.consumeProcessErrorStream(errors)
        String output = process.inputStream.getText('UTF-8').trim()
        int status = build.processes.waitFor(process)
        drain.join()
        if (status != 0 && errors.length() > 0) {
            build.console.line(errors.toString().trim())
        }
        return status == 0 ? output : null
    }
}
