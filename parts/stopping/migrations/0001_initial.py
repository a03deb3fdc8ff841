import config.database_clock
import config.model_fields
import config.request_ids
import django.db.models.deletion
from config.triggers import Freeze
from django.conf import settings
from django.db import migrations, models

from config.first_migration import FirstMigration


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ExtraPlace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('disagreed', config.model_fields.ExactJSONField(default=list, help_text='keys of the questions')),
                ('made_at', models.DateTimeField()),
                ('slot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='extra_place', to='annotation.slot')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='extra_places', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='FiledLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='of the line', max_length=64)),
                ('line', config.model_fields.ExactJSONField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='filed_looks', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'digest'), name='filed_look_once')],
            },
        ),
        migrations.CreateModel(
            name='PairCheck',
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
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.task')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='paircheck_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='paircheck_status_fits_lease')],
            },
        ),
        migrations.CreateModel(
            name='StopPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('body', models.TextField(help_text='the section stopping of the study, as canonical JSON')),
                ('sha256', models.CharField(help_text='of the body', max_length=64)),
                ('fixed_at', models.DateTimeField()),
                ('in_time', models.BooleanField(help_text='whether nobody had answered by then; otherwise no looks are taken')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='stop_plan', to='annotation.study')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('body', ''), _negated=True), name='stop_plan_body_given')],
            },
        ),
        migrations.CreateModel(
            name='StopLook',
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
                ('number', models.PositiveIntegerField(help_text='1 for the first look')),
                ('planned', models.PositiveIntegerField(help_text='answers after which the look was due')),
                ('answers', models.PositiveIntegerField(blank=True, help_text='answers when it was taken', null=True)),
                ('taken_at', models.DateTimeField(blank=True, null=True)),
                ('figures', config.model_fields.ExactJSONField(default=dict, help_text='what each rule found: estimates, intervals, boundaries')),
                ('decision', models.CharField(blank=True, choices=[('continue', 'Continue'), ('stop', 'Stop: the rules are met'), ('end', 'Stop: this was the last look')], max_length=8)),
                ('plan', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='looks', to='stopping.stopplan')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='stoplook_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='stoplook_status_fits_lease'), models.UniqueConstraint(fields=('plan', 'number'), name='stop_look_numbered'), models.UniqueConstraint(condition=models.Q(('status__in', ['queued', 'running'])), fields=('plan',), name='stop_look_one_waiting'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'done'), _negated=True), models.Q(('answers__isnull', False), ('taken_at__isnull', False), models.Q(('decision', ''), _negated=True)), _connector='OR'), name='stop_look_done_is_complete')],
            },
        ),
        migrations.CreateModel(
            name='ResultPeek',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(help_text='in the study at that time; operator for one who is no member', max_length=20)),
                ('kind', models.CharField(help_text='the page: peeking.PAGES', max_length=16)),
                ('day', models.DateField(help_text='UTC')),
                ('at', models.DateTimeField(help_text='the first time on that day')),
                ('by', models.ForeignKey(blank=True, help_text='empty: somebody who was erased', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('plan', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='peeks', to='stopping.stopplan')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('plan', 'by', 'kind', 'day'), name='result_peek_once_a_day')],
            },
        ),
        migrations.CreateModel(
            name='StopContinuation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('reason', models.TextField()),
                ('by', models.ForeignKey(blank=True, help_text='empty: a command, or somebody who was erased', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('look', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='continuation', to='stopping.stoplook')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='stop_continuation_reason_given')],
            },
        ),
        Freeze("stopping_filedlook", ["study_id", "digest", "line"]),
        Freeze("stopping_stopplan", ["study_id", "body", "sha256", "fixed_at", "in_time"]),
        Freeze("stopping_resultpeek", ["plan_id", "role", "kind", "day", "at"]),
        Freeze("stopping_stopcontinuation", ["look_id", "at", "reason"]),
        Freeze(
            "stopping_stoplook", ["plan_id", "number", "planned", "created_at"], once=["taken_at"],
            final="OLD.\"status\" = 'done'",
        ),
    ]
