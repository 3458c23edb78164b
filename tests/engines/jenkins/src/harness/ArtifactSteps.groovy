package harness

import groovy.transform.CompileStatic
import groovy.util.slurpersupport.GPathResult
import hudson.AbortException
import hudson.model.Result

/** Steps that carry files between agents, or keep them for people. */
@CompileStatic
class ArtifactSteps extends StepFamily {
    ArtifactSteps(Build build) {
        super(build)
    }

    @Step(first = 'name', required = ['name'], needsNode = true,
            others = ['includes', 'excludes', 'useDefaultExcludes', 'allowEmpty'])
    Object stash(Map<String, Object> given, Closure body) {
        String name = (String) given.name
        checkName(name)
        List<String> files = Trees.find(scope.folder, (String) given.includes ?: '**', (String) given.excludes,
                given.useDefaultExcludes != false)
        if (files.isEmpty() && given.allowEmpty != true) {
            throw new AbortException("No files included in stash \u2018${name}\u2019")
        }
        File store = store(name)
        File source = scope.folder
        build.threads.await {
            Trees.delete(store.toPath())
            store.mkdirs()
            Trees.copy(source, store, files)
        }
        build.stashes[name] = files
        build.console.line("Stashed ${files.size()} file(s)")
        return null
    }

    @Step(first = 'name', required = ['name'], needsNode = true)
    Object unstash(Map<String, Object> given, Closure body) {
        String name = (String) given.name
        if (!build.stashes.containsKey(name)) {
            throw new AbortException("No such saved stash \u2018${name}\u2019")
        }
        List<String> files = build.stashes[name]
        File target = scope.folder
        build.threads.await {
            target.mkdirs()
            Trees.copy(store(name), target, files)
        }
        return null
    }

    /** The names that Jenkins takes for good. */
    private static void checkName(String name) {
        if (name.trim() in ['', '.', '..'] || name.find(/[?*\/\\%!@#$^&|<>\[\]:;\p{Cntrl}]/) != null) {
            throw new AbortException("\u2018${name}\u2019 is no name for a stash")
        }
    }

    private File store(String name) {
        return new File(build.settings.root, "stashes/${name}")
    }

    @Step(first = 'artifacts', required = ['artifacts'], needsNode = true,
            others = ['allowEmptyArchive', 'caseSensitive', 'defaultExcludes', 'excludes', 'fingerprint',
                    'followSymlinks', 'onlyIfSuccessful'])
    Object archiveArtifacts(Map<String, Object> given, Closure body) {
        if (given.onlyIfSuccessful == true && build.result != null && build.result.isWorseThan(Result.UNSTABLE)) {
            build.console.line('Skipped archiving because build is not successful')
            return null
        }
        List<String> files = Trees.find(scope.folder, (String) given.artifacts, (String) given.excludes,
                given.defaultExcludes != false, given.followSymlinks != false)
        if (files.isEmpty()) {
            String message = "No artifacts found that match the file pattern \"${given.artifacts}\""
            if (given.allowEmptyArchive != true) {
                throw new AbortException(message)
            }
            build.console.line(message)
        }
        File archive = new File(build.settings.root, 'archive')
        File source = scope.folder
        // Several stages may archive a file of one name at once, and the last one's stays.
        build.threads.await { synchronized (build.archived) { Trees.copy(source, archive, files) } }
        build.archived.addAll(files)
        return null
    }

    @Step(first = 'testResults', required = ['testResults'], needsNode = true,
            others = ['allowEmptyResults', 'skipMarkingBuildUnstable', 'keepLongStdio', 'healthScaleFactor',
                    'skipPublishingChecks', 'checksName', 'testDataPublishers', 'stdioRetention', 'keepProperties',
                    'keepTestNames', 'skipOldReports'])
    Object junit(Map<String, Object> given, Closure body) {
        List<String> files = Trees.find(scope.folder, (String) given.testResults, null, true)
        TestSummary summary = new TestSummary()
        files.each { String name -> summary.add(new File(scope.folder, name)) }
        if (summary.totalCount == 0) {
            String message = files.isEmpty() ? 'No test report files were found. Configuration error?' :
                    'None of the test reports contained any result'
            if (given.allowEmptyResults == true) {
                build.console.line(message)
                return summary
            }
            throw new AbortException(message)
        }
        build.reports.add([files: files, total: summary.totalCount, failed: summary.failCount,
                           skipped: summary.skipCount])
        // As `JUnitResultsStepExecution`: skipMarkingBuildUnstable concerns the build, and the stage is unstable even so.
        if (summary.failCount > 0) {
            Stages.mark(scope.stage, Result.UNSTABLE, "${summary.failCount} tests failed")
            if (given.skipMarkingBuildUnstable != true) {
                build.worsen(Result.UNSTABLE)
            }
        }
        return summary
    }

    /** The analysis of findings: it only notes the files, and who asks twice by one ID. */
    @Step(first = 'tool', needsNode = true,
            others = ['tools', 'id', 'name', 'enabledForFailure', 'skipPublishingChecks', 'qualityGates'])
    Object recordIssues(Map<String, Object> given, Closure body) {
        List<Object> tools = (List<Object>) given.tools ?: [given.tool]
        tools.each { Object it ->
            Symbol tool = (Symbol) it
            record((String) given.id ?: tool.name, tool.name, (String) tool.arguments.pattern)
        }
        return null
    }

    @Step(first = 'tools', required = ['tools'], needsNode = true,
            others = ['id', 'name', 'sourceCodeRetention', 'skipPublishingChecks', 'qualityGates'])
    Object recordCoverage(Map<String, Object> given, Closure body) {
        ((List<Map<String, Object>>) given.tools).each { Map<String, Object> tool ->
            record((String) given.id ?: 'coverage', (String) tool.parser, (String) tool.pattern)
        }
        return null
    }

    private void record(String id, String kind, String pattern) {
        if (build.reports.any { Map<String, Object> it -> it.id == id }) {
            throw new IllegalStateException("ID ${id} is already used by another action")
        }
        List<String> files = Trees.find(scope.folder, pattern, null, true)
        if (files.isEmpty()) {
            build.console.line("[-ERROR-] No files found for pattern '${pattern}'")
        }
        build.reports.add([id: (Object) id, kind: (Object) kind, files: (Object) files])
    }
}

/** Counts of test cases. */
@CompileStatic
class TestSummary {
    int totalCount
    int failCount
    int skipCount

    int getPassCount() {
        return totalCount - failCount - skipCount
    }

    void add(File report) {
        GPathResult root = new XmlSlurper().parse(report)
        // As in Jenkins 2.479.3 with junit 1312: the class of a case is by default the name of its suite.
        boolean isUnnamed = root.depthFirst().any { Object it ->
            nameOf(it) == 'testcase' && !attribute(it, 'classname') && !attribute(((GPathResult) it).parent(), 'name')
        }
        if (isUnnamed) {
            throw new NullPointerException('Cannot invoke "String.lastIndexOf(int)" because "this.className" is null')
        }
        root.depthFirst().findAll { Object it -> nameOf(it) == 'testcase' }.each { Object it ->
            List<String> outcomes = ((GPathResult) it).children().iterator().collect { Object child -> nameOf(child) }
            totalCount++
            failCount += outcomes.any { String outcome -> outcome in ['failure', 'error'] } ? 1 : 0
            skipCount += 'skipped' in outcomes ? 1 : 0
        }
    }

    private static String attribute(Object element, String name) {
        return ((GPathResult) element).getProperty("@$name").toString()
    }

    private static String nameOf(Object element) {
        return ((GPathResult) element).name()
    }
}
