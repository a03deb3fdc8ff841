"""The first migration of an app, which makes all its tables in one step.

Django applies operations one by one, and after each one makes the classes of all models again that are related to the
one it changed. In an app of forty related models that is most of the time of an installation's first start.
"""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AddField, CreateModel, Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from config.triggers import TriggerOperation

CLASSES = "apps"
"""The attribute in which a state keeps the classes of its models once they are made. Without it, changes make none."""


class FirstMigration(Migration):
    """A migration that makes tables and their triggers, and changes nothing that was there before.

    Each table is made as it is at the end of the migration, so a field that is added to close a circle of foreign keys
    comes with its table.
    """

    def apply(
        self, project_state: ProjectState, schema_editor: BaseDatabaseSchemaEditor, collect_sql: bool = False
    ) -> ProjectState:
        """Apply all operations to the state, make the classes of models once, then make the tables.

        Raises:
            TypeError: an operation is of a kind that could change what was there before.
        """
        if collect_sql:
            return super().apply(project_state, schema_editor, collect_sql)
        classes, known = project_state.__dict__.pop(CLASSES, None), {*project_state.models}
        for operation in self.operations:
            operation.state_forwards(self.app_label, project_state)
        if classes is not None:  # those of earlier migrations stay: nothing of them changes but what refers to them
            classes.render_multiple([model for key, model in project_state.models.items() if key not in known])
            project_state.__dict__[CLASSES] = classes
        for operation in self._on_tables():
            operation.database_forwards(self.app_label, schema_editor, project_state, project_state)
        return project_state

    def _on_tables(self) -> list[Operation]:
        """The operations without fields that their tables have from the start."""
        made = {operation.name_lower for operation in self.operations if isinstance(operation, CreateModel)}
        kept: list[Operation] = []
        for operation in self.operations:
            if isinstance(operation, AddField) and operation.model_name_lower in made:
                continue
            if not isinstance(operation, CreateModel | TriggerOperation):
                raise TypeError(f"{operation.describe()}: a first migration makes tables and triggers only")
            kept.append(operation)
        return kept
