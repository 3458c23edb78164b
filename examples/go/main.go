// Command greet greets by name.
package main

import (
	"fmt"
	"os"
)

// Greeting returns the greeting for name.
func Greeting(name string) string {
	return "Hello, " + name + "!"
}

func main() {
	for _, name := range os.Args[1:] {
		fmt.Println(Greeting(name))
	}
}
