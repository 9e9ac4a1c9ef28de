import django.db.models.deletion
from django.db import migrations, models


def _run(name):
    return models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name=name, to="runs.run")


def _key(*columns):
    return models.CompositePrimaryKey(*columns, blank=True, editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):

    dependencies = [("runs", "0002_drained"), ("trajectories", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ChangePack",
            fields=[
                ("pk", _key("run_id", "generation", "c")),
                ("run", _run("change_packs")),
                ("generation", models.PositiveIntegerField()),
                ("c", models.BigIntegerField()),
                ("last_c", models.BigIntegerField()),
                ("at", models.BigIntegerField()),
                ("last_at", models.BigIntegerField()),
                ("body", models.BinaryField()),
            ],
            options={"indexes": [models.Index(fields=["run", "generation", "at"], name="change_pack_at")]},
        ),
        migrations.CreateModel(
            name="Pack",
            fields=[
                ("pk", _key("run_id", "n")),
                ("run", _run("packs")),
                ("n", models.BigIntegerField()),
                ("last_n", models.BigIntegerField()),
                ("at", models.BigIntegerField()),
                ("last_at", models.BigIntegerField()),
                ("worker", models.PositiveIntegerField()),
                ("life", models.PositiveIntegerField()),
                ("item", models.BigIntegerField()),
                ("last_item", models.BigIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["run", "at"], name="pack_at"),
                    models.Index(fields=["run", "worker", "life", "item"], name="pack_item"),
                ]
            },
        ),
        migrations.AddIndex(
            model_name="eventrow",
            index=models.Index(condition=models.Q(("rank__lt", 5)), fields=["run", "kind", "at"], name="event_kind"),
        ),
        migrations.AddIndex(
            model_name="eventrow",
            index=models.Index(condition=models.Q(("rank", 5)), fields=["run", "worker", "at"], name="event_acp"),
        ),
    ]
