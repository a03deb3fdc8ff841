import config.model_fields
import django.db.models.deletion
from django.db import migrations, models

from config.first_migration import FirstMigration
from config.triggers import Freeze


class Migration(FirstMigration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=300, unique=True)),
                ('queues', models.CharField(help_text='which queues it serves, separated by commas', max_length=100)),
                ('started_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField(db_index=True)),
                ('reaches_broker', models.BooleanField(default=True)),
                ('clock_skew', models.FloatField(help_text="seconds by which its host's clock is ahead of the database's", null=True)),
            ],
        ),
        migrations.CreateModel(
            name='QueueTurn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('queue', models.CharField(max_length=10)),
                ('study', models.BigIntegerField(help_text='primary key of the study; 0: work of none')),
                ('at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('queue', 'study'), name='queue_turn_once')],
            },
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('scope', models.CharField(help_text='what was erased, by ids and never by name: study:12', max_length=200)),
                ('counts', config.model_fields.ExactJSONField(default=dict, help_text='{table: rows erased}')),
                ('open', models.ForeignKey(blank=True, db_index=False, help_text='0, which is no row, until the erasure is closed', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='config.erasure')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('open__isnull', False)), fields=['open'], name='erasure_open')],
                'constraints': [models.CheckConstraint(condition=models.Q(('open__isnull', True), ('open', 0), _connector='OR'), name='erasure_open_points_at_no_row'), models.CheckConstraint(condition=models.Q(('id__gte', 1)), name='erasure_zero_is_no_row')],
            },
        ),
        Freeze("config_erasure", ["scope", "at"], final='OLD."open_id" IS NULL', erasable=False),
    ]
