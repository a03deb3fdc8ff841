"""Bad replies to prompts that ask for one category."""


def bad_replies(first, second):
    """(reply, reason) for replies that name the categories `first` and `second`, or none."""
    none, two, more = "no answer in the form requested", "more than one answer", "text after the answer"
    return [
        ("", "empty"),
        (" \n ", "empty"),
        ("Category:", "empty"),
        ("The reader wants a change.", none),
        (f"Category: {first}\nCategory: {second}", two),
        (f"Category: {first} or {second}", two),
        (f"Category: {first}, {second}", two),
        ("Category: something new", none),
        ("Category: 3", none),
        ("Category: \uff13", none),
        (f"Category: not {first}", none),
        ("Kategorie: sonstiges", none),
        (f"Category: {first[:-2]}", none),
        (f'{{"kind": "{first}"}} // a comment', none),
        ("I am sorry, I cannot help with that.", none),
        (f"I cannot tell.\nCategory: {first}", "text before the answer"),
        (f"Category: {first}\nThe comment says so.", more),
        (f"Category: {{one of: {first} | {second}}}", two),
    ]
