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
            name='ConsentVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('text', models.TextField()),
                ('privacy', models.TextField(blank=True)),
                ('retention', models.TextField()),
                ('on_withdrawal', models.CharField(choices=[('keep', 'Kept without a name'), ('erase', 'Erased')], max_length=5)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consent_versions', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='consent_version_number_once'), models.UniqueConstraint(fields=('study', 'digest'), name='consent_version_digest_once'), models.CheckConstraint(condition=models.Q(('on_withdrawal__in', ['keep', 'erase'])), name='consent_rule_known')],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('agreed_at', models.DateTimeField()),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='annotation.rater')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='way_in.consentversion')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rater', 'version'), name='consent_once')],
            },
        ),
        migrations.CreateModel(
            name='PersonalReply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step', models.CharField(max_length=100)),
                ('question', models.CharField(max_length=100)),
                ('value', config.model_fields.ExactJSONField()),
                ('given_at', models.DateTimeField()),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='personal_replies', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'personal replies',
                'constraints': [models.UniqueConstraint(fields=('study', 'person', 'step', 'question'), name='personal_reply_once')],
            },
        ),
        migrations.CreateModel(
            name='StepPassage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step', models.CharField(help_text="the step's key in the study file", max_length=100)),
                ('attempt', models.PositiveSmallIntegerField(help_text='from 1')),
                ('outcome', models.CharField(choices=[('open', 'Under way'), ('waiting', 'Waits for a decision'), ('passed', 'Passed'), ('failed', 'Not passed')], default='open', max_length=7)),
                ('guidelines_version', models.PositiveIntegerField(blank=True, help_text='the newest when it began', null=True)),
                ('opened_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('tasks', config.model_fields.ExactJSONField(blank=True, default=list)),
                ('result', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='step_passages', to='annotation.rater')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rater', 'step', 'attempt'), name='step_attempt_once'), models.UniqueConstraint(condition=models.Q(('outcome__in', ['open', 'waiting'])), fields=('rater', 'step'), name='step_attempt_open_once'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('outcome__in', ['open', 'waiting'])), models.Q(('ended_at__isnull', False), ('outcome__in', ['passed', 'failed'])), _connector='OR'), name='step_outcome_fits_end'), models.CheckConstraint(condition=models.Q(('attempt__gte', 1)), name='step_attempt_positive')],
            },
        ),
        migrations.CreateModel(
            name='PracticeAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text="the task's place in the attempt, from 0")),
                ('variant', models.CharField(blank=True, max_length=200)),
                ('shown', config.model_fields.ExactJSONField(help_text="the outputs' keys in the order shown")),
                ('answers', config.model_fields.ExactJSONField()),
                ('checks', config.model_fields.ExactJSONField(blank=True, default=dict)),
                ('submitted_at', models.DateTimeField()),
                ('read_at', models.DateTimeField(blank=True, help_text='when the right answer was read, in training', null=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.item')),
                ('passage', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='way_in.steppassage')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('passage', 'number'), name='practice_answer_once')],
            },
        ),
        Freeze(
            "way_in_consentversion", ["study_id", "number", "digest", "text", "privacy", "retention", "on_withdrawal"]
        ),
        Freeze("way_in_consent", ["rater_id", "version_id", "agreed_at"]),
        Freeze(
            "way_in_steppassage", ["rater_id", "step", "attempt", "guidelines_version", "opened_at", "tasks"],
            once=["ended_at"], final="OLD.\"outcome\" IN ('passed', 'failed')",
        ),
        Freeze(
            "way_in_practiceanswer",
            ["passage_id", "number", "item_id", "variant", "shown", "answers", "checks", "submitted_at"], once=["read_at"],
        ),
    ]
