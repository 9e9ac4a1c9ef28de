"""Further phrasings about code, reviews and merges; dealt to two wordings, see `forms_more_claims.py`."""

from __future__ import annotations

from runs.simulate.forms_claims import Forms

# fmt: off
MORE_WORK: Forms = {
    "counterexample": (
        ("This breaks for `{0}`.", "Actually, no: {0} comes out empty.", "Sorry, I was too quick. {0} fails.",
         "Found a regression: {0} now returns 2.", "Requesting changes, {0} is mishandled.",
         "I take back the approval, see {0}.", "{0} hangs on large files.", "Doesn't hold for {0}: extra blank line.",
         "Please look at {0} again, the output is reversed.", "On re-reading: {0} ignores the flag.",
         "Blocking: {0} corrupts UTF-8.", "Not ready. {0} panics.", "Changed my mind: {0} is quadratic.",
         "Try {0}: you get a stack trace.", "{0} differs from the reference in column 3.", "Hold on, {0} loses data."),
        ("Das stimmt für {0} nicht.", "Moment: {0} bricht ab.", "Attendez, {0} échoue.", "{0} donne un mauvais résultat.",
         "{0} falla con entradas vacías.", "Esto rompe {0}.", "{0} ломается.", "Погоди: {0} неверно.",
         "{0} 结果不对。", "等等，{0} 会崩溃。"),
    ),
    "approve": (
        ("Ship it.", "+1", "No objections.", "Looks right to me.", "Verified locally.", "Approved, thanks!",
         "Read it twice, nothing to add.", "Clean change.", "All examples match.", "Good to go.",
         "Tested on the big sample, fine.", "Happy with this.", "I'm convinced.", "Straightforward, approving.",
         "Exactly what was missing.", "Solid."),
        ("Passt.", "Kann rein.", "Parfait.", "Ça me va.", "Todo bien.", "Adelante.", "Отлично.", "Можно вливать.",
         "看起来不错。", "可以合并。"),
    ),
    "chatter": (
        ("Anyone familiar with {0}?", "I fixed a flaky test, {0} should be green again",
         "Reminder: {0} affects the writer as well", "CI seems slow today", "Who reviewed {0}?",
         "I would not release before {0} is in", "Should we drop {0} from the plan?",
         "somebody should take {0} at some point", "Is {0} already taken?", "{0} was merged an hour ago",
         "Thanks for {0}!", "FYI {0} differs between versions", "> I'll take {0}\nplease use the board for that",
         "don't give up on {0}, the docs explain it", "If I had more time I'd take {0}",
         "Rewriting history on {0}, careful"),
        ("Hat jemand {0} gesehen?", "{0} ist jetzt drin.", "Quelqu'un connaît {0} ?", "{0} est fusionné.",
         "¿Alguien sabe de {0}?", "Gracias por {0}", "Кто смотрел {0}?", "{0} уже в main.", "谁了解 {0}？", "{0} 已合并。"),
    ),
    "offer": (
        ("Would {0} do as the boundary?", "I'd go with {0}; objections?", "Signature on my end: {0}",
         "Planning to export {0}", "Could you call {0}?", "Here's what I'd offer: {0}", "Interface idea: {0}",
         "I'll provide {0} for you", "Let's standardise on {0}", "What about {0}?", "Can we settle on {0}?",
         "{0} is how I'd shape it", "You'd get {0} from me", "Draft API: {0}", "I am about to add {0}",
         "Expect {0} from my branch"),
        ("Wie wäre {0}?", "Ich würde {0} anbieten", "Que dis-tu de {0} ?", "Je fournis {0}", "¿Qué tal {0}?",
         "Yo expondría {0}", "Как насчёт {0}?", "Я дам {0}", "用 {0} 怎么样？", "我提供 {0}"),
    ),
    "agree": (
        ("Sounds right, {0}", "+1 for {0}", "{0} is good", "Perfect, using {0}", "Switching to {0}",
         "I'll call {0} from my side", "Makes sense: {0}", "{0}, deal", "Happy with {0}", "Yep, {0}",
         "I've wired up {0}", "{0} matches what I have", "Going with {0}", "Great, {0} then", "ack {0}",
         "Confirmed: {0}"),
        ("Passt, {0}.", "{0} nehme ich.", "Ça marche, {0}", "Va pour {0}", "Vale, {0}", "Perfecto, {0}",
         "Хорошо, {0}", "Согласен: {0}", "好的，{0}", "同意 {0}"),
    ),
    "refuse": (
        ("I'd avoid {0}", "{0} doesn't fit my side, sorry", "Rather something other than {0}",
         "Can't use {0}, it loses positions", "{0} is a bad idea here", "Please don't add {0}", "-1 on {0}",
         "{0} won't work for streams", "No way, {0} breaks the tables", "Hmm, I disagree with {0}",
         "{0} isn't going to fly", "I'm against {0}", "Sorry, not {0}", "{0} conflicts with what I merged",
         "Must it be {0}? I can't build on that", "Not happy with {0}"),
        ("{0} passt mir nicht", "Bitte kein {0}", "{0} ne convient pas", "Surtout pas {0}", "No me sirve {0}",
         "Mejor no {0}", "{0} не подойдёт", "Только не {0}", "不要用 {0}", "{0} 不行"),
    ),
    "integrate": (
        ("Could someone merge #{0}?", "Please land #{0} for me", "#{0} can go in, would you press merge?",
         "#{0} needs a second pair of hands", "Would be great if you took #{0}", "Could you get #{0} in?",
         "#{0} is waiting; can you finish it?", "Asking for a merge on #{0}", "PR #{0} is green, mind merging?",
         "I can't merge #{0} right now, can you?", "Please see #{0} through", "pull {0} is done, over to you",
         "Any chance you can integrate #{0}?", "Need somebody for #{0}", "#{0}: please take it to main",
         "Help wanted on #{0}"),
        ("Bitte #{0} mergen", "Wer nimmt #{0}?", "Quelqu'un pour #{0} ?", "Merci de fusionner #{0}",
         "¿Puedes integrar #{0}?", "Falta mezclar #{0}", "Смержи #{0}, пожалуйста", "Кто вольёт #{0}?",
         "请合并 #{0}", "#{0} をマージしてください"),
    ),
    "yes": (
        ("On #{0} now", "I can do #{0}", "OK, taking #{0}", "#{0}: will do", "Happy to merge #{0}",
         "Checking #{0} out", "Let me see #{0}", "Ok for #{0}", "I'll get #{0} in", "Give me a minute for #{0}",
         "#{0} looks fine, merging", "sure thing, #{0}", "yep #{0}", "merging #{0} after the tests",
         "Reviewing #{0} as we speak", "#{0} is in good hands"),
        ("Klar, #{0}", "#{0} mache ich gleich", "OK pour #{0}", "Je regarde #{0}", "Voy con #{0}", "Vale, #{0}",
         "Сейчас, #{0}", "Смотрю #{0}", "好，#{0}", "我看 #{0}"),
    ),
    "never mind": (
        ("No longer needed: #{0}", "#{0} is handled", "You can skip #{0}", "Somebody else is landing #{0}",
         "Forget #{0}", "#{0} already has a volunteer", "No action needed on #{0}", "Disregard #{0}",
         "Thanks, #{0} is covered", "#{0} is out of my hands now, all fine", "Don't bother with #{0}",
         "#{0}: found someone", "cancelling my request for #{0}", "#{0} resolved",
         "with thanks, #{0} is being merged", "stand down on #{0}"),
        ("#{0} ist versorgt", "#{0} brauchst du nicht mehr", "Laisse #{0}, c'est fait", "#{0} est pris",
         "Olvida #{0}", "#{0} ya está", "#{0} не нужно", "#{0} решено", "#{0} 不用了", "#{0} は大丈夫です"),
    ),
}

#: What a FAIL of a merged pull says: `{0}` its number, `{1}` the counterexample.
BLAMES = (
    "since #{0} went in: {1}", "#{0} introduced this: {1}", "{1} (caused by #{0})", "bisected to #{0}: {1}",
    "regression from pull {0}: {1}", "PR {0} is faulty: {1}", "main is broken by !{0}: {1}", "blame #{0}. {1}",
)
#: What the body of a fix says of the pull it mends.
MENDS = (
    "This fixes what #{0} broke.", "Reverts #{0}", "Fixes a regression from #{0}", "Follow-up fix for #{0}",
    "Fixing #{0}", "Fixed: #{0}", "revert #{0} and redo it", "Bugfix for #{0}",
)
#: What a body says of a pull that it does not mend.
NEIGHBOURS = (
    "See also #{0}.", "Like #{0}, but for the writer.", "Depends on #{0}.", "Follows #{0}.", "Extracted from #{0}.",
    "Rebased on top of #{0}", "Part two of #{0}", "Prepares what #{0} needs.",
)
# fmt: on
