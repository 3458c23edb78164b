package main

import "testing"

func TestGreeting(t *testing.T) {
	if got := Greeting("world"); got != "Hello, world!" {
		t.Errorf("got %q", got)
	}
}
