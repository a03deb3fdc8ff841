import config.database_clock
import config.model_fields
import config.request_ids
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from config.first_migration import FirstMigration
from config.triggers import Freeze


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('config', '0001_initial'),
        ('annotation', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='EndpointState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('lane', models.CharField(choices=[('people', 'People at a page'), ('runs', 'Runs')], default='people', max_length=6)),
                ('failures', models.PositiveIntegerField(default=0, help_text='failed calls in a row')),
                ('pauses', models.PositiveIntegerField(default=0, help_text='in a row')),
                ('open_until', models.DateTimeField(blank=True, help_text='no call starts before', null=True)),
                ('message', models.TextField(blank=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('name', 'lane'), name='endpoint_state_once'),
                    models.CheckConstraint(condition=models.Q(('lane__in', ['people', 'runs'])), name='endpoint_lane_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ModelState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text="of the model's name and settings", max_length=64, unique=True)),
                ('unopened', models.BooleanField(help_text='its thinking had an end but no mark of the beginning')),
            ],
        ),
        migrations.CreateModel(
            name='Reservation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.CharField(blank=True, max_length=200)),
                ('amount', models.BigIntegerField()),
                ('left', models.BigIntegerField(help_text='neither drawn by a call nor released')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('lease_until', models.DateTimeField(help_text='released afterwards')),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reservations', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reservations', to='annotation.study')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['lease_until'], name='reservation_open'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('left__gte', 0), models.Q(('closed_at__isnull', True), ('left', 0), _connector='OR')), name='reservation_left_fits'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Call',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.CharField(blank=True, max_length=200)),
                ('work', models.CharField(blank=True, help_text='what the call is for, such as turn:12', max_length=200)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('endpoint', models.CharField(max_length=100)),
                ('model', models.CharField(help_text='its name on this site', max_length=200)),
                ('scripted', models.BooleanField(default=False, help_text='the endpoint followed a script; not a language model')),
                ('model_asked', models.CharField(help_text='the name sent to the endpoint', max_length=200)),
                ('model_returned', models.CharField(blank=True, help_text='the name in the reply', max_length=200)),
                ('parameters', config.model_fields.ExactJSONField(default=dict)),
                ('prompt_key', models.CharField(blank=True, max_length=200)),
                ('prompt_version', models.CharField(blank=True, max_length=50)),
                ('prompt_digest', models.CharField(blank=True, max_length=64)),
                ('messages', config.model_fields.ExactJSONField(help_text='as sent')),
                ('messages_digest', models.CharField(max_length=64)),
                ('request_digest', models.CharField(help_text='of model, messages and parameters', max_length=64)),
                ('status', models.CharField(choices=[('running', 'Running'), ('answered', 'Answered'), ('refused', 'Refused by the model'), ('filtered', 'Blocked by a filter'), ('truncated', 'Cut off at the token limit'), ('invalid', 'Unusable reply'), ('failed', 'Failed'), ('stopped', 'Stopped'), ('lost', 'Lost with its worker'), ('cached', 'Taken from an earlier call')], default='running', max_length=10)),
                ('kind', models.CharField(blank=True, help_text='kind of failure', max_length=20)),
                ('reason', models.TextField(blank=True)),
                ('detail', models.TextField(blank=True, help_text='what the endpoint said, and what to do; for researchers alone')),
                ('raw', models.TextField(blank=True, help_text='the reply as received')),
                ('text', models.TextField(blank=True)),
                ('thinking', models.TextField(blank=True, help_text='what it thought before it answered; for researchers alone')),
                ('finish_reason', models.CharField(blank=True, max_length=50)),
                ('refusal', models.TextField(blank=True)),
                ('logprobs', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('tokens_in', models.PositiveIntegerField(blank=True, help_text='as the endpoint counted', null=True)),
                ('tokens_out', models.PositiveIntegerField(blank=True, help_text='as the endpoint counted', null=True)),
                ('attempts', config.model_fields.ExactJSONField(default=list)),
                ('requests', models.PositiveSmallIntegerField(default=1, help_text='how often the call was sent')),
                ('other_model', models.BooleanField(default=False, help_text='the reply names another model than requested')),
                ('usage_missing', models.BooleanField(default=False, help_text='no usable token count, so the maximum price is charged')),
                ('price_unknown', models.BooleanField(default=False, help_text='the model has no price, so UNKNOWN_PRICE was used')),
                ('price_reserved', models.BigIntegerField(default=0, help_text='the maximum cost of all requests together')),
                ('price_per_request', models.BigIntegerField(default=0, help_text='the maximum cost of one request')),
                ('price_charged', models.BigIntegerField(blank=True, null=True)),
                ('request_id', models.CharField(blank=True, db_default='', default=config.request_ids.current_request_id, editable=False, help_text='the request of this site that led to it; its log lines carry it', max_length=12)),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('original', models.ForeignKey(blank=True, db_index=False, help_text='the call whose answer was used', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='copies', to='llm.call')),
                ('person', models.ForeignKey(blank=True, help_text='who caused it', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, db_index=False, help_text="empty for calls outside studies", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='annotation.study')),
                ('reservation', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='llm.reservation')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['study', 'run', 'id'], name='call_of_study'),
                    models.Index(fields=['endpoint', 'started_at'], name='call_of_endpoint'),
                    models.Index(condition=models.Q(('status', 'running')), fields=['endpoint', 'lease_until'], name='call_running'),
                    models.Index(condition=models.Q(('work', ''), _negated=True), fields=['work'], name='call_of_work'),
                    models.Index(condition=models.Q(('status', 'answered')), fields=['request_digest'], name='call_answered'),
                    models.Index(condition=models.Q(('original__isnull', False)), fields=['original'], name='call_copied'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('lease_until__isnull', False), ('price_charged__isnull', True), ('status', 'running')), models.Q(models.Q(('status', 'running'), _negated=True), ('ended_at__isnull', False), ('price_charged__isnull', False)), _connector='OR'), name='call_over_when_charged'),
                    models.CheckConstraint(condition=models.Q(('status__in', ['running', 'answered', 'refused', 'filtered', 'truncated', 'invalid', 'failed', 'stopped', 'lost', 'cached'])), name='call_status_known'),
                    models.CheckConstraint(condition=models.Q(('price_reserved__gte', 0), models.Q(('price_charged__isnull', True), ('price_charged__gte', 0), _connector='OR')), name='call_price_positive'),
                    models.CheckConstraint(condition=models.Q(models.Q(('original__isnull', False), ('status', 'cached')), models.Q(models.Q(('status', 'cached'), _negated=True), ('original__isnull', True)), _connector='OR'), name='call_cached_from_a_call'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Stop',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.CharField(blank=True, help_text='empty: all calls of the study', max_length=200)),
                ('stopped_at', models.DateTimeField(auto_now_add=True)),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
                ('stopped_by', models.ForeignKey(blank=True, help_text='empty: a command', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='stops', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='stops', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('study', 'run'), name='stop_once_at_a_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='StudyPrompt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='app and name, such as sessions/first', max_length=400)),
                ('number', models.PositiveIntegerField()),
                ('system', models.TextField(blank=True)),
                ('user', models.TextField()),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, help_text='empty: a command', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='prompts', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='prompts', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key', 'number'), name='study_prompt_number_once'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='study_prompt_number_positive'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.CharField(blank=True, help_text='empty: all runs', max_length=200)),
                ('cap', models.BigIntegerField(blank=True, help_text='the maximum that may be spent; empty: no limit', null=True)),
                ('reserved', models.BigIntegerField(default=0, help_text='for running calls')),
                ('spent', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('person', models.ForeignKey(blank=True, help_text='empty: everybody', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='budgets', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='budgets', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('person__isnull', True), ('run', '')), fields=('study',), name='budget_once_a_study'), models.UniqueConstraint(condition=models.Q(('run', ''), _negated=True), fields=('study', 'run'), name='budget_once_a_run'), models.UniqueConstraint(condition=models.Q(('person__isnull', False)), fields=('study', 'person'), name='budget_once_a_person'), models.CheckConstraint(condition=models.Q(('run', ''), ('person__isnull', True), _connector='OR'), name='budget_of_run_or_person'), models.CheckConstraint(condition=models.Q(('reserved__gte', 0), ('spent__gte', 0)), name='budget_sums_positive'), models.CheckConstraint(condition=models.Q(('cap__isnull', True), ('cap__gte', 0), _connector='OR'), name='budget_cap_positive')],
            },
        ),
        migrations.CreateModel(
            name='Completion',
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
                ('run', models.CharField(blank=True, max_length=200)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('model', models.CharField(help_text='endpoint/model', max_length=300)),
                ('request', config.model_fields.ExactJSONField(help_text='messages, prompt and parameters')),
                ('may_be_cached', models.BooleanField(default=False)),
                ('text', models.TextField(blank=True, help_text='the reply, or as much of it as has been received')),
                ('kind', models.CharField(blank=True, help_text='kind of failure', max_length=20)),
                ('call', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='completions', to='llm.call')),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='completions', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='completions', to='annotation.study')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='completion_waiting')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='completion_status_fits_lease')],
            },
        ),
        Freeze(
            "llm_call",
            [
                "study_id", "run", "person_id", "work", "step", "endpoint", "model", "scripted", "model_asked",
                "parameters",
                "prompt_key", "prompt_version", "prompt_digest", "messages", "messages_digest", "request_digest",
                "price_reserved", "price_per_request", "price_unknown", "reservation_id", "original_id", "started_at",
                "request_id",
            ],
            final="OLD.status <> 'running'",
        ),
        Freeze("llm_studyprompt", ["study_id", "key", "number", "system", "user", "digest"]),
    ]
