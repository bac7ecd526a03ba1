"""Which calls a trace shows: a tree of calls for each thread, whatever kind of trace it is.

`inst.calltree.calls.Calls` takes the events of a trace batch by batch and returns for each event in
which call its thread was, and which calls began and ended. What it relies on depends on the trace:

- events of functions (`--inst-functions`): every call of such code, exactly;
- every instruction with its word: every call and return, exactly;
- accesses only: what follows with certainty from the program's code between two accesses. Calls
  that no access shows are missing, counts are least counts, and a function below which others may
  have run unseen stands directly under what is known to enclose it, marked as indirect.
"""
