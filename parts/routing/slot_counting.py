"""Triggers that count the slots that raters take, in the quotas of their study's routing.

Slots change hands on many paths: claims, answers, undo, leases that end, erasures. The database counts on all of them,
in the same statement. Only slots in lanes are counted, so that other studies pay nothing.
"""

from collections.abc import Iterator, Mapping

from config.triggers import TriggerOperation

EVENTS = ("INSERT", "UPDATE", "DELETE")
NAME = "annotation_slot_counted"
TYPES = {"INSERT": 1 + 4, "UPDATE": 1 + 16, "DELETE": 1 + 8}
"""Of `pg_trigger.tgtype`: for each row, after the event."""
_OF = (
    "first_lane <= {row}.lane AND last_lane >= {row}.lane "
    "AND id IN (SELECT quota_id FROM routing_quotamember WHERE rater_id = {row}.holder_id)"
)
_COUNT = "UPDATE routing_routingquota SET taken = taken {change} WHERE " + _OF  # noqa: S608
_LOCK = "PERFORM 1 FROM routing_routingquota WHERE " + _OF + " ORDER BY id FOR NO KEY UPDATE"


def _steps(event: str, vendor: str) -> str:
    """The statements of a trigger: what the slot's holder before loses, and what the one after gains."""
    made = []
    for row, change, events in (("OLD", "- 1", ("UPDATE", "DELETE")), ("NEW", "+ 1", ("INSERT", "UPDATE"))):
        if event in events:
            statements = ([_LOCK] if vendor == "postgresql" else []) + [_COUNT]
            made += [one.format(row=row, change=change) for one in statements]
    return "; ".join(made) + ";"


def _condition(event: str, differs: str) -> str:
    if event == "UPDATE":
        return f"OLD.lane > 0 AND OLD.holder_id {differs} NEW.holder_id"
    row = "OLD" if event == "DELETE" else "NEW"
    return f"{row}.lane > 0 AND {row}.holder_id IS NOT NULL"


class CountSlots(TriggerOperation):
    """Migration operation: count the slots that are taken."""

    def describe(self) -> str:
        return "Count the slots that are taken"

    def statements(self, vendor: str) -> Iterator[str]:
        yield from self.drop(vendor)
        for event in EVENTS:
            if vendor == "sqlite":
                yield _on_sqlite(event)
                continue
            name = _name(event)
            yield f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $${_body(event)}$$"
            yield (
                f"CREATE TRIGGER {name} AFTER {_on(event)} ON annotation_slot FOR EACH ROW "
                f"WHEN ({_condition(event, 'IS DISTINCT FROM')}) EXECUTE FUNCTION {name}()"
            )

    def drop(self, vendor: str) -> Iterator[str]:
        for event in EVENTS:
            name = _name(event)
            if vendor == "sqlite":
                yield f"DROP TRIGGER IF EXISTS {name}"
            else:
                yield f"DROP TRIGGER IF EXISTS {name} ON annotation_slot"
                yield f"DROP FUNCTION IF EXISTS {name}()"

    def stored(self, vendor: str) -> Mapping[str, str]:
        """The triggers as databases store them; PostgreSQL's conditions are not among what is compared."""
        if vendor == "sqlite":
            return {_name(event): _on_sqlite(event) for event in EVENTS}
        return {_name(event): f"annotation_slot O {TYPES[event]} {_body(event)}" for event in EVENTS}


def _name(event: str) -> str:
    return f"{NAME}_{event.lower()}"


def _on(event: str) -> str:
    return "UPDATE OF holder_id" if event == "UPDATE" else event


def _on_sqlite(event: str) -> str:
    steps, when = _steps(event, "sqlite"), _condition(event, "IS NOT")
    return f"CREATE TRIGGER {_name(event)} AFTER {_on(event)} ON annotation_slot WHEN {when} BEGIN {steps} END"


def _body(event: str) -> str:
    """The body of its function on PostgreSQL."""
    return f"BEGIN {_steps(event, 'postgresql')} RETURN NULL; END"
