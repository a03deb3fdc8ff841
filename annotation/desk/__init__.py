"""The path of an answer, from a free slot to saved ratings; each step is a module of this folder.

1. `next_page` leads a rater to what comes next: notes, steps, guidelines, a task, or the end.
2. `assigning` gives them a lease on an open slot. `statements` locks the rater, finds the first slot and takes it;
   `parts_of` (`config/parts.py`) says which parts of the study it asks: for a search of their own or a task mixed in.
   `part_tasks` asks them what else a page needs, such as a limit or what comes before a task.
3. `statements` reads all of a task in one statement, and `task_page` makes its page of it, with `highlighting`.
4. `drafting` keeps what is typed and renews the lease. A draft from an older page goes to `conflicting_drafts`.
5. `posted_answers` reads the posted form into a Submission.
6. `submitting` has the answer read and checked, question by question with `form_reading`, writes the revision with its
   ratings, fills the slot, lets parts follow the answer, and claims the next task: step 2 again, in the same
   transaction, and step 3 in the same request.

Afterwards: `my_answers` and `my_day` show a rater their own work. The requests are in `urls` and
`annotation/views/desk.py`; what the browser does is in `static/js/desk/`.
"""
