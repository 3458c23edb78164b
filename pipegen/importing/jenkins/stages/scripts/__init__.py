"""`script` blocks: steps, conditions of steps, and values of names, as commands of the shell."""
