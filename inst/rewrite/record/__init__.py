"""Recording without calls: segments of basic blocks write what happened to a buffer, inline.

`sites.record_sites` is the pass, `model` what its steps hand on, `recorder` what an instruction set
provides for them. Of each part of a file the pass takes the sites (`inst.rewrite.sites`) with
liveness, in this order:

1. `reserved.find_reserved` (for re-execution, as 2 and 3): the loads that make a reservation, with
   the ways to where their values can be stored.
2. `arrivals.find_arrivals`: from basic blocks, the registers that code brings which is not
   instrumented, as sites of their own.
3. `segments.plain_stores` and `restored.restores`: the sites that re-execution computes, the latter
   from the directives of the unwinding table. They get a label, and no code.
4. `segments.find_segments`: all other sites that can be recorded inline, cut into segments. `slots`
   says which accesses in delay slots can be.
5. `states.place`: from the segments, what each may write at most (`writing.size_of`) and basic
   blocks, which segments look whether the buffer has room, and where its pointer is loaded and
   stored. `loops` finds the loops in which a register counts that, and `names` the segments whose
   names follow from other ones by an addition.
6. `writing.write_segment`: the edits of a segment, and its items, which the table of segments
   (`inst.rewrite.segment_table`) gets: how a reader derives each access.
7. `calls.add_calls` (for re-execution): the calls of functions that touch what their arguments say.

All other sites call hooks, which are written next (`inst.rewrite.writers`); then `sites.add_code`
has `reserved.write_reserved` store the values of 1, and enters into the table where the code that
can be executed again begins and ends.
"""
