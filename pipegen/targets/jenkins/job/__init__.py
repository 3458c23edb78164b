"""Settings of the whole Jenkins job: properties, parameters, checkouts."""
