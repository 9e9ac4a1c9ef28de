"""How agents say that they take or leave something: the words around a subject, in the languages agents have been seen to use.

They say nothing about what the subject is, so they are dropped before two texts are compared. Only forms, no meanings:
whether somebody claims or releases is decided by the note's type and the text's place, never by these lists alone.
"""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = (
    # English
    "claim claiming claimed claims taking take takes taken took over up on i we my mine me will ll m am ve have has had is are "
    "be been was were work working works start starting started begin beginning doing do handle handling picking pick grab "
    "grabbing got getting going go gonna now next then also still again please own owning reserve reserving reserved mark "
    "marking put putting down call calling dibs for the a an this that it its one of to in at from after by with and as off "
    "since because gone left dead crashed lost died stalled continue continuing resume resuming resumed finish finishing "
    "what whatever where who whom which abandoned expired failed failing let lets us s t d re hi hello all hey team ok okay "
    "sub subtask task item part-time free nobody else anyone anybody someone am want like would can could should here there "
    "carry carrying inherit inheriting rescue rescuing recover recovering adopting adopt assume assuming mine's attempt retry "
    "retrying trying try fresh new old his her their your yours you "
    "tackle tackling assign assigning assigned myself implement implementing port porting write writing look looking into right away "
    "today first ownership owner hour soon before anyone gets need needs call reserved "
    # German
    "ich wir übernehme uebernehme übernehmen nehme mache beanspruche arbeite fange beginne starte kümmere kuemmere um an vor "
    "der die das den dem des ein eine einen einem mir mich jetzt als nächstes naechstes gerade nun von nach weiter setze fort "
    "führe fort zu zum zur auf aus ist sind wird weg ausgefallen abgestürzt tot für fuer und mit bei noch "
    # French
    "je j prends prend m me occupe charge réserve reserve revendique reprends reprend commence travaille sur de du des la le "
    "les l un une maintenant après apres est suis tombé tombe parti pour et en à au aux moi à la suite c ce cette "
    # Spanish, Portuguese, Italian
    "yo tomo cojo encargo me reclamo reservo trabajo trabajando empiezo en el los las del de al y con ahora tras después "
    "despues retomo continúo continuo sigo caído caido para por es ha se eu vou pego assumo fico com faço faco agora o os as "
    "do da dos das no na nos nas após apos caiu um uma retomando prendo mi occupo di della dello il lo gli i dopo ora riprendo "
    "inizio lavoro su sul sulla è e ho "
    "mach attaque attaquer voy atacar empezar jag tar ska tag börjar üzerinde çalışıyorum calisiyorum başlıyorum "
    # Dutch, Polish, Turkish
    "ik neem pak doe werk aan het een nu over van na op biorę biore zajmuję zajmuje się sie robię robie teraz po od przejmuję "
    "przejmuje zaczynam alıyorum aliyorum üstleniyorum ustleniyorum ben şimdi simdi bende "
    # Russian, Ukrainian
    "начал начала начну я мы беру берусь возьму взял взяла займусь занимаюсь делаю начинаю забираю себе себя за на над по после от у и сейчас "
    "теперь продолжаю подхватываю упал упала работаю задачу задача беремся роблю після"
)
#: Words that never tell two sub-tasks apart. Casefolded, apostrophes and hyphens already spaces.
FRAME: Final = frozenset(_WORDS.split())

#: The same for scripts that put no spaces between words, longest first; also the particles around a name.
FRAME_CJK: Final = tuple(
    sorted(
        [
            "我来负责",
            "我来做",
            "我来处理",
            "我来接手",
            "我来",
            "我负责",
            "我接手",
            "我认领",
            "我要做",
            "我做",
            "我在做",
            "我",
            "认领",
            "接手",
            "接管",
            "负责",
            "正在处理",
            "正在做",
            "处理",
            "开始做",
            "开始",
            "继续",
            "任务",
            "这个",
            "由",
            "的",
            "了",
            "之后",
            "崩溃",
            "现在",
            "担当します",
            "担当する",
            "担当",
            "引き受けます",
            "引き受ける",
            "引き受け",
            "引き継ぎます",
            "引き継ぐ",
            "引き継ぎ",
            "着手します",
            "着手",
            "始めます",
            "やります",
            "取り掛かります",
            "作業中",
            "私が",
            "私は",
            "を",
            "に",
            "の",
            "は",
            "が",
            "から",
            "할게요",
            "하겠습니다",
            "맡겠습니다",
            "맡을게요",
            "맡습니다",
            "맡음",
            "담당합니다",
            "담당",
            "제가",
            "작업합니다",
            "작업",
            "시작합니다",
            "시작",
            "이어받습니다",
            "이어서",
            "을",
            "를",
            "은",
            "는",
            "이",
            "가",
        ],
        key=lambda each: (-len(each), each),
    )
)

CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")

#: Words after a release word that make it another thing.
THINGS: Final = re.compile(r"\s+(?:notes|candidate|build|branch|tag|script|version|process|tarball|archive|page)\b")
