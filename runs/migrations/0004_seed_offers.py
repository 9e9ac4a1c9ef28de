from django.db import migrations

from runs.models.seeds import plant


def seed(apps, schema_editor):
    plant(*(apps.get_model("runs", name) for name in ("Endpoint", "LanguageModel", "Price")))


class Migration(migrations.Migration):
    dependencies = [("runs", "0003_offers")]
    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
