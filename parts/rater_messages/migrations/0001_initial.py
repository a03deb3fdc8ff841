import config.database_clock
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from config.first_migration import FirstMigration
from config.triggers import Freeze


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='MessageThread',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('waiting_since', models.DateTimeField(blank=True, help_text="the rater's first message to which no researcher has replied", null=True)),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='message_threads', to='annotation.rater')),
                ('task', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='message_threads', to='annotation.task')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('waiting_since__isnull', False)), fields=['rater'], name='message_thread_waiting')],
                'constraints': [models.UniqueConstraint(fields=('rater', 'task'), name='message_thread_once_a_task'), models.UniqueConstraint(condition=models.Q(('task__isnull', True)), fields=('rater',), name='message_thread_once_a_study')],
            },
        ),
        migrations.CreateModel(
            name='RaterMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('from_rater', models.BooleanField()),
                ('text', models.TextField()),
                ('at', models.DateTimeField(default=config.database_clock.database_now)),
                ('seen_at', models.DateTimeField(blank=True, help_text='when the other side first opened it', null=True)),
                ('by', models.ForeignKey(blank=True, help_text='the researcher; empty: the rater, or somebody who was erased', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='messages', to='rater_messages.messagethread')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('seen_at', None)), fields=['thread', 'from_rater'], name='rater_message_unread')],
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='rater_message_given'), models.CheckConstraint(condition=models.Q(('from_rater', False), ('by__isnull', True), _connector='OR'), name='rater_message_one_author')],
            },
        ),
        Freeze("rater_messages_messagethread", ["rater_id", "task_id"]),
        Freeze("rater_messages_ratermessage", ["thread_id", "from_rater", "by_id", "text", "at"], once=["seen_at"]),
    ]
