package harness

import groovy.transform.CompileStatic
import org.codehaus.groovy.ast.ClassCodeVisitorSupport
import org.codehaus.groovy.ast.ClassNode
import org.codehaus.groovy.ast.expr.ConstantExpression
import org.codehaus.groovy.ast.expr.MethodCallExpression
import org.codehaus.groovy.classgen.GeneratorContext
import org.codehaus.groovy.control.CompilePhase
import org.codehaus.groovy.control.CompilerConfiguration
import org.codehaus.groovy.control.SourceUnit
import org.codehaus.groovy.control.customizers.CompilationCustomizer
import org.codehaus.groovy.control.customizers.ImportCustomizer
import org.jenkinsci.plugins.scriptsecurity.sandbox.RejectedAccessException

/** Compiles a Jenkinsfile as Jenkins does: with its imports, its base class and its name. */
@CompileStatic
class Compiler {
    /** The name that Jenkins gives the class of a Jenkinsfile. */
    static final String NAME = 'WorkflowScript'
    /** What calls of `sleep` are renamed to: Groovy's own method of that name would win inside closures. */
    static final String SLEEP = 'pipelineSleep'

    static CompilerConfiguration configuration() {
        CompilerConfiguration configuration = new CompilerConfiguration(sourceEncoding: 'UTF-8')
        configuration.addCompilationCustomizers(
                new ImportCustomizer().addStarImports('com.cloudbees.groovy.cps', 'hudson.model', 'jenkins.model')
                        .addImports('org.jenkinsci.plugins.workflow.libs.Library'))
        return configuration
    }

    static Script script(String text, Build build) {
        CompilerConfiguration configuration = configuration()
        configuration.scriptBaseClass = JenkinsScript.name
        configuration.addCompilationCustomizers(new Preparation())
        return new GroovyShell(Compiler.classLoader, new Binding(), configuration).parse(text, "${NAME}.groovy")
    }

    /** Refuses what the sandbox refuses, renames `sleep`, and follows what is to be saved. */
    private static class Preparation extends CompilationCustomizer {
        Preparation() {
            super(CompilePhase.CONVERSION)
        }

        @Override
        void call(SourceUnit source, GeneratorContext context, ClassNode type) {
            List<Finding> rejected = Sandbox.check(source.AST)
            if (rejected) {
                List<String> reasons = rejected.collect { Finding it -> "line ${it.line}: ${it.message}".toString() }
                throw new RejectedAccessException(reasons.join('; '))
            }
            new Renamer(source).visitClass(type)
            Tracking.follow(type)
        }
    }

    private static class Renamer extends ClassCodeVisitorSupport {
        private final SourceUnit source

        Renamer(SourceUnit source) {
            this.source = source
        }

        @Override
        protected SourceUnit getSourceUnit() {
            return source
        }

        @Override
        void visitMethodCallExpression(MethodCallExpression call) {
            if (call.implicitThis && call.methodAsString == 'sleep') {
                call.method = new ConstantExpression(SLEEP)
            }
            super.visitMethodCallExpression(call)
        }
    }
}
