import config.fields
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0004_reviews'),
    ]

    operations = [
        migrations.AddField(
            model_name='rater',
            name='topics',
            field=config.fields.ExactJSONField(blank=True, help_text='the categories of items that this rater prefers', null=True),
        ),
    ]
