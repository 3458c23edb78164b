"""Charts and figures of simulations, as text, SVG and data."""
