# Counts who is greeted: a name a line in, each with its number out.
sort | uniq -c | sed 's/^ *//'
