"""The first rows of models and prices, put in by a migration; an admin edits them afterwards. Data only.

Prices are list prices in dollars per million tokens, short context (at most 272,000 input tokens, which is what a request of a worker may
have), as published or quoted on the day named; `valid_from` is the day from which they are known to hold. Check them before you rely on them.
"""

from __future__ import annotations

ENDPOINTS = [
    # name, address, auth, other models allowed
    ("openai", "https://api.openai.com/v1", "bearer", False),
    ("anthropic", "https://api.anthropic.com/v1", "x-api-key", False),
    ("local", "http://127.0.0.1:8080/v1", "none", False),
]
_OPENAI, _ANTHROPIC = "OpenAI's list price, quoted on {}", "Anthropic's list price, quoted on {}"
MODELS = [
    # name, title, endpoint, offered from, [(price from, input, cached, cache write, output, source)]
    (
        "scripted",
        "Scripted model, offline",
        None,
        "2026-01-01",
        [("2026-01-01", 0, 0, 0, 0, "a program on this machine: it costs nothing")],
    ),
    (
        "gpt-5.6-sol",
        "GPT-5.6 Sol",
        "openai",
        "2026-06-26",
        [
            ("2026-06-26", 5, 0.5, 6.25, 30, _OPENAI.format("2026-06-27")),
            ("2026-09-13", 4, 0.4, 5, 20, _OPENAI.format("2026-09-13")),
        ],
    ),
    (
        "gpt-5.6-terra",
        "GPT-5.6 Terra",
        "openai",
        "2026-06-26",
        [
            ("2026-06-26", 2.5, 0.25, 3.125, 15, _OPENAI.format("2026-06-27")),
            ("2026-08-20", 2, 0.2, 2.5, 12, _OPENAI.format("2026-08-20")),
        ],
    ),
    (
        "gpt-5.6-luna",
        "GPT-5.6 Luna",
        "openai",
        "2026-06-26",
        [
            ("2026-06-26", 1, 0.1, 1.25, 6, _OPENAI.format("2026-06-27")),
            ("2026-08-20", 0.2, 0.02, 0.25, 1.2, _OPENAI.format("2026-08-20")),
        ],
    ),
    ("gpt-5.4", "GPT-5.4", "openai", "2026-04-13", [("2026-04-13", 2.5, 0.25, 2.5, 15, _OPENAI.format("2026-04-13"))]),
    ("gpt-6-sol", "GPT-6 Sol", "openai", "2026-09-22", [("2026-09-22", 2, 0.2, 2.5, 10, _OPENAI.format("2026-09-23"))]),
    (
        "claude-opus-5-5",
        "Claude Opus 5.5",
        "anthropic",
        "2026-09-22",
        [("2026-09-22", 4, 0.2, 5, 20, _ANTHROPIC.format("2026-09-23"))],
    ),
    (
        "claude-opus-5",
        "Claude Opus 5",
        "anthropic",
        "2026-07-24",
        [("2026-07-24", 5, 0.5, 6.25, 25, _ANTHROPIC.format("2026-09-23"))],
    ),
    (
        "claude-sonnet-5-5",
        "Claude Sonnet 5.5",
        "anthropic",
        "2026-10-07",
        [("2026-10-07", 2, 0.1, 2.5, 10, _ANTHROPIC.format("2026-10-16"))],
    ),
]


def plant(endpoints: type, language_models: type, prices: type) -> None:
    """Put the rows in, through the model classes of a migration's moment; what is there stays."""
    for name, url, auth, others in ENDPOINTS:
        endpoints.objects.get_or_create(name=name, defaults={"url": url, "auth": auth, "other_models": others})
    for name, title, endpoint, offered, costs in MODELS:
        place = endpoints.objects.get(name=endpoint) if endpoint else None
        defaults = {"title": title, "endpoint": place, "valid_from": offered}
        model, _ = language_models.objects.get_or_create(name=name, defaults=defaults)
        for day, *figures, source in costs:
            named = zip(
                ("input", "cached", "cache_write", "output"), (round(each * 1_000_000) for each in figures), strict=True
            )
            prices.objects.get_or_create(model=model, valid_from=day, defaults={**dict(named), "source": source})
