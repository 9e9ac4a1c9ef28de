"""What people did to a run: a row that the monitor carries out, and an event with the person's name."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models

from runs.models.run import Run


class Action(models.Model):
    """cancel | end | nudge | stop_worker, by whom, on what. `done_at` is set when the monitor has carried it out."""

    class What(models.TextChoices):
        CANCEL = "cancel"
        END = "end"
        NUDGE = "nudge"
        STOP_WORKER = "stop_worker"

    run = models.ForeignKey(Run, models.CASCADE, related_name="actions")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    person_name = models.CharField(max_length=150)
    action = models.CharField(max_length=12, choices=What.choices)
    target = models.CharField(max_length=80, blank=True, default="")
    at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.action} {self.target}".strip()

    @classmethod
    def take(cls, run: Run, action: str, *, person: User | None, person_name: str, target: str = "") -> Action | None:
        """Write the request, its event and, for cancel and end, the column the tick reads. None when the run is over."""
        with run.locked():
            if run.is_final or run.status == "importing":
                return None
            if action == cls.What.CANCEL:
                run.request_cancel()
            elif action == cls.What.END:
                run.request_end()
            run.record("action.taken", person=person_name, action=action, target=target)
            return cls.objects.create(run=run, person=person, person_name=person_name, action=action, target=target)
