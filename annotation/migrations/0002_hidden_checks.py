import config.model_fields
import django.db.models.deletion
from config.triggers import Freeze
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='rater',
            name='given',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False, help_text='how often this rater got new work; counted in studies with hidden checks'),
        ),
        migrations.AddField(
            model_name='rater',
            name='paused_at',
            field=models.DateTimeField(blank=True, help_text='since when this rater gets no new work', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='recruiting',
            field=config.model_fields.ExactJSONField(blank=True, db_default=models.Value('{}'), default=dict, help_text='how people come in, are checked and leave'),
        ),
        migrations.AlterField(
            model_name='slot',
            name='study',
            field=models.ForeignKey(blank=True, db_index=False, help_text='empty: a hidden check, which fills no place of the study', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='annotation.study'),
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
        migrations.RemoveConstraint(
            model_name='item',
            name='item_pool_known',
        ),
        migrations.AlterField(
            model_name='item',
            name='pool',
            field=models.CharField(choices=[('main', 'Main'), ('training', 'Training'), ('qualification', 'Qualification'), ('attention', 'Attention'), ('check', 'Hidden check')], default='main', max_length=13),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(('pool__in', ['main', 'training', 'qualification', 'attention', 'check'])), name='item_pool_known'),
        ),
        Freeze(
            "annotation_item",
            [
                "study_id", "key", "document", "document_turns", "instruction", "source", "categories", "references",
                "set", "pool", "gold", "feedback", "metadata", "content",
            ],
        ),
    ]
