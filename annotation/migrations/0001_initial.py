import annotation.protocols
import annotation.questions
import config.model_fields
import config.request_ids
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from config.triggers import Freeze


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('config', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PendingImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text='the study that it adds to', max_length=100)),
                ('moved_at', models.DateTimeField(help_text='when a step was last made')),
            ],
        ),
        migrations.CreateModel(
            name='PendingRows',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('packed', models.BinaryField()),
                ('pending_import', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='annotation.pendingimport')),
            ],
            options={
                'verbose_name_plural': 'pending rows',
            },
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('title', models.TextField(blank=True)),
                ('description', models.TextField(blank=True)),
                ('contact', models.TextField(blank=True)),
                ('language', models.CharField(default='en', help_text='BCP 47', max_length=35)),
                ('protocol', models.CharField(choices=annotation.protocols.protocol_choices, max_length=30)),
                ('redundancy', models.PositiveSmallIntegerField(help_text='how many different raters each task gets')),
                ('options', config.model_fields.ExactJSONField(default=dict)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('live', 'Live'), ('paused', 'Paused'), ('closed', 'Closed')], default='draft', max_length=10)),
                ('planned_through', models.BigIntegerField(default=0, help_text='tasks and slots exist for the items up to this primary key')),
                ('pending_import', models.OneToOneField(blank=True, editable=False, help_text='an incomplete import; until it is complete, the study as a whole cannot be read or changed', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='study', to='annotation.pendingimport')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('judges', config.model_fields.ExactJSONField(blank=True, default=dict, help_text='{rater: {family}}; hidden from annotators')),
                ('systems', config.model_fields.ExactJSONField(blank=True, default=dict, help_text='{system: {family, model, baseline, generic}}; hidden from annotators')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'constraints': [models.CheckConstraint(condition=models.Q(('redundancy__gte', 1)), name='study_redundancy_positive'), models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'live', 'paused', 'closed'])), name='study_status_known'), models.CheckConstraint(condition=models.Q(('slug__regex', '^[a-z0-9-]+$')), name='study_slug_plain')],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('document', models.TextField(blank=True)),
                ('instruction', models.TextField(blank=True)),
                ('categories', config.model_fields.ExactJSONField(blank=True, help_text='a text or a list of texts, as given', null=True)),
                ('references', config.model_fields.ExactJSONField(blank=True, help_text='read by judges, never sent to annotators', null=True)),
                ('metadata', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('content', config.model_fields.ExactJSONField(blank=True, help_text="content that only the study's protocol reads, as given", null=True)),
                ('digest', models.CharField(max_length=64)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.study')),
                ('feedback', models.TextField(blank=True, help_text='about the right answers')),
                ('gold', config.model_fields.ExactJSONField(blank=True, help_text='{question: right answer}, never sent to annotators', null=True)),
                ('pool', models.CharField(choices=[('main', 'Main'), ('training', 'Training'), ('qualification', 'Qualification'), ('attention', 'Attention')], default='main', max_length=13)),
                ('set', models.CharField(blank=True, choices=[('public', 'Public'), ('private', 'Private')], help_text='of a published benchmark', max_length=7)),
                ('source', models.TextField(blank=True, help_text='where the document is from')),
                ('priority', models.PositiveSmallIntegerField(choices=[(0, 'First'), (1, 'Ordinary'), (2, 'Last')], db_default=1, default=1, help_text='when its tasks are given out, among those of its batch')),
                ('withdrawn_at', models.DateTimeField(blank=True, help_text='since when it is out of tasks and figures', null=True)),
                ('withdrawn_reason', models.TextField(blank=True, db_default='')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(models.Q(('pool', 'main'), _negated=True), ('withdrawn_at__isnull', False), _connector='OR'), fields=['study'], name='item_not_counted')],
                'ordering': ['study', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key'), name='item_key_once'),
                    models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='item_key_given'), models.CheckConstraint(condition=models.Q(('set__in', ['', 'public', 'private'])), name='item_set_known'), models.CheckConstraint(condition=models.Q(('pool__in', ['main', 'training', 'qualification', 'attention'])), name='item_pool_known'), models.CheckConstraint(condition=models.Q(('feedback', ''), ('gold__isnull', False), _connector='OR'), name='item_feedback_on_gold'),
                    models.CheckConstraint(condition=models.Q(('priority__lte', 2)), name='item_priority_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at__isnull', True), ('withdrawn_reason', '')), models.Q(('withdrawn_at__isnull', False), models.Q(('withdrawn_reason', ''), _negated=True)), _connector='OR'), name='item_withdrawn_with_reason')],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('key', models.CharField(max_length=100)),
                ('type', models.CharField(choices=annotation.questions.question_type_choices, max_length=30)),
                ('text', models.TextField(blank=True)),
                ('help', models.TextField(blank=True)),
                ('required', models.BooleanField(default=True)),
                ('spec', config.model_fields.ExactJSONField(default=dict)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key'), name='question_key_once'),
                    models.UniqueConstraint(fields=('study', 'position'), name='question_position_once'),
                    models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='question_key_given'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Output',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(help_text="place in the item's file row")),
                ('key', models.CharField(max_length=200)),
                ('text', models.TextField(blank=True)),
                ('metadata', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('digest', models.CharField(max_length=64)),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='annotation.item')),
                ('edited_from', models.CharField(blank=True, help_text="the key of the item's output that this one was edited from", max_length=200)),
                ('writer', models.CharField(blank=True, choices=[('human', 'Human'), ('model', 'Model')], max_length=5)),
            ],
            options={
                'ordering': ['item', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('item', 'key'), name='output_key_once'),
                    models.UniqueConstraint(fields=('item', 'position'), name='output_position_once'),
                    models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='output_key_given'), models.CheckConstraint(condition=models.Q(('writer__in', ['', 'human', 'model'])), name='output_writer_known'), models.CheckConstraint(condition=models.Q(('edited_from', models.F('key')), _negated=True), name='output_edited_from_another')],
            },
        ),
        migrations.CreateModel(
            name='Rater',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('kind', models.CharField(choices=[('human', 'Human'), ('model', 'Model'), ('metric', 'Metric')], default='human', max_length=10)),
                ('place', models.BigIntegerField(blank=True, help_text="the last place in the study's order at which this rater got work", null=True)),
                ('topics', config.model_fields.ExactJSONField(blank=True, help_text='the categories of items that this rater prefers', null=True)),
                ('guidelines_read', models.PositiveIntegerField(blank=True, help_text='the newest version of the guidelines that this rater confirmed having read', null=True)),
                ('metadata', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('import_pending', models.BooleanField(default=False, editable=False, help_text='answers of this rater are being imported, so their own work waits')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='raters', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='raters', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'name'), name='rater_name_once'),
                    models.UniqueConstraint(condition=models.Q(('person__isnull', False)), fields=('study', 'person'), name='rater_person_once'),
                    models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='rater_name_given'),
                    models.CheckConstraint(condition=models.Q(('person__isnull', True), ('kind', 'human'), _connector='OR'), name='rater_person_is_human'),
                ],
            },
        ),
        migrations.CreateModel(
            name='JudgeRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='its id in files, unique for its rater', max_length=200)),
                ('configuration', config.model_fields.ExactJSONField(help_text='everything that decides what is asked, and about which units')),
                ('status', models.CharField(choices=[('planned', 'Planned'), ('running', 'Running'), ('finished', 'Finished'), ('stopped', 'Stopped'), ('out_of_budget', 'Out of budget')], default='planned', max_length=13)),
                ('counts', config.model_fields.ExactJSONField(blank=True, help_text='{outcome: number of judgments}', null=True)),
                ('tokens_in', models.BigIntegerField(blank=True, null=True)),
                ('tokens_out', models.BigIntegerField(blank=True, null=True)),
                ('price', models.BigIntegerField(blank=True, help_text="in millionths of the currency of the endpoints' prices", null=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='annotation.rater')),
                ('replaced_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_runs', to='annotation.judgerun')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('rater', 'name'), name='judge_run_name_once'),
                    models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='judge_run_name_given'),
                    models.CheckConstraint(condition=models.Q(('status__in', ['planned', 'running', 'finished', 'stopped', 'out_of_budget'])), name='judge_run_status_known'),
                    models.CheckConstraint(condition=models.Q(('replaced_by__isnull', True), models.Q(('replaced_by', models.F('id')), _negated=True), _connector='OR'), name='judge_run_replaced_by_another'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Reviewer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reviewers', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviewers', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'name'), name='reviewer_name_once'),
                    models.UniqueConstraint(condition=models.Q(('person__isnull', False)), fields=('study', 'person'), name='reviewer_person_once'),
                    models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='reviewer_name_given'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('researcher', 'Researcher'), ('annotator', 'Annotator')], max_length=12)),
                ('active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'person'), name='membership_once'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'researcher', 'annotator'])), name='membership_role_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('researcher', 'Researcher'), ('annotator', 'Annotator')], default='annotator', max_length=12)),
                ('note', models.CharField(blank=True, help_text="who it is for; visible to the study's researchers", max_length=200)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitations_taken', to=settings.AUTH_USER_MODEL)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitations_made', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('accepted_at__isnull', True), ('accepted_by__isnull', True)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False)), _connector='OR'), name='invitation_taken_by_somebody'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['researcher', 'annotator'])), name='invitation_role_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Guideline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='guidelines', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'number'), name='guideline_number_once'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='guideline_number_positive'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('released_at', models.DateTimeField(auto_now_add=True)),
                ('released_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'batches',
                'ordering': ['study', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'number'), name='batch_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('variant', models.CharField(blank=True, max_length=240)),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='annotation.item')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('item', 'key'), name='task_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('order', config.model_fields.ExactJSONField(help_text='the order shown, copied from the slot when it was opened')),
                ('opened_at', models.DateTimeField(blank=True, help_text="when work on the next revision began, by the server's clock; empty before that", null=True)),
                ('created_at', models.DateTimeField(help_text='when the task was first given to the rater')),
                ('seen_at', models.DateTimeField(blank=True, help_text='last heartbeat from the page', null=True)),
                ('draft', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('draft_version', models.PositiveIntegerField(default=0)),
                ('visible_seconds', models.FloatField(default=0, help_text='since opened_at, as the page counted: untrusted')),
                ('active_seconds', models.FloatField(default=0, help_text='since opened_at, as the page counted: untrusted')),
                ('tool_use', config.model_fields.ExactJSONField(default=dict, help_text='how often each reading aid was used since opened_at')),
                ('flag', models.TextField(blank=True, help_text='what the rater says is wrong with the task')),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.rater')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.task')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['rater', 'id'], name='assignment_of_rater'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('rater', 'task'), name='assignment_once'),
                    models.CheckConstraint(condition=models.Q(('active_seconds__gte', 0), ('visible_seconds__gte', 0)), name='assignment_seconds_positive'),
                ],
            },
        ),
        migrations.CreateModel(
            name='DraftConflict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('base_version', models.PositiveIntegerField()),
                ('body', config.model_fields.ExactJSONField()),
                ('saved_at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='draft_conflicts', to='annotation.assignment')),
            ],
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveIntegerField()),
                ('is_current', models.BooleanField(default=True)),
                ('status', models.CharField(choices=[('submitted', 'Submitted'), ('skipped', 'Skipped'), ('withdrawn', 'Withdrawn'), ('flagged', 'Flagged, not answered')], max_length=10)),
                ('surplus', models.BooleanField(default=False, help_text='submitted after the task had all its raters')),
                ('answers', config.model_fields.ExactJSONField(default=dict, help_text='{question: value} as submitted')),
                ('reason', models.TextField(blank=True, help_text='why it was skipped or withdrawn')),
                ('flag', models.TextField(blank=True)),
                ('shown', config.model_fields.ExactJSONField(help_text="positions of the task's outputs in the order shown")),
                ('guidelines_version', models.PositiveIntegerField(blank=True, null=True)),
                ('protocol_version', models.PositiveIntegerField()),
                ('client_key', models.UUIDField(blank=True, help_text='makes a repeated request harmless', null=True)),
                ('payload_digest', models.CharField(blank=True, max_length=64)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.FloatField(blank=True, help_text="by the server's clock", null=True)),
                ('visible_seconds', models.FloatField(blank=True, help_text='as the page counted: untrusted', null=True)),
                ('active_seconds', models.FloatField(blank=True, help_text='as the page counted: untrusted', null=True)),
                ('tool_use', config.model_fields.ExactJSONField(default=dict)),
                ('metadata', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='annotation.rater')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='annotation.task')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('is_current', True)), fields=['rater', 'id', 'status'], name='annotation_current'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('task', 'rater', 'revision'), name='annotation_revision_once'),
                    models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('task', 'rater'), name='annotation_one_current'),
                    models.UniqueConstraint(condition=models.Q(('client_key__isnull', False)), fields=('rater', 'client_key'), name='annotation_client_key_once'),
                    models.CheckConstraint(condition=models.Q(('revision__gte', 1)), name='annotation_revision_positive'),
                    models.CheckConstraint(condition=models.Q(('status__in', ['submitted', 'skipped', 'withdrawn', 'flagged'])), name='annotation_status_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('variant', models.CharField(blank=True, max_length=240)),
                ('revision', models.PositiveIntegerField(default=1)),
                ('is_current', models.BooleanField(default=True)),
                ('level', models.CharField(choices=[('nominal', 'Nominal'), ('ordinal', 'Ordinal'), ('interval', 'Interval'), ('rank', 'Rank'), ('choice', 'Choice'), ('span', 'Span'), ('text', 'Text')], max_length=8)),
                ('number', models.FloatField(blank=True, null=True)),
                ('value', config.model_fields.ExactJSONField()),
                ('off_scale', models.BooleanField(default=False, help_text="a machine's number outside the question's scale")),
                ('guidelines_version', models.PositiveIntegerField(blank=True, null=True)),
                ('protocol_version', models.PositiveIntegerField(blank=True, null=True)),
                ('run', models.CharField(blank=True, help_text="the name of the rater's run, see JudgeRun", max_length=200)),
                ('replicate', models.PositiveIntegerField(blank=True, null=True)),
                ('machine_key', models.CharField(blank=True, editable=False, help_text="identifies a machine's rating with its ordinal: see annotation.machine_ratings", max_length=32, null=True)),
                ('ordinal', models.PositiveIntegerField(default=0, help_text='which of several equal imported lines')),
                ('explanation', models.TextField(blank=True, null=True)),
                ('shown', config.model_fields.ExactJSONField(blank=True, help_text='output keys in the order shown', null=True)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('distribution', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('missing', models.FloatField(blank=True, help_text='the probability of none of the allowed answers', null=True)),
                ('outcome', models.CharField(blank=True, choices=[('unanimous', 'Unanimous'), ('majority', 'Majority'), ('disagreement', 'Disagreement')], help_text='of several agents', max_length=12)),
                ('prompt_digest', models.CharField(blank=True, max_length=64)),
                ('metadata', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('annotation', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.annotation')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.item')),
                ('other_output', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.output')),
                ('output', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.output')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.question')),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.rater')),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.study')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['study', 'question', 'rater'], name='rating_by_question'),
                    models.Index(condition=models.Q(('annotation__isnull', False)), fields=['annotation'], name='rating_of_annotation'),
                    models.Index(condition=models.Q(('other_output__isnull', False)), fields=['other_output'], name='rating_of_pair'),
                    models.Index(condition=models.Q(('is_current', True), ('level', 'span')), fields=['study', 'item', 'id'], name='rating_spans'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('annotation__isnull', False), ('other_output__isnull', True), ('output__isnull', False)), fields=('annotation', 'question', 'output'), name='rating_once_an_output'),
                    models.UniqueConstraint(condition=models.Q(('annotation__isnull', False), ('output__isnull', True)), fields=('annotation', 'question'), name='rating_once_a_task'),
                    models.UniqueConstraint(condition=models.Q(('machine_key__isnull', False)), fields=('machine_key', 'ordinal'), name='rating_machine_key_once'),
                    models.CheckConstraint(condition=models.Q(('outcome__in', ['', 'unanimous', 'majority', 'disagreement'])), name='rating_outcome_known'),
                    models.CheckConstraint(condition=models.Q(('missing__isnull', True), models.Q(('missing__gte', 0), ('missing__lte', 1)), _connector='OR'), name='rating_missing_is_a_share'),
                    models.CheckConstraint(condition=models.Q(('other_output__isnull', True), models.Q(('output__isnull', False), models.Q(('other_output', models.F('output')), _negated=True)), _connector='OR'), name='rating_pair_of_two'),
                    models.CheckConstraint(condition=models.Q(('level__in', ['nominal', 'ordinal', 'interval', 'rank', 'choice', 'span', 'text'])), name='rating_level_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SpanReview',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('index', models.PositiveIntegerField(help_text="which of the rating's spans, from 0")),
                ('number', models.PositiveIntegerField(help_text='1, 2, ... for the reviews of one span')),
                ('is_current', models.BooleanField(default=True)),
                ('verdict', models.CharField(choices=[('confirmed', 'Confirmed'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')], max_length=9)),
                ('reason', models.TextField(blank=True)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='span_reviews', to='annotation.reviewer')),
                ('rating', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='span_reviews', to='annotation.rating')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('rating', 'index', 'number'), name='span_review_number_once'),
                    models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('rating', 'index'), name='span_review_one_current'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='span_review_number_positive'),
                    models.CheckConstraint(condition=models.Q(('verdict__in', ['confirmed', 'rejected', 'withdrawn'])), name='span_review_verdict_known'),
                    models.CheckConstraint(condition=models.Q(('verdict', 'withdrawn'), models.Q(('reason', ''), _negated=True), _connector='OR'), name='span_review_reason_given'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SpotCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='1, 2, ... for the checks of one annotation')),
                ('is_current', models.BooleanField(default=True)),
                ('verdict', models.CharField(choices=[('ok', 'OK'), ('problem', 'Problem')], max_length=7)),
                ('note', models.TextField(blank=True, help_text='what the annotator reads')),
                ('at', models.DateTimeField()),
                ('seen_at', models.DateTimeField(blank=True, help_text='when the annotator said that they read the note', null=True)),
                ('annotation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='spot_checks', to='annotation.annotation')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='spot_checks', to='annotation.reviewer')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('seen_at', None), models.Q(('note', ''), _negated=True)), fields=['annotation'], name='spot_check_unread'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('annotation', 'number'), name='spot_check_number_once'),
                    models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('annotation',), name='spot_check_one_current'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='spot_check_number_positive'),
                    models.CheckConstraint(condition=models.Q(('verdict__in', ['ok', 'problem'])), name='spot_check_verdict_known'),
                    models.CheckConstraint(condition=models.Q(('verdict', 'ok'), models.Q(('note', ''), _negated=True), _connector='OR'), name='spot_check_problem_said'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Slot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='0 to k - 1')),
                ('place', models.BigIntegerField(help_text="the item's place in the study's seeded order")),
                ('order', config.model_fields.ExactJSONField(help_text="positions of the task's outputs in the order shown")),
                ('state', models.CharField(choices=[('open', 'Open'), ('held', 'Held'), ('filled', 'Filled')], default='open', max_length=6)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('holder', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='annotation.rater')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='annotation.item')),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='annotation.study')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='annotation.task')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('state', 'open')), fields=['study', 'place', 'number', 'id'], name='slot_open_in_order'),
                    models.Index(condition=models.Q(('state', 'held')), fields=['study', 'lease_until'], name='slot_lease'),
                    models.Index(condition=models.Q(('holder__isnull', False)), fields=['holder', 'state'], name='slot_of_holder'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('task', 'number'), name='slot_once'),
                    models.UniqueConstraint(condition=models.Q(('holder__isnull', False)), fields=('task', 'holder'), name='slot_rater_once_a_task'),
                    models.CheckConstraint(condition=models.Q(models.Q(('holder__isnull', True), ('lease_until__isnull', True), ('state', 'open')), models.Q(('holder__isnull', False), ('lease_until__isnull', False), ('state', 'held')), models.Q(('holder__isnull', False), ('lease_until__isnull', True), ('state', 'filled')), _connector='OR'), name='slot_state_fits_holder'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TaskOutput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('output', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='task_outputs', to='annotation.output')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='task_outputs', to='annotation.task')),
            ],
            options={
                'ordering': ['task', 'position'],
                'constraints': [
                    models.UniqueConstraint(fields=('task', 'position'), name='task_output_position_once'),
                    models.UniqueConstraint(fields=('task', 'output'), name='task_output_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="which program uses it; visible to the study's researchers", max_length=100)),
                ('scope', models.CharField(choices=[('read', 'Read'), ('write', 'Read and write')], default='read', max_length=5)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(blank=True, help_text='to the minute', null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tokens', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tokens', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='token_name_given'),
                    models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'write'])), name='token_scope_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WrittenExample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(help_text="place among the study's examples, from 0")),
                ('edition', models.PositiveIntegerField(default=0, help_text='the newest one is shown by new runs and exported')),
                ('item_key', models.CharField(blank=True, help_text='the item that it is about, if it is about one', max_length=200)),
                ('document', models.TextField(blank=True)),
                ('instruction', models.TextField(blank=True)),
                ('outputs', config.model_fields.ExactJSONField(help_text='the text of one output, or a list of {id, text}')),
                ('values', config.model_fields.ExactJSONField(help_text='{question: value}')),
                ('rationale', models.TextField(blank=True)),
                ('digest', models.CharField(help_text='of everything that the line says', max_length=64)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='written_examples', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'position'],
                'constraints': [models.UniqueConstraint(fields=('study', 'position'), name='example_position_once'), models.UniqueConstraint(fields=('study', 'edition', 'digest'), name='example_content_once')],
            },
        ),
        migrations.AddField(
            model_name='task',
            name='outputs',
            field=models.ManyToManyField(related_name='tasks', through='annotation.TaskOutput', to='annotation.output'),
        ),
        migrations.CreateModel(
            name='StudyCounts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('stopped', 'Stopped')], default='queued', max_length=8)),
                ('attempt', models.PositiveSmallIntegerField(default=0, help_text='how often it was started')),
                ('token', models.UUIDField(blank=True, editable=False, help_text='the claim: only its holder may write', null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now, help_text='not started before this time')),
                ('woken_at', models.DateTimeField(blank=True, help_text='when workers were last notified', null=True)),
                ('stop_asked', models.BooleanField(default=False)),
                ('reason', models.TextField(blank=True, help_text='why there is no result, or why it waits')),
                ('request_id', models.CharField(blank=True, db_default='', default=config.request_ids.current_request_id, editable=False, help_text='the request that queued it; empty for commands', max_length=12)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('subject', models.CharField(help_text='overview, spans, or batch and its number from 0', max_length=40)),
                ('figures', config.model_fields.ExactJSONField(default=dict, help_text='the counts by name')),
                ('read_at', models.DateTimeField(blank=True, help_text='when counting began', null=True)),
                ('seconds', models.FloatField(blank=True, help_text='how long counting took', null=True)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='kept_counts', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'study counts',
                'abstract': False,
                'indexes': [
                    models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='studycounts_waiting'),
                    models.Index(fields=['study', 'subject', 'id'], name='study_counts_of_subject'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='studycounts_status_fits_lease'),
                    models.UniqueConstraint(condition=models.Q(('status__in', ['queued', 'running'])), fields=('study', 'subject'), name='study_counts_one_waiting'),
                    models.UniqueConstraint(condition=models.Q(('status', 'done')), fields=('study', 'subject'), name='study_counts_one_done'),
                    models.CheckConstraint(condition=models.Q(models.Q(('status', 'done'), _negated=True), ('read_at__isnull', False), _connector='OR'), name='study_counts_done_has_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='DrawnAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveIntegerField()),
                ('is_open', models.BooleanField(default=True, help_text='not checked yet')),
                ('counts', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='drawn', to='annotation.studycounts')),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drawn_answers', to='annotation.rater')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='drawn_answers', to='annotation.task')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['task', 'rater'], name='drawn_answer_of_task'),
                    models.Index(condition=models.Q(('is_open', True)), fields=['counts', 'place'], name='drawn_answer_open'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('counts', 'place'), name='drawn_answer_place_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('variant', models.CharField(blank=True, max_length=240)),
                ('unit', models.CharField(help_text="digest of the outputs' keys and the variant", max_length=64)),
                ('number', models.PositiveIntegerField(help_text='1, 2, ... for the answers to one question about one unit')),
                ('is_current', models.BooleanField(default=True)),
                ('value', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('reason', models.TextField()),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.reviewer')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.item')),
                ('other_output', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.output')),
                ('output', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.output')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.question')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('question', 'item', 'unit', 'number'), name='adjudication_number_once'), models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('question', 'item', 'unit'), name='adjudication_one_current'), models.CheckConstraint(condition=models.Q(('other_output__isnull', True), models.Q(('output__isnull', False), models.Q(('other_output', models.F('output')), _negated=True)), _connector='OR'), name='adjudication_pair_of_two'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='adjudication_number_positive'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='adjudication_reason_given')],
            },
        ),
        Freeze(
            "annotation_item",
            [
                "study_id", "key", "document", "instruction", "source", "categories", "references", "set", "pool",
                "gold", "feedback", "metadata", "content",
            ],
        ),
        Freeze("annotation_output", ["item_id", "position", "key", "text", "edited_from", "writer", "metadata"]),
        Freeze("annotation_guideline", ["study_id", "number", "text"]),
        Freeze(
            "annotation_annotation",
            [
                "task_id", "rater_id", "revision", "status", "surplus", "answers", "reason", "flag", "shown",
                "guidelines_version", "protocol_version", "client_key", "payload_digest", "opened_at", "submitted_at",
                "seconds", "visible_seconds", "active_seconds", "tool_use", "metadata",
            ],
        ),
        Freeze(
            "annotation_rating",
            [
                "study_id", "question_id", "rater_id", "item_id", "output_id", "other_output_id", "variant",
                "annotation_id", "revision", "level", "number", "value", "off_scale", "guidelines_version",
                "protocol_version", "run", "replicate", "machine_key", "ordinal", "explanation", "shown", "seconds",
                "submitted_at", "distribution", "missing", "outcome", "prompt_digest", "metadata",
            ],
        ),
        Freeze(
            "annotation_judgerun",
            ["rater_id", "name", "configuration"],
            # The results of a finished run are evidence; which run replaces it may still be said.
            final="OLD.\"status\" = 'finished' AND (" + " OR ".join(
                f'OLD."{column}" DIFFERS FROM NEW."{column}"'
                for column in ("status", "counts", "tokens_in", "tokens_out", "price", "started_at", "ended_at")
            ) + ")",
        ),
        Freeze(
            "annotation_writtenexample",
            [
                "study_id", "position", "edition", "item_key", "document", "instruction", "outputs", "values", "rationale",
                "digest",
            ],
        ),
        Freeze("annotation_batch", ["study_id", "number", "released_by_id", "released_at"]),
        Freeze("annotation_reviewer", ["study_id", "name"]),
        Freeze("annotation_spanreview", ["rating_id", "index", "number", "verdict", "reason", "by_id", "at"]),
        Freeze(
            "annotation_adjudication",
            [
                "question_id", "item_id", "output_id", "other_output_id", "variant", "unit", "number", "value", "reason",
                "by_id", "at",
            ],
        ),
        Freeze("annotation_spotcheck", ["annotation_id", "number", "verdict", "note", "by_id", "at"]),
    ]
