package org.example;

/** Greets by name. */
public final class Greeter {
    private Greeter() {
    }

    /** Returns what is said to {@code name}. */
    public static String greeting(String name) {
        return "Hello, " + name + "!";
    }
}
