"""What recruiting does with each submitted answer."""

from recruiting.stopping.third_raters import note_answer

AFTER_ANSWER = note_answer
