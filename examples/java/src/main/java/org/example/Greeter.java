package org.example;

/** Greets by name. */
public final class Greeter {
    private Greeter() {
    }

    /** Returns the greeting for {@code name}. */
    public static String greeting(String name) {
        return "Hello, " + name + "!";
    }
}
