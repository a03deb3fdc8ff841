"""Forms for signing in, joining and changing a password."""

from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from accounts.access import person_of
from accounts.languages import LANGUAGES, LONGEST_ZONE, zone_named
from accounts.models import Person
from accounts.preferences import LONGEST_PHRASE, MOST_PHRASES
from accounts.signing_in import is_own_password
from config.text_validation import TextRefusedError, check_text

HOW_TO_CHOOSE_ONE = gettext_lazy(
    "At least 10 characters. Not only digits, not a common password, and not similar to your name."
)


class SignInForm(forms.Form):
    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class ChangePasswordForm(PasswordChangeForm):
    """Checks the old password as sign-in does: wrong ones are counted, and too many are refused."""

    field_order = ["old_password", "new_password1", "new_password2"]

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(person_of(request), *args, **kwargs)
        self.request = request
        # Django's own help text is markup made in Python.
        self.fields["new_password1"].help_text = HOW_TO_CHOOSE_ONE
        self.fields["new_password2"].label, self.fields["new_password2"].help_text = gettext("New password again"), ""

    def clean_old_password(self) -> str:
        given: str = self.cleaned_data["old_password"]
        if not is_own_password(self.request, given):
            raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return given


class CodeForm(forms.Form):
    """A code of an authenticator app, or in its place a recovery code."""

    code = forms.CharField(
        label=gettext_lazy("Code from your app"),
        max_length=20,
        required=False,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "spellcheck": "false", "dir": "ltr"}
        ),
    )
    recovery = forms.CharField(
        label=gettext_lazy("Recovery code"),
        max_length=40,
        required=False,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false", "dir": "ltr"}
        ),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if not self.errors and not (given["code"] or given["recovery"]):
            self.add_error("code", gettext("Type the six digits that your app shows now."))
        return given

    @property
    def given(self) -> str:
        """What was typed, in either field."""
        given: str = self.cleaned_data["recovery"] or self.cleaned_data["code"]
        return given

    def refuse(self) -> None:
        """Say that the code is wrong."""
        field = "recovery" if self.cleaned_data["recovery"] else "code"
        self.add_error(field, gettext("This code is wrong or has been used. Try the next one."))


class NewPasswordForm(SetPasswordForm):
    """A new password, twice, for somebody who has proved who they are by a link."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Django's own help text is markup made in Python.
        self.fields["new_password1"].help_text = HOW_TO_CHOOSE_ONE
        self.fields["new_password2"].label, self.fields["new_password2"].help_text = gettext("New password again"), ""


class JoinForm(forms.ModelForm):
    """A new person who accepts an invitation: a user name, a name to be called by, and a password."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        help_text=HOW_TO_CHOOSE_ONE,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = Person
        fields = ["username", "full_name"]
        labels = {"username": gettext_lazy("User name"), "full_name": gettext_lazy("Your name")}
        help_texts = {
            "username": gettext_lazy("You sign in with it. Only letters, digits and @ . + - _ are allowed."),
            "full_name": gettext_lazy("Shown to the people who run the study."),
        }
        widgets = {
            "username": forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
            "full_name": forms.TextInput(attrs={"autocomplete": "name"}),
        }

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
        """Return the new person, not saved yet."""
        person = Person(username=self.cleaned_data["username"], full_name=self.cleaned_data["full_name"])
        person.set_password(self.cleaned_data["password"])
        return person


class PreferencesForm(forms.Form):
    """The options of a person; phrases are one per line."""

    keys_on = forms.BooleanField(label=gettext_lazy("Keys are on"), required=False)
    submits_itself = forms.BooleanField(label=gettext_lazy("Submit by itself"), required=False)
    phrases = forms.CharField(
        label=gettext_lazy("Phrases for comments"),
        required=False,
        max_length=MOST_PHRASES * (LONGEST_PHRASE + 2),
        widget=forms.Textarea(attrs={"rows": 8, "dir": "auto"}),
        help_text=format_lazy(
            gettext_lazy("One per line, at most {most}. Beside each comment you can insert one of them."),
            most=MOST_PHRASES,
        ),
    )

    language = forms.ChoiceField(
        label=gettext_lazy("Language"), required=False,
        choices=[("", gettext_lazy("As the browser asks")), *LANGUAGES.items()],
    )  # fmt: skip
    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        required=False,
        max_length=LONGEST_ZONE,
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false", "dir": "ltr"}),
        help_text=gettext_lazy("For example Europe/Berlin. Empty: UTC, until your browser says its own."),
    )

    def clean_time_zone(self) -> str:
        name: str = self.cleaned_data["time_zone"]
        if name and zone_named(name) is None:
            raise ValidationError(gettext("This is not the name of a time zone."))
        return name

    def clean_phrases(self) -> list[str]:
        """The phrases without empty lines, each once."""
        lines = [line.strip() for line in self.cleaned_data["phrases"].splitlines()]
        phrases = list(dict.fromkeys(line for line in lines if line))
        if len(phrases) > MOST_PHRASES:
            raise ValidationError(
                gettext("Keep at most %(most)s phrases. These are %(number)s.")
                % {"most": MOST_PHRASES, "number": len(phrases)}
            )
        if any(len(phrase) > LONGEST_PHRASE for phrase in phrases):
            raise ValidationError(
                gettext("Shorten each phrase to at most %(most)s characters.") % {"most": LONGEST_PHRASE}
            )
        try:
            return [check_text(phrase) for phrase in phrases]
        except TextRefusedError as problem:
            raise ValidationError(gettext("A phrase %(problem)s.") % {"problem": problem.reason}) from problem
