import accounts.reserved_names
import config.database_clock
import config.folded_text
import config.model_fields
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from config.first_migration import FirstMigration
from config.triggers import Freeze


class Migration(FirstMigration):

    initial = True

    dependencies = [
        ('config', '0001_initial'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='WrongTryCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='keyed hash of the user name and the address', max_length=64, unique=True)),
                ('count', models.PositiveIntegerField(default=0)),
                ('ends_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Person',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator(), accounts.reserved_names.refuse_reserved])),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('username_folded', models.GeneratedField(db_persist=True, expression=config.folded_text.Folded('username'), output_field=models.CharField(max_length=150))),
                ('email_folded', models.GeneratedField(db_persist=True, expression=config.folded_text.Folded('email'), output_field=models.CharField(max_length=254))),
                ('full_name', models.CharField(blank=True, max_length=200)),
                ('preferences', config.model_fields.ExactJSONField(blank=True, default=dict, editable=False, help_text='options that differ from the defaults')),
                ('guest_of', models.CharField(blank=True, editable=False, help_text='slug of the study whose link has made the account; nothing else is open to it', max_length=100)),
                ('is_synthetic', models.BooleanField(default=False, editable=False, help_text='stands for nobody, such as a rater of a dry run, and never signs in')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'person',
                'verbose_name_plural': 'people',
                'indexes': [models.Index(fields=['email_folded'], name='person_email_folded')],
                'constraints': [models.UniqueConstraint(fields=('username_folded',), name='person_name_once'), models.CheckConstraint(condition=models.Q(('is_synthetic', False), models.Q(('is_staff', False), ('is_superuser', False), ('password__startswith', '!')), _connector='OR'), name='synthetic_person_has_no_rights')],
            },
        ),
        migrations.CreateModel(
            name='BrowserSession',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('person', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='browser_sessions', to=settings.AUTH_USER_MODEL)),
                ('seen_at', models.DateTimeField(default=config.database_clock.database_now, editable=False, help_text='a request of the last hour or so; ends idle sessions')),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Identity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study', models.CharField(blank=True, help_text='slug of the study; empty: outside of studies', max_length=100)),
                ('person', models.ForeignKey(blank=True, help_text='empty: erased', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='identities', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'identities',
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('person__isnull', False)), fields=('person', 'study'), name='identity_once_per_study'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('action', models.CharField(max_length=60)),
                ('study', models.CharField(blank=True, help_text='slug of the study, if it happened in one', max_length=100)),
                ('subject', models.CharField(blank=True, max_length=300)),
                ('old', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('new', config.model_fields.ExactJSONField(blank=True, null=True)),
                ('about', models.ForeignKey(blank=True, help_text='the person it was done to, or whose work it concerns', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.identity')),
                ('actor', models.ForeignKey(blank=True, help_text='empty for commands', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.identity')),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'indexes': [
                    models.Index(fields=['study', 'at'], name='audit_study_at'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('action', ''), _negated=True), name='audit_action_named'),
                ],
            },
        ),
        migrations.CreateModel(
            name='KnownAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='keyed hash of the user name and the address', max_length=64, unique=True)),
                ('until', models.DateTimeField(db_index=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='known_addresses', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'known addresses',
            },
        ),
        migrations.CreateModel(
            name='SignInLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('password_hash', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('purpose', models.CharField(choices=[('sign-in', 'Sign in'), ('password', 'New password')], default='sign-in', max_length=8)),
                ('study', models.CharField(blank=True, help_text='slug of the study whose owner made it', max_length=100)),
                ('made_by', models.ForeignKey(blank=True, help_text='empty: by an operator', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_in_links', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('made_by__isnull', True), ('study', '')), models.Q(models.Q(('study', ''), _negated=True), ('made_by__isnull', False), ('purpose', 'sign-in')), _connector='OR'), name='sign_in_link_of_study_made_by'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SecondFactor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sealed_key', models.TextField(editable=False, help_text="the app's key, encrypted with SECRET_KEY")),
                ('since', models.DateTimeField(auto_now_add=True)),
                ('used_step', models.BigIntegerField(editable=False, help_text='the newest step of 30 seconds of which a code was used; earlier ones are refused')),
                ('recovery_hashes', config.model_fields.ExactJSONField(default=list, editable=False, help_text='hashes of the unused recovery codes')),
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='second_factor', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        Freeze("accounts_auditentry", ["at", "actor_id", "about_id", "action", "study", "subject", "old", "new"]),
        Freeze("accounts_identity", ["person_id", "study"]),
    ]
