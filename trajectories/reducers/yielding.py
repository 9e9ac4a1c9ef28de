"""How agents say that they give something up, in the languages they have been seen to use. Forms only, no meanings.

Three kinds of clause do it: the author lets go (`releasing n12`, `I'm off the lexer`), it ends its own work (`I stop here`, `no time for
it`), or it grants the work to the one it speaks to (`you go on`, `it stays with you`). Each is looked for where a clause begins, but
grants that end one. What only might happen, denies or asks gives nothing up. All patterns are for texts in lower case (`subjects.lowered`).
"""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = r"(?:[^\s,;.!?]+(?: [^\s,;!?]+){0,7}?)"  # what is given up, where it stands inside the phrase

#: The author lets go.
_LETS_GO: Final = (
    r"releas(?:e|ed|ing)|unclaim(?:ing)?|unassign(?:ing|ed)?|dropping|dropped|yielding|yielded|relinquish\w*|surrender\w*",
    r"(?:giving|gave) (?:it |this |mine |that )?up|(?:handing|passing|leaving|giving) (?:it|this|that|mine|{N}) (?:over|back|to you)",
    r"(?:standing|stood) (?:down|back)|stepp(?:ing|ed) (?:back|aside|away|off|down|out)|back(?:ing|ed) (?:off|out|away)|bow(?:ing|ed) out",
    r"pull(?:ing|ed) (?:out|back)|letting go of|letting(?= .* go\b)|tak(?:ing|en) my hands off|removing (?:myself|me|my claim)",
    r"withdraw(?:ing|n)?(?! (?:my|the) (?:approval|review))|cancel(?:l?ing|l?ed) (?:my|mine)|abandon(?:ing|ed)|ceding|conceding|retiring from",
    r"put(?:ting)? {N} (?:back|up for grabs)|(?:consider|count)(?= .* (?:released|free|yours))|out of(?= (?:n\d|#\d|it\b|this\b))|free(?:d|ing)(?= (?:n\d|up\b))",
    r"retract(?:ing|ed)?|rescind(?:ing|ed)?|forgo(?:ing)?|waiv(?:e|ing|ed)|vacat(?:e|ing|ed)|resign(?:ing|ed)?(?: from)?|quitting|bail(?:ing|ed)(?: out)?(?: of)?",
    r"(?:opt|duck|dropp|check|sign)(?:ing|ed) (?:out|off)(?: of)?|(?:turn|sign|hand|pass|giv)(?:ing|ed) {N} (?:over|back|up|on)(?: to you)?|transferring",
    r"(?:ceas|halt|discontinu|disengag|detach)(?:ing|ed)?(?: (?:work|from))?|(?:leaving|letting) {N} (?:to|with|for) you|i (?:now )?stop(?: with)? (?:mine|my\b)",
    r"(?:clos|kill|scrap|scrapp|scratch|bin|binn|ditch|delet|discard|shelv|park|trash|abort|end|drop|dropp)(?:ing|ed|e)? (?:my|mine)\b",
    r"(?:tak|cross|strik|remov)(?:ing|e) {N} (?:off|from) my|deferr?(?:ing|ed)? to you\b|(?:get|stay|step)(?:ing|ting|ping)? out of (?:your|the) way",
    r"gebe|überlasse|ueberlasse|verzichte(?: auf)?|lasse(?= .*(?:fallen|los))|ziehe (?:mich|meinen)|trete(?= .*(?:ab|zurück))|steige(?= .*aus)",
    r"(?:je )?(?:libère|libere|abandonne|lâche|lache|renonce à|cède|te (?:laisse|cède|rends)|vous (?:laisse|cède)|laisse tomber|me retire)|j ?['’] ?abandonne",
    r"(?:lo |la )?(?:libero|suelto|cedo|abandono|lascio|rilascio)|(?:te|vos|ti) l[oa] (?:dejo|cedo|lascio)|(?:lo |la )?dejo|me retiro|mi ritiro",
    r"renuncio a|rinuncio a|desisto|largo|deixo|liberando|quédate con|quedate con|fica com",
    r"oddaję|oddaje|zwalniam|odpuszczam|rezygnuję|rezygnuje|bırakıyorum|birakiyorum|vazgeçiyorum|laat(?= .* (?:los|over|aan jou))|geef(?= .* (?:vrij|op|af))",
    r"освобождаю|отпускаю|отдаю|уступаю|бросаю|снимаю|снимаюсь|оставляю|отказываюсь от",
)
#: The bare forms, which ask the other side unless somebody says "I" before them.
_BARE: Final = (
    r"drop|yield|cede|concede|defer|quit|stop|pass on|give (?:it |this |mine |that )?up|hand (?:it|this|mine|{N}) (?:over|back|to you)",
    r"retract|rescind|forgo|waive|vacate|resign(?: from)?|bail(?: out)?|(?:opt|duck|drop) out|cease|halt|give {N} up|pass {N} (?:back|on)|leave {N} (?:to|with|for) you",
    r"stand (?:down|back)|step (?:back|aside|away|off|down|out)|back (?:off|out|away)|bow out|pull out|let go of|let {N} go",
    r"withdraw(?: (?:my|the) claim)?|leave (?:it|this|that|{N}) (?:to you|alone|be)|release|unclaim|unassign",
)
#: It ends its own work, or never gets to it; a denial is part of the phrase.
_ENDS: Final = (
    r"(?:no longer|not any more) (?:working on|on|doing|pursuing|holding|claiming|owning)|(?:i['’]?m|i am|we['’]?re) (?:off|out(?: of)?|done with)\b",
    r"(?:i |i['’]?ve |i have |we )?stopp(?:ed|ing) (?:work\w*|here|my work)|(?:no|not enough|out of) (?:more )?time (?:left )?(?:for|to)\b",
    r"(?:i |we )(?:won['’]?t|will not|don['’]t|do not|am not|['’]m not)(?: be)? (?:continu\w+|carry(?:ing)? on|pursu\w+|go(?:ing)? on with|going to \w+)",
    r"i['’]?(?:ll| will) (?:find|take|pick|do|look for|move to|go for) (?:up )?(?:(?:something|anything|sth) else|another (?:one|task|item|sub-?task))",
    r"(?:i(?:['’]m| am)? )?(?:mov(?:e|ing)|switch(?:ing)?|going|go|on) (?:on )?to (?:the next|something else|another|other)\b",
    r"(?:i['’]m |i am )?(?:not|no longer) (?:going to|gonna) (?:pursue|continue|finish|do)\b|(?:i['’]m|i am) (?:good|fine|happy|ok|okay) with you\b",
    r"(?:mach|macht) (?:du|ihr) (?:weiter|das)|(?:ich )?höre(?= .*auf)|ich (?:mache|arbeite)(?= .*nicht (?:mehr|weiter))",
    r"j['’]arrête|je ne (?:continue|fais) (?:pas|plus)|no sigo(?= )|ya no|я больше не|прекращаю",
)
#: The other may have it.
_GRANTS: Final = (
    r"you (?:can |may |should |just )?(?:keep|take|finish|do)(?: it| this| that| {N})?|you can have|(?:please )?keep (?:it|going)",
    r"(?:please |you |you can |do )?(?:go|carry) (?:ahead|on)(?: with)?|feel free to (?:take|finish|continue|have|keep|go on)",
    r"{N} (?:is|are) (?:all )?(?:yours|free|available|unclaimed|up for grabs)|(?:all|it['’]?s|that['’]?s) yours",
    r"{N} (?:stays|remains|goes|belongs) (?:with|to) you|{N} (?:gehört|bleibt bei|überlasse ich) (?:dir|euch)",
    r"(?:please )?(?:use|take|merge|consider (?:it|{N})) yours|yours wins|you (?:own|win)\b|go for it",
    r"{N} was yours first|you (?:had it|were|claimed it|came) first|(?:es|is|est|é) (?:tuyo|tuya|à toi|teu|seu|tuo)",
)
_I: Final = r"(?:i|we|i['’]?m|i am|i['’]?ll|i['’]?ve|i['’]?d rather|then i|so i|ich|je|yo|eu|io|ik|ja|я)"
_SMALL: Final = (
    r"(?:ok|okay|fine|sure|right|agreed|understood|alright|thanks|thank you|so|then|well|yes|also|therefore|hereby|fair enough|my bad|"
    r"am|will|was|just|now|have|gladly|happily|dann|also|gut|alors|donc|entonces|vale|bene|ок|хорошо|тогда|sorry|no problem|got it)"
)
_FAR: Final = (
    r"(?:好的?|那)?[，,]?\s*(?:我)?(?:放弃|释放|让给你|让出|交还|退出)|.{0,40}?(?:你来吧|你继续|你来做|我不做了|我退出|归你|交给你|给你了)",
    r".{0,40}?(?:手放します|譲ります|解放します|降ります|やめます|任せします|任せます|양보합니다|내려놓습니다|포기|그만둘|맡기겠|넘길게|넘깁니다)",
)


