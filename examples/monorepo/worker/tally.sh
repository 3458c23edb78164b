# Counts greetings: reads one name per line, and prints each name with its count.
sort | uniq -c | sed 's/^ *//'
