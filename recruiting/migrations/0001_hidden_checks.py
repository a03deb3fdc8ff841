import config.model_fields
import django.db.models.deletion
import django.utils.timezone
from config.triggers import Freeze
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CheckLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('given', models.PositiveIntegerField(blank=True, help_text="the rater's claims when checks were prepared", null=True)),
                ('judged_through', models.BigIntegerField(default=0, help_text='the last answer that rules were asked about')),
                ('rater', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='check_look', to='annotation.rater')),
            ],
        ),
        migrations.CreateModel(
            name='RaterExclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(help_text='the rater reads it, too')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('ended_reason', models.TextField(blank=True, null=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='annotation.rater')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('rater',), name='rater_excluded_once'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='rater_excluded_with_reason'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('ended_reason__isnull', True)), models.Q(('ended_at__isnull', False), ('ended_reason__isnull', False), models.Q(('ended_reason', ''), _negated=True)), _connector='OR'), name='rater_exclusion_ended_with_reason')],
            },
        ),
        migrations.CreateModel(
            name='ExclusionReply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('exclusion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='replies', to='recruiting.raterexclusion')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='exclusion_reply_given')],
            },
        ),
        migrations.CreateModel(
            name='RaterNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rule', config.model_fields.ExactJSONField(help_text='the rule as the study had it then')),
                ('share', models.FloatField(help_text='what the figure was')),
                ('number', models.PositiveIntegerField(help_text='of how many checks')),
                ('paused', models.BooleanField(default=False)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.TextField(blank=True, help_text='what the researcher did about it, and why')),
                ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='check_notices', to='annotation.rater')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('answered_at__isnull', True)), fields=['rater'], name='rater_notice_open')],
                'constraints': [models.CheckConstraint(condition=models.Q(('share__gte', 0), ('share__lte', 1)), name='rater_notice_share_is_one'), models.CheckConstraint(condition=models.Q(models.Q(('answered_at__isnull', True), ('outcome', '')), models.Q(('answered_at__isnull', False), models.Q(('outcome', ''), _negated=True)), _connector='OR'), name='rater_notice_answered_with_words')],
            },
        ),
        migrations.CreateModel(
            name='CheckItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('gold', 'Gold'), ('twins', 'Twin'), ('repeats', 'Repeat')], max_length=7)),
                ('damage', models.CharField(blank=True, help_text='how the output of a twin is damaged', max_length=10)),
                ('damaged', models.CharField(blank=True, help_text='the key of that output', max_length=200)),
                ('expected', config.model_fields.ExactJSONField(blank=True, help_text='{question: right answer} of gold', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='check_item', to='annotation.item')),
                ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='check_copies', to='annotation.item')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('source', 'kind', 'damaged'), name='check_item_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['gold', 'twins', 'repeats'])), name='check_item_kind_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'twins'), models.Q(('damage', ''), _negated=True), models.Q(('damaged', ''), _negated=True)), models.Q(models.Q(('kind', 'twins'), _negated=True), ('damage', ''), ('damaged', '')), _connector='OR'), name='check_item_twin_is_damaged')],
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
        Freeze("recruiting_checkitem", ["item_id", "kind", "source_id", "damage", "damaged", "expected"]),
        Freeze(
            "recruiting_raterexclusion", ["rater_id", "reason", "by_id", "at"],
            once=["ended_at", "ended_by_id", "ended_reason"],
        ),
        Freeze("recruiting_exclusionreply", ["exclusion_id", "text", "at"]),
        Freeze("recruiting_filedcheck", ["study_id", "rater_id", "digest", "line"]),
    ]
