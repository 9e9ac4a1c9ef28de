"""The `fresh` wording about code, reviews and merges; see `forms_fresh_claims.py`."""

from __future__ import annotations

from runs.simulate.forms_claims import Forms

# fmt: off
FRESH_WORK: Forms = {
    "counterexample": (
        ("tried it with {0}: boom", "this falls over on {0}", "{0} gives me NaN", "nope, {0} regressed, see the trace",
         "spoke too soon, {0} renders nothing", "I missed that {0} loops forever", "with {0} the second line vanishes",
         "{0} doesn't round-trip", "sorry, blocking this: {0} segfaults", "{0}: expected 12, got 11"),
        ("Mit {0} knallt es", "{0} plante chez moi", "Con {0} se cuelga", "{0} падает", "{0} 不通过"),
    ),
    "approve": (
        ("sgtm", "nice, approving", "works on my end", "no notes", "r+ from me", "👍 tests and code both good",
         "clean, thanks for the test", "checked it out and ran it, all fine", "go ahead and merge", "looks great"),
        ("Sauber.", "Nickel.", "Queda bien.", "Годится.", "可以"),
    ),
    "chatter": (
        ("anyone else seeing slow CI on {0}?", "TIL how {0} works, wow", "who owns {0} these days?", "docs for {0} are misleading",
         "{0} went in, rebase please", "do we even need {0} for the milestone?", "coffee, then {0} maybe",
         "don't merge over {0} please", "{0} broke again? or is it me", "> dropping {0}\nwas that meant for me?"),
        ("Weiß jemand, wie {0} gedacht ist?", "{0}, c'est réglé", "¿Quién sabe de {0}?", "{0} влили"),
    ),
    "offer": (
        ("how about I expose {0}?", "thinking {0} for the seam", "I could give you {0}", "would {0} cover your case?",
         "api sketch: {0}", "planning on {0}, shout if that hurts", "you call {0}, I implement it", "what if it's {0}?"),
        ("Reicht dir {0}?", "Je pensais à {0}", "¿Te vale {0}?", "Может, {0}?"),
    ),
    "agree": (
        ("{0} lgtm", "yep I can consume {0}", "cool, {0} then", "good call, {0}", "{0} is exactly what I need", "ok coding to {0}",
         "👍 {0}", "{0} - nice, wiring it"),
        ("Super, {0}", "{0}, parfait", "{0}, dale", "Ок, {0}"),
    ),
    "refuse": (
        ("{0} would leak internals, can we not", "hard pass on {0}", "{0} is awkward for me", "meh, {0} allocates",
         "I don't think {0} can work", "rather not {0}, sorry", "{0} clashes with the event loop", "please no {0}"),
        ("Lieber nicht {0}", "{0}, bof, non", "{0} no me sirve así", "{0} — не надо"),
    ),
    "integrate": (
        ("can someone hit merge on #{0}?", "#{0} approved, could you ship it?", "mind shepherding #{0}?", "#{0} just needs a merge, you around?",
         "got a sec to land #{0}?", "would love to get #{0} in, can you?", "#{0} is ready to roll, please take it", "who can push #{0} over?"),
        ("Magst du #{0} reinnehmen?", "Tu peux pousser #{0} ?", "¿Metes #{0}?", "Вольёшь #{0}?"),
    ),
    "yes": (
        ("on it, #{0}", "sure, doing #{0} now", "#{0} yep", "will get to #{0} right away", "I'm around, #{0} next", "k, #{0}",
         "can take #{0}", "#{0}: merging once green"),
        ("Jo, #{0}", "Oui, #{0}", "Voy, #{0}", "Ага, #{0}"),
    ),
    "never mind": (
        ("#{0} is sorted, no need", "ignore my ping about #{0}", "all set on #{0}, thx", "no worries on #{0}, someone's got it",
         "you're off the hook for #{0}", "#{0} being handled now", "stand by, #{0} doesn't need you", "never mind about #{0}"),
        ("#{0} passt schon", "#{0}, c'est bon", "Ya no hace falta #{0}", "#{0} уже не надо"),
    ),
}
FRESH_BLAMES = (
    "#{0} is the culprit: {1}", "traced to #{0}. {1}", "{1} - started with pull {0}", "pretty sure #{0} did this: {1}",
    "main red after #{0}: {1}", "PR {0} regressed us: {1}", "!{0} needs another look: {1}", "{1} git bisect says #{0}",
)
FRESH_MENDS = (
    "Fixes the fallout of #{0}.", "Backing #{0} out again.", "Corrects a bug in #{0}.", "Hotfix for #{0}", "Repairs the damage from #{0}",
    "Undoes #{0}, which broke main.", "Fix regression in #{0}.", "Reverts pull {0} for now.",
)
FRESH_NEIGHBOURS = (
    "Builds on #{0}.", "Same idea as #{0}.", "Sits on top of #{0}.", "Needs #{0} merged.", "Split out of #{0}.", "Similar to #{0}",
    "Complements #{0}.", "Sibling of #{0}.",
)
# fmt: on
