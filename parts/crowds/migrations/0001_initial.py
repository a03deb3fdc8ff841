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
            name='CrowdBrowser',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='keyed hash of the cookie', max_length=64)),
                ('is_public', models.BooleanField(help_text='whether the person came by the public link, which takes a browser once')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='crowd_browsers', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.study')),
            ],
            options={
                'indexes': [models.Index(fields=['study', 'key'], name='crowd_browser_key')],
                'constraints': [models.UniqueConstraint(fields=('study', 'person', 'key'), name='crowd_browser_once'), models.UniqueConstraint(condition=models.Q(('is_public', True)), fields=('study', 'key'), name='crowd_public_browser_once')],
            },
        ),
        migrations.CreateModel(
            name='LeftParticipant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='keyed hash of the participant id, or of the browser', max_length=64)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'digest'), name='crowd_left_participant_once')],
            },
        ),
        migrations.CreateModel(
            name='CrowdId',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('participant', models.CharField(max_length=100)),
                ('recruiter_study', models.CharField(blank=True, max_length=100)),
                ('session', models.CharField(blank=True, max_length=100)),
                ('repeats', models.PositiveIntegerField(default=0, help_text='how often somebody came with this participant id and another submission')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='crowd_ids', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'participant'), name='crowd_participant_once'), models.UniqueConstraint(fields=('study', 'person'), name='crowd_person_once'), models.CheckConstraint(condition=models.Q(('participant', ''), _negated=True), name='crowd_participant_given')],
            },
        ),
        migrations.CreateModel(
            name='CrowdStay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('recruiter', 'Recruiter'), ('public', 'Public link')], max_length=9)),
                ('entered_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(blank=True, help_text='when the stay ends by itself; empty: never', null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, choices=[('complete', 'Complete'), ('screened_out', 'Not a fit'), ('failed', 'Did not pass'), ('withdrawn', 'Withdrawn'), ('timed_out', 'Timed out')], max_length=12)),
                ('code', models.CharField(blank=True, help_text='the completion code that the person was given', max_length=60)),
                ('is_own_code', models.BooleanField(default=False, help_text='whether nobody else in the study has this code')),
                ('rater', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='crowd_stay', to='annotation.rater')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='crowd_stays', to='annotation.study')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('ended_at__isnull', True)), fields=['due_at'], name='crowd_stay_due')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_own_code', True)), fields=('study', 'code'), name='crowd_code_once'), models.CheckConstraint(condition=models.Q(models.Q(('code', ''), ('ended_at__isnull', True), ('outcome', '')), models.Q(('ended_at__isnull', False), ('outcome__in', ['complete', 'screened_out', 'failed', 'withdrawn', 'timed_out'])), _connector='OR'), name='crowd_outcome_fits_end'), models.CheckConstraint(condition=models.Q(('source__in', ['recruiter', 'public'])), name='crowd_source_known')],
            },
        ),
        Freeze(
            "crowds_crowdstay", ["study_id", "rater_id", "source", "entered_at"], once=["ended_at"],
            final='OLD."ended_at" IS NOT NULL',
        ),
    ]
