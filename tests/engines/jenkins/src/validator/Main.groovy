package validator

import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import groovy.transform.CompileStatic
import harness.Compiler
import harness.Finding
import harness.Sandbox
import org.codehaus.groovy.control.CompilationUnit
import org.codehaus.groovy.control.MultipleCompilationErrorsException
import org.codehaus.groovy.control.Phases
import org.codehaus.groovy.control.SourceUnit
import org.codehaus.groovy.control.messages.ExceptionMessage
import org.codehaus.groovy.control.messages.Message
import org.codehaus.groovy.control.messages.SyntaxErrorMessage

/** Validates many Jenkinsfiles: reads texts from one JSON file, writes findings to another. */
@CompileStatic
class Main {
    static void main(String[] arguments) {
        Map<String, Object> request = (Map<String, Object>) new JsonSlurper().parse(new File(arguments[0]), 'UTF-8')
        Facts facts = new Facts((Map<String, Object>) request.facts)
        Map<String, Object> answers = [:]
        ((Map<String, String>) request.texts).each { String name, String text ->
            List<Finding> found = validate(text, facts, (boolean) request.bytecode)
            answers[name] = found.collect { Finding it -> [line: it.line, message: it.message] }
        }
        new File(arguments[1]).setText(JsonOutput.toJson(answers), 'UTF-8')
    }

    static List<Finding> validate(String text, Facts facts, boolean bytecode) {
        GroovyClassLoader loader = new GroovyClassLoader(Main.classLoader)
        CompilationUnit unit = new CompilationUnit(Compiler.configuration(), null, loader)
        SourceUnit source = unit.addSource("${Compiler.NAME}.groovy", text)
        List<Finding> errors = compile(unit, Phases.CONVERSION)
        if (errors) {
            return errors
        }
        Report report = new Report(facts)
        report.findings.addAll(Sandbox.check(source.AST))
        new SizeRules(report).check(source.AST)
        new PipelineRules(report).check(source.AST)
        new DurabilityRules(report).check(source.AST)
        if (bytecode && !report.findings) {
            report.findings.addAll(compile(unit, Phases.CLASS_GENERATION))
        }
        return report.sorted()
    }

    private static List<Finding> compile(CompilationUnit unit, int phase) {
        try {
            unit.compile(phase)
            return []
        } catch (MultipleCompilationErrorsException error) {
            return error.errorCollector.errors.collect { Object it -> finding((Message) it) }
        } catch (RuntimeException error) {
            return [new Finding(0, error.message ?: error.class.name)]
        }
    }

    private static Finding finding(Message message) {
        if (message instanceof SyntaxErrorMessage) {
            return new Finding(message.cause.line, message.cause.originalMessage)
        }
        return new Finding(0, message instanceof ExceptionMessage ? message.cause.message : message.toString())
    }
}
