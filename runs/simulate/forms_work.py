"""What workers write about code, reviews and merges: (English forms, forms in other languages)."""

from __future__ import annotations

Forms = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]

# fmt: off
WORK: Forms = {
    "counterexample": (
        ("Counterexample: `{0}` loses the last cell.",
         "Wrong on empty input: {0} prints a newline, the reference does not.",
         "I withdraw my approval: {0} swaps the order.",
         "Missed this before: {0} exits 0 where the reference exits 1.",
         "Ran the examples again: {0} drops the trailing space.", "{0} crashes on a file without a newline.",
         "Not good after all: {0} prints the header twice.", "Second look: {0} is off by one."),
        ("Gegenbeispiel: {0} verliert die letzte Zelle.", "Contre-exemple : {0} inverse l'ordre.",
         "Контрпример: {0} теряет ячейку."),
    ),
    "approve": (
        ("Reads well, tests pass.", "Ran the examples: equal to the reference.", "LGTM",
         "Good. One nit, not blocking.", "Checked against the docs, fine.", "Works here, merge it.",
         "Nice and small.", "Compared 12 outputs, all equal."),
        ("Sieht gut aus.", "Rien à redire.", "Хорошо.", "没问题。"),
    ),
    "chatter": (
        ("main is green at {0}.", "I merge whatever has one standing approval. Ask me.", "Rebasing {0} on main now.",
         "Who knows how the reference treats {0}?", "{0} is on main.",
         "The release notes of the reference mention {0}.", "Do not release {0} yet, the tests are flaky.",
         "If nobody needs {0} I would drop it.", "> claiming {0}\nwho said that?",
         "FAIL is for results, please, not for plans about {0}."),
        ("Wer kennt {0}?", "main est vert.", "Кто знает {0}?"),
    ),
    "offer": (
        ("I will expose {0}, is that what you need?", "My side: {0}.", "Proposal for the border between us: {0}",
         "I need {0} from you.", "Shall we fix {0}?", "For my part I call {0}.", "The entry point would be {0}.",
         "Let us say {0}."),
        ("Vorschlag: {0}", "Je propose {0}", "Предлагаю {0}"),
    ),
    "agree": (
        ("Agreed, {0} it is.", "{0} works for me.", "Good: I call {0} then.", "Yes. I will write against {0}.",
         "OK, {0}.", "Done on my side: {0}.", "Fine with {0}, I add a test.", "{0}, taken over as you wrote it."),
        ("Einverstanden, {0}.", "D'accord pour {0}.", "Договорились: {0}"),
    ),
    "refuse": (
        ("No, {0} would not work with the tables.", "I would rather not use {0}.",
         "Not {0}, please: it copies twice.", "{0}? Too slow for the big files, don't.",
         "Nope, {0} hides the position.", "I cannot live with {0}.", "{0} is wrong for nested input.", "Anything else than {0}."),
        ("Nein, {0} geht nicht.", "Non, pas {0}."),
    ),
    "integrate": (
        ("Can you land #{0}? I am out of context.", "#{0} is ready, could you merge it?",
         "Would you integrate #{0}?", "Need a merge of #{0}.", "Who has time for #{0}?",
         "#{0} wants an integrator, you?", "Please look at #{0} and merge.", "Handing #{0} on, can you take it?"),
        ("Kannst du #{0} mergen?", "Tu peux fusionner #{0} ?", "Влей, пожалуйста, #{0}"),
    ),
    "yes": (
        ("Yes, I take #{0}.", "#{0}: on it.", "Can do #{0} now.", "Looking at #{0}.", "#{0} is next on my list.",
         "Got #{0}.", "Will merge #{0} in a minute.", "Sure, #{0}."),
        ("Mache ich: #{0}.", "Je m'en charge, #{0}.", "Беру #{0}."),
    ),
    "never mind": (
        ("#{0} is taken care of, thanks.", "No need any more for #{0}.", "Somebody has #{0} already.",
         "Never mind #{0}.", "#{0}: sorted.", "Please ignore my question on #{0}.", "#{0} found its merger.",
         "All good with #{0}, thanks."),
        ("#{0} hat sich erledigt.", "#{0} : plus besoin.", "#{0} уже взяли."),
    ),
}
# fmt: on
