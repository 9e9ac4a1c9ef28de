"""Further phrasings about claims, modelled on how contributors write in public trackers. `wording.py` deals them to
two wordings. Rules were read against the misses of both; the second of them was held out until it had told what it could.
"""

from __future__ import annotations

from runs.simulate.forms_claims import Forms

# fmt: off
MORE_CLAIMS: Forms = {
    "claim": (
        ("{0}: I'm on this", "self-assigning {0}", "I've got {0}", "{0} - will have a PR up shortly",
         "Let me have a go at {0}", "Going to look at {0}", "{0}: mine unless somebody objects",
         "I'd like to work on {0}", "Happy to pick this one up: {0}", "Next up for me: {0}", "{0} [in progress]",
         "WIP {0}", "assigning {0} to myself", "I can own {0} end to end", "Starting {0}; expect a branch soon",
         "Taking a stab at {0}", "Planning to implement {0}", "{0}, from the failing examples on"),
        ("Setze mich an {0}", "{0} liegt jetzt bei mir", "Je vais m'attaquer à {0}", "{0} : je le fais",
         "Voy a implementar {0}", "{0} lo hago yo", "Vou cuidar de {0}", "Mi occupo io di {0}", "Robię teraz {0}",
         "{0} на мне", "Делаю {0}", "{0} 由我处理", "我先做 {0}", "{0} やります", "{0} 제가 할게요", "मैं {0} कर रहा हूँ",
         "سأعمل على {0}", "Tôi nhận {0}"),
    ),
    "take": (
        ("{1} stopped, so {0} is with me now", "adopting {0}, {1} has been quiet", "{0}: inheriting this from {1}",
         "carrying on {0} where {1} stopped", "{1}'s {0} looks orphaned, picking it up", "finishing {0} for {1}",
         "Reviving {0}", "second attempt at {0}", "{0}, take two", "will push {0} over the line, {1} can't",
         "I'm taking {0} forward", "stepping in for {1} on {0}", "{0} - new owner: me, was {1}",
         "giving {0} another shot", "since {1} dropped out I do {0}", "continuing {0} from {1}'s branch"),
        ("Führe {0} weiter, {1} ist weg", "Je continue {0} à la place de {1}", "Sigo yo con {0}",
         "Dou continuidade a {0}", "Продолжаю {0} вместо {1}", "{0} 我接着做", "{0} の続きをやります", "{0} 이어서 할게요",
         "Continuo io {0}", "Przejmuję {0} po {1}"),
    ),
    "release": (
        ("{0} is free again from my side.", "I'm stepping off {0}", "Unassigning myself from {0}.",
         "You keep {0}, I'll find something else.", "No time for {0} after all, all yours.", "I'm out of {0}.",
         "Handing {0} to you.", "Feel free to finish {0}, I won't be continuing.",
         "OK, you go ahead with {0}, I stop here.", "I've stopped work on {0}.", "Withdrawing from {0}.",
         "Putting {0} back up for grabs.", "Fair enough, {0} stays with you.", "I'll leave {0} alone then.",
         "My bad, {0} was yours first. Backing out.", "I concede {0}.", "Cancelling mine on {0}.",
         "Abandoning {0} in favour of your version."),
        ("Ich lasse {0} los, mach du weiter.", "{0} gehört dir, ich höre auf.", "Je laisse tomber {0}, continue.",
         "Je te cède {0}.", "Me retiro de {0}.", "Quédate con {0}, yo paro.", "Fica com {0}, eu paro.",
         "Lascio {0} a te.", "Отдаю {0} тебе.", "Снимаюсь с {0}.", "{0} 你来吧，我不做了。", "我退出 {0}。",
         "{0} はお任せします。", "{0} 포기할게요.", "Rezygnuję z {0}.", "Ik laat {0} aan jou."),
    ),
    "ask": (
        ("Looks like we're both working on {0}", "Duplicate effort on {0}? I started a few minutes ago",
         "Any progress on {0}? I'm on it too", "Before I go on with {0}: are you doing it?",
         "Which of us keeps {0}?", "Heads up, {0} is claimed twice now", "How much of {0} do you have?",
         "We seem to be stepping on each other over {0}", "I only now saw your note on {0}",
         "Should I continue with {0} or will you?", "Mind if I keep {0}?", "What's your state on {0}?",
         "Want to split {0}?", "Your {0} and mine are the same thing", "Still working on {0}?",
         "Hey, {0}: who's further along?"),
        ("Arbeitest du auch an {0}?", "Wer macht {0} fertig?", "Tu travailles aussi sur {0} ?",
         "On fait double emploi sur {0}.", "¿Sigues con {0}?", "Estamos duplicando {0}.", "Ты тоже делаешь {0}?",
         "Кто продолжит {0}?", "{0} 你也在做吗？", "{0} 重复了，谁继续？"),
    ),
    "answer": (
        ("Pretty far, just cleaning up.", "I have a branch with most of it.", "Barely a skeleton so far.",
         "Two functions written, no tests.", "Nearly there, give me five minutes.", "Let me check... about a third.",
         "Passing 9 out of 12 examples.", "Just reading the docs at this point.", "Already pushed a draft.",
         "Still exploring.", "I'd say 80 %.", "The core works, the edge cases don't.",
         "Tests are written, code isn't.", "Only the parser part.", "PR goes up in a moment.",
         "Haven't written a line."),
        ("Ziemlich weit.", "Noch nichts geschrieben.", "À moitié.", "Pas encore commencé.", "Voy por la mitad.",
         "Aún nada.", "Половина готова.", "Ещё не начинал.", "做了一半。", "刚开始。"),
    ),
    "fail": (
        ("{0}: dead end, I can't reproduce the reference", "unable to finish {0}",
         "{0} doesn't pass, giving this up", "{0}: tried A and B, neither matches",
         "not able to make {0} match the expected output", "{0} turned out to be impossible with my design",
         "could not solve {0}", "{0}: 3 of 20 tests only, stopping", "{0} regresses everything else, backed out",
         "hit a wall on {0}", "{0} times out every time", "ran out of ideas on {0}",
         "{0}: wrong result for nested input", "failed attempt: {0}", "{0} segfaults and I can't see why",
         "no solution for {0} yet, leaving it open"),
        ("{0}: Sackgasse", "{0} klappt so nicht", "{0} : impossible avec mon approche", "Je n'arrive pas à finir {0}",
         "No consigo {0}", "{0}: callejón sin salida", "{0}: тупик", "Не смог сделать {0}", "{0} 做不出来", "{0} は失敗"),
    ),
    "lead": (
        ("Would you mind taking {0}?", "Suggest you start with {0}", "{0} has no owner, care to do it?",
         "How about {0} for you?", "If you're free: {0}", "I'd propose that you do {0}", "Can {0} go to you?",
         "Could really use help with {0}", "Please pick up {0}", "You could do {0} meanwhile",
         "{0} would be a good next one for you", "Assigning {0} to you if that's OK",
         "{0} still needs somebody. You?", "Fancy {0}?", "Please start on {0} when you can",
         "Would {0} suit you?"),
        ("Magst du {0} machen?", "Übernimmst du {0}?", "Tu veux bien faire {0} ?", "{0}, ça te dit ?",
         "¿Te encargas de {0}?", "¿Puedes hacer {0}?", "Сделаешь {0}?", "Возьми, пожалуйста, {0}", "你做 {0} 可以吗？",
         "{0} をお願いできますか？"),
    ),
}
# fmt: on
