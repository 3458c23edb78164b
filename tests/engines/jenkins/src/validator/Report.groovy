package validator

import groovy.transform.CompileStatic
import harness.Finding
import org.codehaus.groovy.ast.ASTNode

/** Collects what is wrong with one Jenkinsfile by the *facts* about Jenkins. */
@CompileStatic
class Report {
    final Facts facts
    final List<Finding> findings = []

    Report(Facts facts) {
        this.facts = facts
    }

    void add(ASTNode node, String message) {
        findings.add(new Finding(node.lineNumber, message))
    }

    List<Finding> sorted() {
        return findings.unique(false) { Finding it -> [it.line, it.message] }.sort(false) { Finding it -> it.line }
    }
}
