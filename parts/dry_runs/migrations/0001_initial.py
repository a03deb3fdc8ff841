import config.database_clock
import config.request_ids
import django.db.models.deletion
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
            name='StudyDryRun',
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
                ('source_pk', models.BigIntegerField(db_index=True, help_text='primary key of the study that is copied')),
                ('raters', models.PositiveSmallIntegerField()),
                ('accuracy', models.FloatField(help_text='how often a rater sees an output as good as it is, from 0 to 1')),
                ('bias', models.FloatField(help_text='how much better the output shown first looks, from -1 to 1')),
                ('seconds', models.FloatField(help_text='active seconds per task')),
                ('seed', models.PositiveIntegerField(default=0)),
                ('items', models.PositiveIntegerField(blank=True, help_text='copied at most; empty: all', null=True)),
                ('answers', models.PositiveIntegerField(default=0, help_text='given so far')),
                ('asked_by', models.ForeignKey(blank=True, help_text='empty: a command, or somebody who was erased', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.OneToOneField(blank=True, help_text='the copy; empty until it is made', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='dry_run', to='annotation.study')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='studydryrun_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='studydryrun_status_fits_lease'), models.UniqueConstraint(condition=models.Q(('status__in', ['queued', 'running'])), fields=('source_pk',), name='dry_run_one_waiting'), models.CheckConstraint(condition=models.Q(('accuracy__gte', 0), ('accuracy__lte', 1), ('bias__gte', -1), ('bias__lte', 1), ('raters__gte', 1), ('seconds__gt', 0)), name='dry_run_settings_fit')],
            },
        ),
    ]
