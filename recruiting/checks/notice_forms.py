"""What is posted about the notice of a rule."""

from django import forms

from annotation.members.standing_forms import words


class NoticeForm(forms.Form):
    """What a researcher did about a notice."""

    outcome = words("What you did, and why")
    resume = forms.BooleanField(label="Give this rater tasks again", required=False)
