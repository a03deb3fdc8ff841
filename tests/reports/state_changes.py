"""Collects changes of a study after which the state of its data is the same as before."""

from reports.kept.data_state import data_state


class Changes:
    """`unseen` names the changes that the state does not show."""

    def __init__(self, study):
        self.study, self.unseen = study, []

    def after(self, name, change):
        before = data_state(self.study)
        made = change()
        if data_state(self.study) == before:
            self.unseen.append(name)
        return made
