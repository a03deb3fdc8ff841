import config.database_clock
import config.model_fields
import config.request_ids
import django.db.models.deletion
import sessions.models.turns
from django.db import migrations, models

from config.first_migration import FirstMigration
from config.triggers import Freeze


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('config', '0001_initial'),
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='RevisionSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=sessions.models.turns.new_key, help_text='its id in files, unique in the study', max_length=200)),
                ('model', models.CharField(help_text='endpoint/model; hidden from annotators', max_length=200)),
                ('status', models.CharField(choices=[('active', 'Active'), ('satisfied', 'Ready to send'), ('max_turns', 'Ended after the last turn'), ('abandoned', 'Abandoned')], default='active', max_length=10)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('imported', models.BooleanField(default=False)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='annotation.item')),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='annotation.rater')),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='annotation.study')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='annotation.task')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['study', 'status'], name='session_by_status'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key'), name='session_key_once'),
                    models.UniqueConstraint(condition=models.Q(('imported', False)), fields=('rater', 'item'), name='session_question_once_a_rater'),
                    models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='session_key_given'),
                    models.CheckConstraint(condition=models.Q(('status__in', ['active', 'satisfied', 'max_turns', 'abandoned'])), name='session_status_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('status', 'active'), _negated=True), ('ended_at__isnull', True), _connector='OR'), name='session_active_not_ended'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('stopped', 'Stopped')], default='queued', max_length=8)),
                ('attempt', models.PositiveSmallIntegerField(default=0, help_text='how often it was started')),
                ('token', models.UUIDField(blank=True, editable=False, help_text='the claim: only its holder may write', null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('due_at', models.DateTimeField(default=config.database_clock.database_now, help_text='not started before this time')),
                ('woken_at', models.DateTimeField(blank=True, help_text='when workers were last notified', null=True)),
                ('stop_asked', models.BooleanField(default=False)),
                ('reason', models.TextField(blank=True, help_text='why there is no result, or why it waits')),
                ('request_id', models.CharField(blank=True, db_default='', default=config.request_ids.current_request_id, editable=False, help_text='the request that queued it; empty for commands', max_length=12)),
                ('created_at', models.DateTimeField(default=config.database_clock.database_now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('instruction', models.TextField(blank=True)),
                ('kind', models.CharField(choices=[('first', 'First answer'), ('information', 'New facts'), ('style', 'Style only')], max_length=11)),
                ('client_key', models.UUIDField(blank=True, help_text='makes a repeated request harmless', null=True)),
                ('previous_answer', models.TextField(blank=True, help_text='the current answer when the instruction was given')),
                ('passages', config.model_fields.ExactJSONField(blank=True, help_text='[{document, paragraph, rank, score, text}]', null=True)),
                ('searcher', models.CharField(blank=True, max_length=200)),
                ('index', models.CharField(blank=True, help_text='the index build that was searched', max_length=200)),
                ('summary', models.TextField(blank=True, null=True)),
                ('partial', models.TextField(blank=True, help_text='the answer so far')),
                ('answer', models.TextField(blank=True, null=True)),
                ('edited_answer', models.TextField(blank=True, null=True)),
                ('edits', models.PositiveIntegerField(default=0, help_text='how often the answer was edited')),
                ('discarded', models.BooleanField(default=False)),
                ('annotation', models.ForeignKey(blank=True, help_text="the session user's own rating", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotation')),
                ('session', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='turns', to='revision_sessions.revisionsession')),
                ('task', models.ForeignKey(blank=True, help_text='the task for rating this turn', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='turns', to='annotation.task')),
            ],
            options={
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='turn_waiting'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='turn_status_fits_lease'),
                    models.UniqueConstraint(condition=models.Q(('discarded', False)), fields=('session', 'number'), name='turn_number_once'),
                    models.UniqueConstraint(condition=models.Q(('client_key__isnull', False)), fields=('session', 'client_key'), name='turn_client_key_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('kind', 'first'), ('number', 0)), models.Q(('kind__in', ['information', 'style']), ('number__gte', 1)), _connector='OR'), name='turn_kind_fits_number'),
                    models.CheckConstraint(condition=models.Q(models.Q(('status', 'done'), _negated=True), ('answer__isnull', False), _connector='OR'), name='turn_done_has_answer'),
                    models.CheckConstraint(condition=models.Q(('discarded', False), ('status__in', ['failed', 'stopped']), _connector='OR'), name='turn_discarded_failed'),
                    models.CheckConstraint(condition=models.Q(('edited_answer__isnull', True), models.Q(('answer__isnull', False), ('number__gte', 1)), _connector='OR'), name='turn_edit_of_an_answer'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TurnLabel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('instruction_type', 'Instruction type'), ('error_category', 'Error category'), ('retrieval', 'Usefulness of the passages')], max_length=16)),
                ('value', models.CharField(max_length=100)),
                ('revision', models.PositiveIntegerField(default=1)),
                ('is_current', models.BooleanField(default=True)),
                ('at', models.DateTimeField(blank=True, null=True)),
                ('run', models.CharField(blank=True, help_text="a machine's run", max_length=200)),
                ('replicate', models.PositiveIntegerField(default=1, help_text="which rerun of the run's configuration")),
                ('prompt_digest', models.CharField(blank=True, max_length=64)),
                ('reply', models.TextField(blank=True, help_text='what the model replied')),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='turn_labels', to='annotation.rater')),
                ('turn', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='revision_sessions.turn')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('turn', 'kind', 'rater', 'run', 'replicate', 'revision'), name='turn_label_revision_once'),
                    models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('turn', 'kind', 'rater', 'run', 'replicate'), name='turn_label_one_current'),
                    models.CheckConstraint(condition=models.Q(('replicate__gte', 1), ('revision__gte', 1)), name='turn_label_revision_positive'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['instruction_type', 'error_category', 'retrieval'])), name='turn_label_kind_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LabelSample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('instruction_type', 'Instruction type'), ('error_category', 'Error category'), ('retrieval', 'Usefulness of the passages')], max_length=16)),
                ('source', models.CharField(choices=[('all', 'all turns'), ('failed', 'turns rated neutral or bad'), ('passages', 'turns with passages'), ('failed_passages', 'turns with passages, rated neutral or bad')], default='all', max_length=15)),
                ('size', models.PositiveIntegerField(help_text='turns asked for, of each model if per_model')),
                ('per_model', models.BooleanField(default=False)),
                ('seed', models.BigIntegerField(default=0)),
                ('turns', config.model_fields.ExactJSONField(help_text="[session's key, turn's number] in the order of the queue")),
                ('made_at', models.DateTimeField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='label_samples', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'kind', 'source', 'size', 'per_model', 'seed'), name='label_sample_once'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['instruction_type', 'error_category', 'retrieval'])), name='label_sample_kind_known'),
                    models.CheckConstraint(condition=models.Q(('source__in', ['all', 'failed', 'passages', 'failed_passages'])), name='label_sample_source_known'),
                    models.CheckConstraint(condition=models.Q(('size__gte', 1)), name='label_sample_size_positive'),
                ],
            },
        ),
        Freeze(
            "revision_sessions_revisionsession",
            ["key", "study_id", "item_id", "task_id", "rater_id", "model", "started_at"],
        ),
        Freeze(
            "revision_sessions_turn",
            ["session_id", "number", "instruction", "kind", "client_key", "previous_answer"],
            once=["passages", "summary", "answer"],
        ),
        Freeze("revision_sessions_turnlabel", ["turn_id", "kind", "value", "rater_id", "revision", "at", "run", "replicate", "prompt_digest", "reply"]),
        Freeze("revision_sessions_labelsample", ["study_id", "kind", "source", "size", "per_model", "seed", "turns", "made_at"]),
    ]
