import config.database_clock
import config.model_fields
import config.request_ids
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from config.first_migration import FirstMigration


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('config', '0001_initial'),
        ('annotation', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='IndexBuild',
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
                ('searcher', models.CharField(help_text='key of the searcher', max_length=30)),
                ('settings', config.model_fields.ExactJSONField(default=dict, help_text='settings of the searcher, including its model')),
                ('number', models.PositiveIntegerField(help_text='counts the builds per study and searcher, from 1')),
                ('digest', models.CharField(max_length=64)),
                ('done', models.PositiveIntegerField(default=0, help_text='passages indexed so far')),
                ('total', models.PositiveIntegerField(default=0, help_text='distinct passages of the study')),
                ('folder', models.CharField(blank=True, help_text='in VAR/indexes; empty after its removal', max_length=40)),
                ('edition', models.CharField(blank=True, help_text='folder of the finished files', max_length=40)),
                ('is_current', models.BooleanField(default=False)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='index_builds', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'searcher', '-number'],
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='indexbuild_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='indexbuild_status_fits_lease'), models.UniqueConstraint(fields=('study', 'searcher', 'number'), name='index_build_number_once'), models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('study', 'searcher'), name='index_build_one_is_current'), models.CheckConstraint(condition=models.Q(('is_current', False), models.Q(('status', 'done'), models.Q(('folder', ''), _negated=True), models.Q(('edition', ''), _negated=True)), _connector='OR'), name='index_build_current_is_whole'), models.CheckConstraint(condition=models.Q(('done__lte', models.F('total'))), name='index_build_done_within_total')],
            },
        ),
        migrations.CreateModel(
            name='TrialSearch',
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
                ('query', models.TextField()),
                ('k', models.PositiveSmallIntegerField(default=5)),
                ('searcher', models.CharField(blank=True, help_text='the searcher with its model', max_length=200)),
                ('index', models.CharField(blank=True, help_text='version of the index', max_length=40)),
                ('hits', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trial_searches', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='trial_searches', to='annotation.item')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trial_searches', to='annotation.study')),
            ],
            options={
                'ordering': ['study', '-id'],
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='trialsearch_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='trialsearch_status_fits_lease'), models.CheckConstraint(condition=models.Q(('k__gte', 1), ('k__lte', 100)), name='trial_search_k_in_range')],
            },
        ),
        migrations.CreateModel(
            name='PaperUpload',
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
                ('item_key', models.CharField(help_text='of the item that it becomes', max_length=200)),
                ('question', models.TextField()),
                ('files', config.model_fields.ExactJSONField(default=list, help_text='name and bytes of each file, in their order')),
                ('folder', models.UUIDField(default=uuid.uuid4, editable=False, help_text='names the files on this site', unique=True)),
                ('done', models.PositiveSmallIntegerField(default=0, help_text='files that have been read')),
                ('is_new', models.BooleanField(blank=True, help_text='whether there was no such item before', null=True)),
                ('problems', config.model_fields.ExactJSONField(blank=True, default=list, help_text='sentences about what is wrong')),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='paper_uploads', to='annotation.study')),
            ],
            options={
                'ordering': ['study', '-id'],
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='paperupload_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='paperupload_status_fits_lease')],
            },
        ),
    ]
