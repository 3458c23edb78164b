package harness

import groovy.transform.CompileStatic
import java.nio.file.CopyOption
import java.nio.file.Files
import java.nio.file.LinkOption
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import org.apache.tools.ant.DirectoryScanner
import org.apache.tools.ant.Project
import org.apache.tools.ant.types.FileSet

/** Folders full of files: found by Ant's patterns as Jenkins does, copied, deleted. */
@CompileStatic
class Trees {
    private static final CopyOption[] OPTIONS = [
            LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING,
    ]

    /** Returns the files below *folder* that the comma separated patterns name, sorted. */
    static List<String> find(File folder, String includes, String excludes, boolean defaultExcludes,
                             boolean followSymlinks = true) {
        if (!folder.directory) {
            return []
        }
        FileSet files = new FileSet()
        files.project = new Project()
        files.dir = folder
        split(includes).each { String pattern -> files.createInclude().name = pattern }
        split(excludes).each { String pattern -> files.createExclude().name = pattern }
        files.defaultexcludes = defaultExcludes
        files.followSymlinks = followSymlinks
        DirectoryScanner scanner = files.getDirectoryScanner(files.project)
        return scanner.includedFiles.toList().sort()
    }

    /** Copies *names*; modes and times stay, a link stays a link. */
    static void copy(File source, File target, List<String> names) {
        names.each { String name ->
            Path to = target.toPath().resolve(name)
            Files.createDirectories(to.parent)
            if (Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) {
                delete(to)
            }
            Files.copy(source.toPath().resolve(name), to, OPTIONS)
        }
    }

    static void delete(Path path) {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            path.toFile().list().each { String name -> delete(path.resolve(name)) }
        }
        Files.deleteIfExists(path)
    }

    private static List<String> split(String patterns) {
        return (patterns ?: '').tokenize(',').collect { String it -> it.trim() }.findAll { String it -> !it.isEmpty() }
    }
}
