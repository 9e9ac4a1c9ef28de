"""Mattermost's configuration file for one run. Whatever is not named here is Mattermost's default."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from runs.services.base import Database


def config(*, folder: Path, url: str, listen: str, database: Database, workers: int) -> str:
    """The file as JSON. Limits follow the team: by default a team has 50 members, and `@channel` is dropped above 1,000."""
    most = max(3_000, 2 * workers)
    password = quote(database.password, safe="")
    source = (
        f"postgres://{database.user}:{password}@{database.host}:{database.port}/{database.name}"
        "?sslmode=disable&connect_timeout=10"
    )
    told = {
        "ServiceSettings": {
            "SiteURL": url,
            "ListenAddress": listen,
            "EnableBotAccountCreation": True,  # workers are bots: people are limited to 250
            "EnableUserAccessTokens": True,
            "EnableLocalMode": False,  # no socket for administrators: everything goes through the API
            "LocalModeSocketLocation": str(
                folder / "local.socket"
            ),  # it is unlinked all the same, and /var is read-only
            "EnableSecurityFixAlert": False,
            "EnableLinkPreviews": False,
            "EnablePermalinkPreviews": False,
            "EnableGifPicker": False,
            "EnableIncomingWebhooks": False,
            "EnableOutgoingWebhooks": False,
            "EnableCommands": False,
            "EnableTutorial": False,
            "EnableOnboardingFlow": False,
            "EnableUserTypingMessages": False,
            "EnableUserStatuses": False,
            "EnableEmailInvitations": False,
            "CollapsedThreads": "disabled",
            "ThreadAutoFollow": False,  # a row for each follower and reply that nobody reads; it wants threads not collapsed
            "AllowSyncedDrafts": False,
            "SessionLengthWebInHours": 24 * 365,  # the administrator's session outlives the run
            "PostEditTimeLimit": -1,
        },
        "TeamSettings": {
            "SiteName": "Agensh",
            "EnableOpenServer": False,  # the first account may be made all the same, and is the administrator
            "EnableUserCreation": True,
            "MaxUsersPerTeam": most,
            "MaxChannelsPerTeam": 20_000,
            "MaxNotificationsPerChannel": most,
            "EnableJoinLeaveMessageByDefault": False,
        },
        # Two a core are enough for queries this short; workers wait in Mattermost, not in PostgreSQL.
        "SqlSettings": {"DriverName": "postgres", "DataSource": source, "MaxOpenConns": 40, "MaxIdleConns": 20},
        "FileSettings": {
            "EnableFileAttachments": False,
            "DriverName": "local",
            "Directory": str(folder / "data"),
        },
        "LogSettings": {
            "EnableConsole": True,
            "ConsoleLevel": "WARN",
            "ConsoleJson": True,
            "EnableFile": False,
            "EnableDiagnostics": False,
            "EnableSentry": False,
        },
        "RateLimitSettings": {"Enable": False},
        "EmailSettings": {
            "EnableSignUpWithEmail": True,  # without it not even the first account can be made
            "SendEmailNotifications": False,
            "SendPushNotifications": False,
            "RequireEmailVerification": False,
            "EnablePreviewModeBanner": False,
        },
        "PluginSettings": {
            "Enable": False,
            "EnableMarketplace": False,
            "AutomaticPrepackagedPlugins": False,
            "Directory": str(folder / "plugins"),
            "ClientDirectory": str(folder / "client-plugins"),
        },
        "AnnouncementSettings": {"AdminNoticesEnabled": False, "UserNoticesEnabled": False},
    }
    return json.dumps(told, indent=1) + "\n"
