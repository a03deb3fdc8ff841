import uuid

import config.database_clock
import config.folded_text
import config.request_ids
import django.db.models.deletion
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
            name='RefusedAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('at', models.DateTimeField(default=config.database_clock.database_now)),
            ],
            options={
                'verbose_name_plural': 'refused addresses',
            },
        ),
        migrations.CreateModel(
            name='MailAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(blank=True, help_text='confirmed; empty: nothing is sent', max_length=254)),
                ('address_folded', models.GeneratedField(db_persist=True, expression=config.folded_text.Folded('address'), output_field=models.CharField(max_length=254))),
                ('pending', models.CharField(blank=True, help_text='not confirmed yet', max_length=254)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('wants_reminder', models.BooleanField(default=True)),
                ('wants_batch', models.BooleanField(default=True)),
                ('wants_notes', models.BooleanField(default=True)),
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='mail_address', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'mail addresses',
                'indexes': [models.Index(fields=['address_folded'], name='mail_address_folded')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('address', ''), ('confirmed_at__isnull', True)), models.Q(models.Q(('address', ''), _negated=True), ('confirmed_at__isnull', False)), _connector='OR'), name='mail_address_confirmed')],
            },
        ),
        migrations.CreateModel(
            name='OutgoingMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('stopped', 'Stopped')], default='queued', max_length=8)),
                ('attempt', models.PositiveSmallIntegerField(default=0, help_text='how often it was started')),
                ('token', models.UUIDField(blank=True, editable=False, help_text='the claim: only its holder may write', null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('due_at', models.DateTimeField(default=config.database_clock.database_now, help_text='not started before this time')),
                ('woken_at', models.DateTimeField(blank=True, help_text='when workers were last notified', null=True)),
                ('stop_asked', models.BooleanField(default=False)),
                ('reason', models.TextField(blank=True, help_text='why there is no result, or why it waits')),
                ('request_id', models.CharField(blank=True, db_default='', default=config.request_ids.current_request_id, editable=False, help_text='the request that queued it; empty for commands', max_length=12)),
                ('created_at', models.DateTimeField(default=config.database_clock.database_now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('kind', models.CharField(choices=[('invitation', 'Invitation'), ('confirmation', 'Confirmation of an address'), ('reminder', 'Reminder'), ('batch', 'New tasks'), ('notes', 'Notes and messages'), ('password', 'New password')], max_length=12)),
                ('invitation_pk', models.BigIntegerField(blank=True, help_text='primary key of the invitation that it sends', null=True)),
                ('address', models.CharField(blank=True, help_text='of an invitation, until it is sent', max_length=254)),
                ('salt', models.CharField(blank=True, editable=False, help_text="makes an invitation's link", max_length=64)),
                ('occasion', models.CharField(blank=True, help_text='what it tells, which is told once', max_length=100, null=True, unique=True)),
                ('message_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('tries', models.PositiveIntegerField(default=0, help_text='how often it was sent')),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='outgoing_mails', to='annotation.study')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['due_at', 'id'], name='outgoingmail_waiting'), models.Index(fields=['study', 'kind', 'person', 'created_at'], name='outgoing_mail_of_study')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('status', 'running'), ('token__isnull', False)), models.Q(('ended_at__isnull', True), ('lease_until__isnull', True), ('status', 'queued'), ('token__isnull', True)), models.Q(('ended_at__isnull', False), ('status__in', ['done', 'failed', 'stopped']), ('token__isnull', True)), _connector='OR'), name='outgoingmail_status_fits_lease'), models.CheckConstraint(condition=models.Q(models.Q(('invitation_pk__isnull', False), ('kind', 'invitation'), ('person__isnull', True)), models.Q(('invitation_pk__isnull', True), ('kind', 'password'), ('person__isnull', True), ('study__isnull', True)), models.Q(models.Q(('kind__in', ['invitation', 'password']), _negated=True), ('address', ''), ('invitation_pk__isnull', True), ('person__isnull', False)), _connector='OR'), name='outgoing_mail_one_receiver')],
            },
        ),
    ]