def _any(forms: tuple[str, ...]) -> str:
    return "|".join(forms).replace("{N}", _NAME)


_GIVES_UP: Final = (
    rf"\W*(?:(?:{_SMALL}|{_I})[\s,]+)*(?:{_any(_LETS_GO)})(?![\w-])"
    rf"|\W*(?:{_SMALL}[\s,]+)*{_I}\s+(?:{_SMALL}\s+)*(?:{_any(_BARE)})(?![\w-])"
)
GIVES_UP: Final = re.compile(_GIVES_UP)
#: The same where a text is not all ASCII.
GIVES_UP_FAR: Final = re.compile(f"{_GIVES_UP}|{_any(_FAR)}")
ENDS: Final = re.compile(rf"\W*(?:{_SMALL}[\s,]+)*(?:{_any(_ENDS)})")
GRANTS: Final = re.compile(rf"\W*(?:{_SMALL}[\s,]+)*(?:{_any(_GRANTS)})(?![\w-])")

#: Every grant has one of these; looked for first, because it is cheap.
GRANTING: Final = re.compile(
    "you|free|avail|unclaimed|grabs|keep|ahead|carry on|go on|go for|dir|euch|tuy|toi|teu|seu|tuo"
)

#: A clause that only might happen, or that asks, gives nothing up.
MIGHT: Final = re.compile(
    r"\b(?:if|unless|once|when|until|should|could|would|maybe|might|perhaps|wenn|falls|если|quand|cuando)\b|[?？]\s*$"
)
#: Nor does one that denies, but where the denial is part of the phrase (`ENDS`).
DENIES: Final = re.compile(r"\b(?:not|don['’]t|won['’]t|never|nicht|pas)\b")
#: Words of such phrases: a clause of nothing else names no subject.
_SAYING: Final = (
    "keep ahead stays remains belongs free available yours finish feel continue continuing carry stop stopped stopping work else "
    "something another find first fair enough bad grabs back backing out off stepping standing down bowing pulling further better "
    "tests thing one favour favor version alone apology apologies mein deins dir du weiter mach toi tuyo paro yo"
)
SAYING: Final = frozenset(_SAYING.split())
