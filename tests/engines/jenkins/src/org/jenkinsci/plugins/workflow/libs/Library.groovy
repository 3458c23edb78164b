package org.jenkinsci.plugins.workflow.libs

import java.lang.annotation.ElementType
import java.lang.annotation.Retention
import java.lang.annotation.RetentionPolicy
import java.lang.annotation.Target

/** Names shared libraries that Jenkins loads before the script; here there are none to load. */
@Retention(RetentionPolicy.SOURCE)
@Target([ElementType.PACKAGE, ElementType.LOCAL_VARIABLE, ElementType.TYPE, ElementType.FIELD, ElementType.METHOD])
@interface Library {
    String[] value()
}
