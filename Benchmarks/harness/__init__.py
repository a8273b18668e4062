"""What `make bench` and `make counts` are made of: Python's standard library, and the test origin.

    content    the files that are served        trial      one measurement, in a process of its own
    origin     who serves them, and counts      reading    reads, and the time they take
    secure     the same by nginx, over TLS      tools      small C programs
    systems    who mounts them                  wire       the requests of a perfect reader
    workloads  what is done with them           rows       what of it is in the table
    table      the table, and the JSON          machine    where it was measured
"""
