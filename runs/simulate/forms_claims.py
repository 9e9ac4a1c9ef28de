"""What workers write about claims: (English forms, forms in other languages); `{0}` is the subject, `{1}` a peer."""

from __future__ import annotations

Forms = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]

# fmt: off
CLAIMS: Forms = {
    "claim": (
        ("CLAIM {0}", "CLAIM: {0}", "claiming {0}", "I will take {0}", "{0}", "working on {0}", "Taking {0} now",
         "I'll do {0} next", "starting on {0}", "{0} is mine", "picking up {0}", "on it: {0}", "grabbing {0}",
         "{0} (me)"),
        ("Ich übernehme {0}", "Nehme mir {0} vor", "Je prends {0}", "Je m'occupe de {0}", "Me encargo de {0}",
         "Tomo {0}", "Vou fazer {0}", "Беру {0}", "Займусь {0}", "我来做 {0}", "认领 {0}", "{0} を担当します", "{0} 맡겠습니다"),
    ),
    "take": (
        ("taking over {0} from {1}", "CLAIM {0}, {1} is gone", "picking up {0} after {1}",
         "{0}: continuing what {1} left", "I take over {0}", "{0} was {1}'s, now mine", "resuming {0}",
         "rescuing {0} from {1}", "retrying {0} after {1}", "{0} again, fresh attempt"),
        ("Übernehme {0} von {1}", "Je reprends {0} après {1}", "Retomo {0} de {1}", "Подхватываю {0} после {1}",
         "接手 {0}", "{0} を引き継ぎます"),
    ),
    "release": (
        ("Releasing {0}: yours is further.", "released {0}, go ahead", "dropping {0} in your favour",
         "yielding {0} to you", "Fine, I release {0}.", "Standing down on {0}.",
         "I'll drop {0}, you have tests already.", "giving up {0}, it is all yours", "OK, backing off {0}.",
         "Leaving {0} to you, I take something else.", "Yours is further. I release mine.", "Thanks. Dropping it."),
        ("Gebe {0} frei, deins ist weiter.", "Je te laisse {0}.", "Te lo dejo, suelto {0}.",
         "Уступаю {0}, у тебя больше.", "我放弃 {0}，你继续吧。", "{0} は譲ります。"),
    ),
    "ask": (
        ("We both hold {0}. I have a parser half done, you?", "Are you on {0} as well? I opened first.",
         "{0}: let us not do this twice.", "I see you claimed {0} too. How far are you?",
         "Collision on {0}. Who goes on?", "Hm, {0} is on my desk too.", "Did you start {0} already?",
         "You and I overlap: {0}."),
        ("Wir haben beide {0}. Wie weit bist du?", "On est deux sur {0}, tu en es où ?",
         "Los dos tenemos {0}, ¿cómo vas?", "Мы оба взяли {0}, как далеко?"),
    ),
    "answer": (
        ("I opened {0} first, nearly done.", "Half way through, tests are green for the simple cases.",
         "Only just began.", "Mine passes 14 of 20.", "Nothing written yet.",
         "I have it working except for the escapes.", "Ten minutes in.", "All but done, a pull follows."),
        ("Fast fertig.", "J'ai presque fini.", "Casi termino.", "Почти готово."),
    ),
    "fail": (
        ("{0}: gave up, the reference does something I cannot find", "cannot get {0} right, two tries",
         "{0} does not work, the output differs by a line", "{0}: stuck on the exit code", "no luck with {0}",
         "{0} broken, my approach is wrong", "{0} fails on the third example",
         "stopping {0}: wrong model of the input"),
        ("{0}: komme nicht weiter", "{0} : bloqué, la référence fait autre chose", "{0}: не получается",
         "{0} 失败：输出不同"),
    ),
    "lead": (
        ("Could you take {0} next? Nobody has it and the tests wait.", "Please do {0}, it blocks three others.",
         "{0} is open, would you?", "I have split the area: {0} is for you.", "You know that code best: {0}?",
         "Next for you, if you like: {0}.", "Nobody on {0}. Yours?", "Let me hand you {0}."),
        ("Kannst du {0} nehmen?", "Peux-tu prendre {0} ?", "Возьмёшь {0}?"),
    ),
}
# fmt: on
