import config.database_clock
import django.db.models.deletion
from django.db import migrations, models

from config.first_migration import FirstMigration


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='SecondStageCase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('taken_at', models.DateTimeField(default=config.database_clock.database_now)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='second_stage_case', to='annotation.item')),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='second_stage_cases', to='annotation.rater')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('done_at__isnull', True)), fields=('rater',), name='second_stage_one_open_case'), models.CheckConstraint(condition=models.Q(models.Q(('done_at__isnull', True), ('lease_until__isnull', False)), models.Q(('done_at__isnull', False), ('lease_until__isnull', True)), _connector='OR'), name='second_stage_lease_fits')],
            },
        ),
    ]
