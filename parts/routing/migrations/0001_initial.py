import config.model_fields
import django.db.models.deletion
from django.db import migrations, models

from config.first_migration import FirstMigration
from parts.routing.slot_counting import CountSlots


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='RoutedRater',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lanes', config.model_fields.ExactJSONField(help_text='numbers of lanes, in the order in which this rater gets tasks')),
                ('at', models.PositiveSmallIntegerField(default=0, help_text='which of the lanes, from 0')),
                ('reach', models.BigIntegerField(blank=True, help_text='the greatest place up to which they have looked', null=True)),
                ('rater', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='routed', to='annotation.rater')),
            ],
        ),
        migrations.CreateModel(
            name='RoutingQuota',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(blank=True, max_length=320)),
                ('most', models.PositiveIntegerField()),
                ('taken', models.PositiveIntegerField(default=0)),
                ('first_lane', models.PositiveSmallIntegerField()),
                ('last_lane', models.PositiveSmallIntegerField()),
                ('rater', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='own_quotas', to='annotation.rater')),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='routing_quotas', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('rater__isnull', True)), fields=('study', 'key'), name='routing_quota_once'),
                    models.UniqueConstraint(condition=models.Q(('rater__isnull', False)), fields=('rater', 'key'), name='routing_quota_of_rater_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuotaMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('quota', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='members', to='routing.routingquota')),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='quota_members', to='annotation.rater')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rater', 'quota'), name='quota_member_once')],
            },
        ),
        CountSlots(),
    ]
