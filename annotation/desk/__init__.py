"""The path of an answer, from a free slot to saved ratings; each step is a module of this folder.

1. `next_page` leads a rater to what comes next: notes, steps, guidelines, a task, or the end.
2. `assigning` gives them a lease on an open slot. `hot_queries` locks the rater and finds the first slot,
   `slot_conditions` says which slots are for them, `routed_claims` looks through their lanes, parts may have a task of
   their own, `pilot_rules` says how many tasks a pilot has, and `slot_statements` takes the slot.
3. `task_rows` reads all of a task in one statement, and `task_page` makes its page of it, with `shown_texts`,
   `highlighting` (`word_places`), `addresses` and `last_answer`.
4. `drafting` keeps what is typed and renews the lease. A draft from an older page goes to `conflicting_drafts`.
5. `form_reading` and `posted_answers` read the posted form into a Submission (`submissions`; `skip_reasons`).
6. `submit_and_claim` saves the answer and claims the next task in one transaction: `submitting` checks the answer,
   `revisions` writes the revision with its ratings and fills the slot, and parts follow the answer. Then step 2 again,
   in the same transaction, and step 3 in the same request.

Afterwards: `my_answers` and `my_day` show a rater their own work. The requests are in `urls` and
`annotation/views/desk.py`; what the browser does is in `static/js/desk/`.
"""
