"""Phrasings about claims that no rule was read against: written before the rules last changed, in the manner of coding agents at work.

Only figures of teams that write so are ever looked at. Whoever mends a reader by a form of this file spoils it: write one into
`forms_claims.py` instead.
"""

from __future__ import annotations

from runs.simulate.forms_claims import Forms

# fmt: off
UNREAD_CLAIMS: Forms = {
    "claim": (
        ("{0} — this one's for me, ETA 25 min", "Scope: {0}. Branch will follow.", "queueing up {0} right now",
         "I volunteer for {0}", "Adding {0} to my plate", "{0}: nobody is on it, so I am", "Picked {0} from the backlog",
         "diving into {0}", "Locking {0} while I work", "My unit of work: {0}", "{0} (me, from scratch)",
         "Committing to {0}", "Now focusing on {0}", "{0} goes on my list", "Opening work on {0}",
         "Will deliver {0} within the hour"),
        ("{0} nehme ich mir vor", "Kümmere mich gleich um {0}", "{0}, c'est parti pour moi", "Je me lance dans {0}",
         "Me pongo con {0}", "Asumo yo {0}", "Comincio io con {0}", "Приступаю: {0}", "{0} забрал",
         "{0} 交给我", "我开始写 {0}", "{0} に取り組みます", "{0} 진행하겠습니다", "Biorę się za {0}"),
    ),
    "take": (
        ("{1} went quiet; resurrecting {0}", "Rescue mission: {0}", "{0} was stuck with {1}, moving it to me",
         "inheriting the remains of {0}", "starting {0} over, {1}'s try did not land", "{0}: reassigned, {1} -> me",
         "unblocking {0} after {1} bailed", "{0} round two, different approach", "I am completing what {1} left of {0}",
         "Following up on the abandoned {0}", "{1} ran out of time on {0}; mine now", "redoing {0} properly",
         "salvaging {0} from {1}", "{0} deserves one more go", "relieving {1} of {0}", "next attempt on {0}"),
        ("{1} ist still, ich rette {0}", "Neuer Anlauf: {0}", "Je récupère {0} laissé par {1}", "Nouvel essai sur {0}",
         "Rescato {0} de {1}", "Otro intento con {0}", "Новая попытка: {0}", "Забираю {0} у {1}", "{1} 停了，{0} 我来补完",
         "重新做 {0}", "{0} を再挑戦します", "Riprovo io {0}"),
    ),
    "release": (
        ("Letting {0} go.", "{0} - I relinquish it, carry on.", "I'm dropping out of {0}, you were earlier.",
         "Freeing {0} for you.", "Yielding {0}; my branch is deleted.", "I surrender {0}.", "You have more of {0}, so I stop mine.",
         "I am stepping aside on {0}.", "{0} is all yours, good luck.", "No longer doing {0}.", "I give {0} up.",
         "Backing away from {0} now.", "Released {0}.", "I'm bowing out of {0}.", "Passing {0} back to you.",
         "I retract my claim on {0}."),
        ("Ich ziehe mich von {0} zurück.", "{0} überlasse ich dir.", "J'abandonne {0}, à toi.",
         "Suelto {0}, sigue tú.", "Te dejo {0}.", "Оставляю {0} тебе.", "Бросаю {0}.", "{0} 让给你。", "我放弃 {0}。",
         "Oddaję {0}."),
    ),
    "ask": (
        ("We both hold {0}, who yields?", "Conflict on {0}: how do we resolve this?", "Are you far into {0}?",
         "I see {0} under your name as well as mine", "Could you tell me where you are with {0}?",
         "{0} is on two boards now", "Did you begin {0} already?", "Two of us on {0}, one too many",
         "Shall I merge my {0} into yours?", "Let's not do {0} twice", "How long until your {0} is up?",
         "Hi, quick sync on {0}?"),
        ("Sind wir beide an {0}?", "Wie weit ist dein {0}?", "Où en es-tu de {0} ?", "On est deux sur {0}.",
         "¿En qué punto está {0}?", "Somos dos con {0}.", "Как далеко у тебя {0}?", "{0} 你进度如何？"),
    ),
    "answer": (
        ("Skeleton plus two helpers.", "Everything but the error paths.", "Zero, honestly.", "Roughly two thirds in.",
         "Draft PR exists.", "Only a failing test so far.", "Waiting for a green run.", "Mid-refactor.",
         "It compiles, that's about it.", "95 % there.", "Read the spec, wrote notes.", "Hard to say yet."),
        ("Gerade angefangen.", "Presque fini.", "Rien encore.", "Casi listo.", "还差一点。"),
    ),
    "fail": (
        ("{0}: I exhausted my options", "{0} blocked, the reference behaves differently in ways I can't model",
         "my {0} is a dead branch", "{0} cannot be done this way", "stuck for good on {0}", "{0}: 11 tests red after three rewrites",
         "aborting {0}", "{0} exceeds what I can fix here", "{0} no go", "Broken beyond repair: {0}",
         "reverted everything for {0}, did not converge", "{0}: infinite loop I could not locate", "{0} unsolved, stopping work",
         "My attempt at {0} did not survive the examples", "{0} leaks memory no matter what", "negative result for {0}"),
        ("{0} gescheitert", "{0} : échec", "Bloqué sur {0}", "{0}: no sale", "Fracaso en {0}",
         "{0} не получилось", "{0}: провал", "{0} 失败了", "{0} できませんでした"),
    ),
    "lead": (
        ("Can you look after {0}?", "{0} is open, want it?", "My suggestion for you: {0}", "You might enjoy {0}",
         "Would you start {0}?", "{0} is waiting for someone like you", "Next for you could be {0}", "Proposal: you do {0}",
         "We lack {0}; can you?", "Please go for {0}", "I'd give {0} to you", "Would {0} be OK as your next?"),
        ("Kannst du {0} angehen?", "{0} wäre was für dich", "Tu peux prendre {0} ?", "Et si tu faisais {0} ?",
         "¿Tomas {0}?", "¿Y si haces {0}?", "{0} 你来做好吗？"),
    ),
}

UNREAD_AREAS = (
    "tokenizer", "preproc/macros", "preproc/includes", "ast/expr", "ast/stmt", "ast/decl", "sema/types",
    "sema/scopes", "sema/consts", "ir/build", "ir/ssa", "ir/verify", "opt/inline", "opt/loops", "opt/dce",
    "regalloc", "codegen/x86", "codegen/arm", "codegen/calls", "asm/encoder", "asm/relocs", "linker/symbols",
    "linker/sections", "linker/archives", "runtime/init", "runtime/alloc", "driver", "diagnostics", "debuginfo",
    "builtins", "intrinsics", "targets",
)
UNREAD_THINGS = (
    "bit fields", "varargs", "designated initialisers", "string concatenation", "integer promotion", "tail calls",
    "compound literals", "switch tables", "float constants", "alignment", "volatile accesses", "weak definitions",
    "thread locals", "forward declarations", "flexible arrays", "goto labels", "static asserts", "wide characters",
    "line markers", "trigraphs", "spill slots", "dominators", "liveness", "constant folding", "jump threading",
    "stack protector", "unwind tables", "warnings", "response files", "cross compilation",
)
# fmt: on
