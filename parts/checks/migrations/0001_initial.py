import config.database_clock
import config.model_fields
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
            name='CheckItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('gold', 'Gold'), ('twins', 'Twin'), ('repeats', 'Repeat')], max_length=7)),
                ('damage', models.CharField(blank=True, help_text='how the output of a twin is damaged', max_length=10)),
                ('damaged', models.CharField(blank=True, help_text='the key of that output', max_length=200)),
                ('expected', config.model_fields.ExactJSONField(blank=True, help_text='{question: right answer} of gold', null=True)),
                ('created_at', models.DateTimeField(default=config.database_clock.database_now)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='check_item', to='annotation.item')),
                ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='check_copies', to='annotation.item')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('source', 'kind', 'damaged'), name='check_item_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['gold', 'twins', 'repeats'])), name='check_item_kind_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'twins'), models.Q(('damage', ''), _negated=True), models.Q(('damaged', ''), _negated=True)), models.Q(models.Q(('kind', 'twins'), _negated=True), ('damage', ''), ('damaged', '')), _connector='OR'), name='check_item_twin_is_damaged')],
            },
        ),
        migrations.CreateModel(
            name='DueCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text="which of the rater's claims, from 0")),
                ('slot_number', models.PositiveSmallIntegerField(help_text='the number of the slot that it makes on its task')),
                ('order', config.model_fields.ExactJSONField(help_text="positions of the task's outputs in the order shown")),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='due_checks', to='annotation.rater')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='due_checks', to='annotation.task')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rater', 'number', 'task'), name='due_check_once'), models.UniqueConstraint(fields=('task', 'slot_number'), name='due_check_slot_once')],
            },
        ),
        migrations.CreateModel(
            name='CheckLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('given', models.PositiveIntegerField(blank=True, help_text="the rater's claims when checks were prepared", null=True)),
                ('judged_through', models.BigIntegerField(default=0, help_text='the last answer to a check that rules know')),
                ('conduct_through', models.BigIntegerField(default=0, help_text='the last answer to a task that rules know')),
                ('rater', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='check_look', to='annotation.rater')),
            ],
        ),
        migrations.CreateModel(
            name='RaterNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rule', config.model_fields.ExactJSONField(help_text='the rule as the study had it then')),
                ('share', models.FloatField(help_text='what the figure was')),
                ('number', models.PositiveIntegerField(help_text='of how many checks or answers')),
                ('paused', models.BooleanField(default=False)),
                ('at', models.DateTimeField(default=config.database_clock.database_now)),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.TextField(blank=True, help_text='what the researcher did about it, and why')),
                ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='check_notices', to='annotation.rater')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('answered_at__isnull', True)), fields=['rater'], name='rater_notice_open')],
                'constraints': [models.CheckConstraint(condition=models.Q(('share__gte', 0)), name='rater_notice_share_positive'), models.CheckConstraint(condition=models.Q(models.Q(('answered_at__isnull', True), ('outcome', '')), models.Q(('answered_at__isnull', False), models.Q(('outcome', ''), _negated=True)), _connector='OR'), name='rater_notice_answered_with_words')],
            },
        ),
        migrations.CreateModel(
            name='FiledCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='of the line', max_length=64)),
                ('line', config.model_fields.ExactJSONField(help_text='the line, without the rater')),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='filed_checks', to='annotation.rater')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='filed_checks', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'digest'), name='filed_check_once')],
            },
        ),
        Freeze("checks_checkitem", ["item_id", "kind", "source_id", "damage", "damaged", "expected"]),
        Freeze("checks_filedcheck", ["study_id", "rater_id", "digest", "line"]),
    ]
