"""Output to the terminal and questions to the user."""
