"""Phrasings about code, reviews and merges that no rule was read against; see `forms_unread_claims.py`."""

from __future__ import annotations

from runs.simulate.forms_claims import Forms

# fmt: off
UNREAD_WORK: Forms = {
    "counterexample": (
        ("Input {0} gives garbage.", "Rechecked with {0}: mismatch on line 2.", "I was wrong about this, {0} misbehaves.",
         "{0} returns early and drops the rest.", "Revoking my approval because of {0}.", "Edge case {0} is not covered and fails.",
         "{0} leaves a dangling pointer.", "Did you try {0}? It prints nothing.", "With {0} the exit status is wrong.",
         "Two spaces too many for {0}.", "{0} regressed compared with the parent commit.", "Needs work: {0}."),
        ("{0} liefert Unsinn.", "Leider falsch bei {0}.", "{0} ne marche pas.", "Résultat faux pour {0}.",
         "{0} da error.", "{0} работает неверно.", "{0} 输出错误。"),
    ),
    "approve": (
        ("Approving.", "Looks correct on all samples I have.", "Merge when ready.", "No comments, nice.",
         "I traced through it by hand: right.", "Agree with the approach.", "Small and focused, yes.", "All green here."),
        ("Einverstanden.", "Bon pour moi.", "Me parece bien.", "Одобряю.", "同意合并。"),
    ),
    "chatter": (
        ("Has anybody measured {0}?", "{0} shows up in the profile", "Please rebase before touching {0}", "Docs of {0} updated",
         "I'd release {0} only after the freeze", "Where do the fixtures of {0} live?", "Not giving up on {0} yet, only lunch",
         "{0} and friends compile on both targets", "The log mentions {0} a lot", "Question about {0}: signed or unsigned?"),
        ("Wo liegt {0}?", "Qui s'occupe des tests de {0} ?", "¿Dónde está {0}?", "Где лежит {0}?", "{0} 在哪里？"),
    ),
    "offer": (
        ("I would add {0} to the header", "From me you can use {0}", "Suggest the contract {0}", "{0} could be our seam",
         "Exporting {0} tonight", "How does {0} sound?", "I plan to name it {0}", "Do you need {0}?",
         "What if I gave you {0}?", "Let me propose {0}"),
        ("Ich biete {0} an", "Wäre {0} recht?", "Je propose d'exposer {0}", "Ofrezco {0}", "Предложение: {0}", "提议 {0}"),
    ),
    "agree": (
        ("{0} it is", "Works, I build on {0}", "Good choice, {0}", "Calling {0} from here on", "{0}: accepted",
         "Fine, I depend on {0} now", "Yes to {0}", "Merged my caller of {0}", "Sold: {0}", "I adapt to {0}"),
        ("{0} passt für mich", "Gut, dann {0}", "Parfait, j'utilise {0}", "De acuerdo con {0}", "Да, {0}", "{0} 可以"),
    ),
    "refuse": (
        ("{0} is wrong for my callers, no", "Please choose something else than {0}", "I can't accept {0}",
         "Won't link against {0}", "{0} would break my side", "No {0}, thanks", "Let us not have {0}", "I object to {0}"),
        ("{0} lieber nicht", "Pas {0}, s'il te plaît", "No quiero {0}", "{0} мне не подходит", "{0} 不合适"),
    ),
    "integrate": (
        ("#{0} needs merging, are you free?", "Please integrate #{0}", "Would you press the button on #{0}?",
         "Looking for someone to land #{0}", "#{0} is approved, could you bring it in?", "Can I hand #{0} to you?",
         "Kindly merge #{0}", "#{0} to main, please"),
        ("Kannst du #{0} reinnehmen?", "Peux-tu intégrer #{0} ?", "¿Integras #{0}?", "Можешь влить #{0}?", "#{0} 麻烦合并"),
    ),
    "yes": (
        ("Will handle #{0}", "#{0} - doing it", "Got it, #{0} next", "Sure, give me #{0}", "I have #{0} open",
         "#{0} accepted", "Running the tests of #{0}", "Consider #{0} done"),
        ("#{0} übernehme ich", "Je prends #{0}", "Lo miro: #{0}", "Беру #{0} на себя", "#{0} 我来"),
    ),
    "never mind": (
        ("#{0} has an owner now", "Please drop #{0} from your queue", "#{0} is already going in", "We are fine on #{0}",
         "Sorry for the noise about #{0}", "#{0}: solved otherwise", "No review of #{0} required any longer", "#{0} is taken"),
        ("#{0} ist vergeben", "#{0} est réglé", "#{0} ya resuelto", "#{0} уже решено", "#{0} 有人了"),
    ),
}

#: What a FAIL of a merged pull says: `{0}` its number, `{1}` the counterexample.
UNREAD_BLAMES = (
    "#{0} is the culprit: {1}", "{1} First seen with #{0}.", "after merging #{0}: {1}", "pull #{0} got this wrong: {1}",
    "!{0} does not hold: {1}", "{1} Came in through PR {0}.", "suspect #{0}. {1}", "PR #{0} must go: {1}",
)
#: What the body of a fix says of the pull it mends.
UNREAD_MENDS = (
    "Undoes #{0}.", "Hotfix: #{0} lost the last byte.", "Rolls back #{0}.", "#{0} was incomplete, this completes it.",
    "Corrects the mistake of #{0}.", "#{0} broke the build; restored here.", "Backs out #{0}.", "Amends #{0}.",
)
#: What a body says of a pull that it does not mend.
UNREAD_NEIGHBOURS = (
    "Builds on #{0}.", "Same layout as #{0}.", "Independent of #{0}.", "Needs #{0} first.", "Next step after #{0}.",
    "Touches the files of #{0} too.", "Split off #{0}.", "Uses the helper from #{0}.",
)
# fmt: on
