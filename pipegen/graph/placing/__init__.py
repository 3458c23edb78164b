"""Where the nodes and arcs of a graph stand in a picture that is read from left to right.

After Sugiyama: nodes stand in columns, arcs that pass a column bend there, each column is put in the order in which the
fewest arcs cross, and then everything comes as near to its neighbours as its column has room. The same graph gives the
same picture.

No library is used, for none did better on pipelines of 30 to 1,000 stages: docs/pictures.md has the figures.
"""
