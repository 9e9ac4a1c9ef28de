"""The `fresh` wording about claims: written after all rules, as engineers write in chat, and looked at once before any rule was read
against it (the README of the benches tells what that look found). About a browser engine.
"""

from __future__ import annotations

from runs.simulate.forms_claims import Forms

# fmt: off
FRESH_AREAS = (
    "css/cascade", "css/selectors", "css/media", "css/colors", "layout/flex", "layout/grid", "layout/inline",
    "layout/floats", "layout/tables2", "paint/borders", "paint/glyphs", "paint/layers", "dom/events", "dom/ranges",
    "dom/shadow", "net/cookies", "net/redirects", "net/cors", "js/promises", "js/regexp", "js/proxies", "js/dates",
    "forms", "canvas", "svg/paths", "svg/gradients", "audio", "storage", "history", "fonts", "accessibility", "devtools",
)
FRESH_THINGS = (
    "specificity", "margin collapse", "quirks mode", "percentages", "writing modes", "zero width", "invalid tokens",
    "inheritance", "shorthands", "serialization", "hit testing", "scroll anchors", "focus order", "timeouts",
    "origin checks", "sandbox flags", "surrogates", "bidi runs", "ligatures", "subpixel gaps", "stacking", "transforms",
    "reflow", "cache keys", "abort signals", "error events", "live updates", "detached nodes", "clamping", "memory leaks",
)
FRESH_CLAIMS: Forms = {
    "claim": (
        ("I can pick up {0} if no one has it yet", "{0}? yeah I'll do that one", "jumping on {0}", "gonna knock out {0} quickly",
         "heads down on {0} for a bit", "{0}: starting from the spec tests", "fyi I'm doing {0}", "my plate: {0}",
         "spinning up a branch for {0}", "let's see if I can crack {0}", "{0}, assigned to self", "have {0} open in my editor"),
        ("Ich schnappe mir {0}", "{0} ist meins", "Je me lance sur {0}", "Ando metido en {0}", "Ci penso io a {0}",
         "Возьмусь-ка за {0}", "{0} 归我", "{0} 着手中", "{0} 시작할게요"),
    ),
    "take": (
        ("{1} seems offline, I'll drive {0} home", "{0} got orphaned when {1} went away, mine now",
         "cherry-picking {1}'s start and doing {0}", "{0} back in progress, ex {1}", "dusting off {0}",
         "{1} ran out of budget, so I do {0}", "giving {0} a second life", "unblocking {0} since {1} can't",
         "{0}: restarting from {1}'s notes", "I'll see {0} through for {1}"),
        ("{1} ist raus, ich mache {0} fertig", "Je récupère {0} de {1}", "Heredo {0} de {1}", "Доделаю {0} за {1}",
         "{1} 掉线了，{0} 我接"),
    ),
    "release": (
        ("you've got more of {0} than me, go for it", "ok closing my branch for {0}, yours wins", "not going to pursue {0} any further",
         "scratch my {0}, use yours", "I'm good with you owning {0}", "then I'll drop off {0} and grab another",
         "taking {0} off my list", "{0}: deferring to you", "I'll get out of your way on {0}", "please consider {0} yours",
         "fair, keep {0}, I move to the next", "killing my attempt at {0}"),
        ("Okay, {0} überlass ich dir", "Dann mach du {0}, ich nehme was anderes", "Je te passe {0}", "Tout à toi, {0}",
         "Te cedo {0}, sigue tú", "Ладно, {0} твоё", "{0} 让给你了", "{0} はそちらにお願いします"),
    ),
    "ask": (
        ("uh, {0} — didn't I claim that?", "we're racing each other on {0} I think", "how far along is your {0}?",
         "just saw your claim, I have {0} in flight too", "you touching {0} as well?", "hm, two of us on {0}, how do we do this",
         "wait, is {0} yours or mine?", "got any code for {0} yet?", "crossing wires on {0} it seems", "should we sync on {0}?"),
        ("Moment, {0} mache ich doch gerade?", "T'es aussi sur {0} ?", "¿Tú también con {0}?", "Мы, кажется, вдвоём на {0}?",
         "{0} 我们撞车了"),
    ),
    "answer": (
        ("got the skeleton plus one test", "maybe 40% in", "reading the spec still tbh", "all green locally, cleaning up names",
         "I have a failing test and a theory", "mostly there, one edge case bugs me", "zero lines, honest",
         "pushed a WIP commit five min ago", "a prototype, ugly but working", "wrote the types, nothing else"),
        ("So halb.", "Presque au bout.", "Recién empiezo.", "Почти всё.", "差不多了"),
    ),
    "fail": (
        ("{0} is a no-go, parser state gets corrupted", "burned an hour on {0}, no dice", "{0}: can't match expected, parking it",
         "my fix for {0} makes 3 other tests red", "{0} beats me", "{0} - wrong turn, output off by one pixel",
         "couldn't get {0} to converge", "{0} hangs in the reference harness, out of options", "{0}: hypothesis falsified",
         "ditching my approach for {0}, it can't work"),
        ("{0}: keine Chance mit diesem Ansatz", "{0} : échec, sortie différente", "{0} no sale, me rindo", "{0}: не сходится",
         "{0} 搞不定"),
    ),
    "lead": (
        ("hey could you jump on {0} next?", "{0} has your name on it if you want", "mind grabbing {0} after this?",
         "we need hands on {0}, you up for it?", "next thing for you imo: {0}", "you'd be quickest at {0}, wanna take it?",
         "can I put you down for {0}?", "{0} is unowned and blocking, would you?", "how do you feel about doing {0}?",
         "please start {0} whenever you are free"),
        ("Hast du Luft für {0}?", "Tu prendrais {0} ?", "¿Te animas con {0}?", "Глянешь {0}?", "{0} 麻烦你了"),
    ),
    "progress": (
        ("{0} coming along, first test is green", "update on {0}: refactor landed locally", "{0}: chasing the last diff",
         "I'm sticking with {0}", "{0} still cooking", "back on {0} in ten", "{0} is 80% there on my branch", "pushing {0} forward, hold tight"),
        ("{0} läuft, dauert noch", "{0} avance", "{0} va bien", "{0}: ещё чуть-чуть"),
    ),
}
# fmt: on
