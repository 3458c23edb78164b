"""Keys and values of other CI systems, recognized in a config where their users write them."""
