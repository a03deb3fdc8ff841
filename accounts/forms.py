"""Forms of sign-in and of a new person."""

from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from accounts.models import Person


class SignInForm(forms.Form):
    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label="Password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class ChangePasswordForm(PasswordChangeForm):
    field_order = ["old_password", "new_password1", "new_password2"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The rules stand in the template once; Django's own help is markup made in Python.
        self.fields["new_password1"].help_text = ""


class JoinForm(forms.ModelForm):
    """A new person, as an invitation lets one make: a name to sign in with, a name to be called, a password."""

    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="At least 10 characters, not all digits, not a common one and not like your name.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = Person
        fields = ["username", "full_name"]
        labels = {"username": "User name", "full_name": "Your name"}
        help_texts = {
            "username": "Letters, digits and @ . + - _ only. You sign in with it.",
            "full_name": "How the people who run the study see you.",
        }
        widgets = {
            "username": forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
            "full_name": forms.TextInput(attrs={"autocomplete": "name"}),
        }

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        # Names that differ only in case could be mistaken for each other on lists of people.
        if Person.objects.filter(username__iexact=name).exists():
            raise ValidationError("This user name is taken: choose another.")
        return name

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("password"):
            someone = Person(username=given.get("username", ""), full_name=given.get("full_name", ""))
            try:
                validate_password(given["password"], someone)
            except ValidationError as problem:
                self.add_error("password", problem)
        return given

    def person(self) -> Person:
        """The person described, not yet saved."""
        person = Person(username=self.cleaned_data["username"], full_name=self.cleaned_data["full_name"])
        person.set_password(self.cleaned_data["password"])
        return person
