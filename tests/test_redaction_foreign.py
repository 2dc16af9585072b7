"""Names in lines of other languages than English, and what capitals mean in a line."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.redaction.detector import Detector
from sealgate.redaction.names.foreign import NAME, Mark, foreign_names
from sealgate.redaction.names.model_names import ModelNames, _half_seen, _lines, _pieces
from sealgate.redaction.names.orthography import Capitals, capitals_of
from sealgate.redaction.names.plausible import Prose
from sealgate.redaction.names.support import Support
from sealgate.redaction.union import resolve
from sealgate.redaction.words import FOREIGN_WORDS, GERMAN_WORDS, GIVEN_NAMES, NAME_WORDS


@lru_cache(maxsize=1)
def models() -> ModelNames:
    return ModelNames()


def hidden(text: str) -> str:
    """What the models' names cover, word by word."""
    found = sorted(models().recognize(text), key=lambda one: one.start)
    return " | ".join(text[one.start : one.end] for one in found if one.entity_type in ("PERSON", "LOCATION"))


@pytest.mark.parametrize(
    ("text", "capitals"),
    [
        ("The invoice went to Juan de la Cruz yesterday", Capitals.ENGLISH),
        ("Ask Priya about the plaza", Capitals.ENGLISH),
        ("omg katie is sooo funny lol", Capitals.ENGLISH),
        ("JOHN SMITH LIVES HERE", Capitals.ENGLISH),
        ("Vielen Dank für die schnelle Antwort", Capitals.NOUNS),
        ("Der Zug nach Kassel hat Verspätung", Capitals.NOUNS),
        ("Je voudrais parler avec Odile", Capitals.NAMES),
        ("Ik heb het pakket naar Utrecht gestuurd", Capitals.NAMES),
        ("Czy możesz zadzwonić do Bożeny?", Capitals.NAMES),
        ("Olá, você pode ligar para a Conceição?", Capitals.NAMES),
        ("Hej, kan du ringa till Göran?", Capitals.NAMES),
        ("Передай ключи Зинаиде", Capitals.ONLY),
        ("Πες στον Γιώργο ότι θα αργήσω", Capitals.ONLY),
    ],
)
def test_what_capitals_mean(text: str, capitals: Capitals) -> None:
    assert capitals_of(text) is capitals


def test_a_line_without_small_words_is_as_unsure_as_it_is_told() -> None:
    assert capitals_of("Ludmila Ostrowska", Capitals.NOUNS) is Capitals.NOUNS
    assert capitals_of("", Capitals.NAMES) is Capitals.NAMES


def test_the_small_words_are_no_names() -> None:
    for words in (GERMAN_WORDS, FOREIGN_WORDS):
        assert words.isdisjoint(GIVEN_NAMES | NAME_WORDS)
        assert all(word == word.casefold() for word in words)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Gestern rief Ottilie Brandstätter wegen der Rechnung an.", ["Ottilie Brandstätter"]),
        ("Die Heizung im Keller ist kaputt, sagt Wiebke Petersen.", ["Wiebke Petersen"]),
        ("Elle a épousé Anatole de Rochebrune à Quimper.", ["Anatole de Rochebrune", "Quimper"]),
        ("Volgens Joost van der Velden was het stadion vol.", ["Joost van der Velden"]),
        ("Según Remedios Echeverría, la reunión es mañana.", ["Remedios Echeverría"]),
        ("Il sindaco Ottavio Bergamaschi ha incontrato i cittadini.", ["Ottavio Bergamaschi"]),
        ("Wczoraj spotkałem Bogumiłę Szczepańską w kinie.", ["Bogumiłę Szczepańską"]),
        ("A professora Iracema Vasconcelos mora em Recife.", ["Iracema Vasconcelos", "Recife"]),
        ("Вчера приходил Аристарх Белозёров из Вологды.", ["Аристарх Белозёров", "Вологды"]),
        ("Книгу написала Евдокия Ильинична, а издали её в Казани.", ["Евдокия Ильинична", "Казани"]),
        ("Το βιβλίο το έγραψε η Θεοδώρα Λαμπράκη.", ["Θεοδώρα Λαμπράκη"]),
        ("Белозёров родился в Твери.", ["Белозёров", "Твери"]),
        ("Хворостова написала письмо директору.", ["Хворостова"]),
        ("Зинаида, перезвони мне.", ["Зинаида"]),
        ("Étienne, tu peux me rappeler ce soir ?", ["Étienne"]),
        ("hola, soy ignacio echeverría y tengo una duda con mi pedido", ["ignacio echeverría"]),
        ("hast du wiebke petersen schon angerufen?", ["wiebke petersen"]),
        ("LA DOTTORESSA ORNELLA BERGAMASCHI NON È IN SEDE", ["ORNELLA BERGAMASCHI"]),
        ("привет, зинаида уже дома?", ["зинаида"]),
    ],
)
def test_names_in_other_languages(text: str, names: list[str]) -> None:
    found = hidden(text)
    assert all(name in found for name in names), found


@pytest.mark.parametrize(
    "text",
    [
        "Guten Tag, vielen Dank für Ihre Nachricht, wir melden uns bald.",
        "Die Bestellung und die Rechnung liegen im Büro auf dem Tisch.",
        "Leider ist die Lieferung noch nicht da, obwohl der Termin gestern war.",
        "Desde entonces los vecinos celebran cada año la fiesta de la vendimia.",
        "Merci beaucoup, nous vous répondrons dès que possible.",
        "Purtroppo il tecnico non può venire prima di giovedì.",
        "Daarnaast schreef zij verschillende boeken over deze geschiedenis.",
        "Obecnie budynek jest siedzibą muzeum, dlatego go odnowiono.",
        "Infelizmente o boleto não chegou, você pode mandar de novo?",
        "Затем она провела встречу, но потерпела поражение.",
        "Фильм «Весна» вышел в прокат осенью.",
        "vielen dank für die schnelle antwort, das hat mir sehr geholfen",
        "muchas gracias por la ayuda, hasta mañana por la tarde",
        "c'est noté, à demain pour la suite",
        "Команда выиграла матч, а город праздновал.",
        "Он изучал историю Троянской войны и Бронзового века.",
    ],
)
def test_nouns_and_beginnings_of_sentences_are_no_names(text: str) -> None:
    assert hidden(text) == ""


def test_lines_are_read_each_in_its_own_language() -> None:
    text = "Hi Priya, the note from Hamburg:\nDie Heizung ist kaputt und der Techniker kommt nicht.\nThanks, Rosalind"
    found = hidden(text)
    assert all(name in found for name in ("Priya", "Rosalind"))
    assert not any(noun in found for noun in ("Heizung", "Techniker"))


def test_what_a_foreign_line_keeps_is_merged_as_a_name() -> None:
    text = "Ayer llamó Leocadia de la Fuente por el contrato."
    (found,) = resolve(text, Detector().detect(text))
    assert text[found.start : found.end] == "Leocadia de la Fuente"


def test_people_of_one_sentence_stay_apart() -> None:
    found = hidden("Ieri ho visto Ottavio Bergamaschi e Diamante Quaglia alla stazione.")
    assert {"Ottavio Bergamaschi", "Diamante Quaglia"} <= set(found.split(" | "))


@pytest.mark.parametrize(
    "text", ["Er wurde in dem Jahr 1363 gekrönt.", "В 1572 году он был послан руководить стройкой."]
)
def test_years_are_no_addresses(text: str) -> None:
    assert "STREET_ADDRESS" not in {one.entity_type for one in models().recognize(text)}


def seen(pieces: list[tuple[int, int, float]]) -> Support:
    support = Support()
    for start, end, score in pieces:
        support.add(start, end, score, place=False)
    return support


def test_support_is_asked_for_by_range() -> None:
    support = seen([(0, 3, 0.2), (3, 6, 0.6), (10, 12, 0.1), (8, 9, 0.9)])
    assert support.of(0, 6) == (0.6, False)
    assert support.of(6, 10) == (0.0, False)
    assert support.of(9, 20) == (0.1, False)


def test_german_articles_ask_for_more_than_a_mark() -> None:
    text = "Er sah die Klause und traf Klausen, die Klara mochte"
    marks = [Mark("PERSON", 11, 17), Mark("PERSON", 27, 34), Mark("PERSON", 40, 45)]
    support = seen([(11, 17, 0.1), (27, 34, 0.1), (40, 45, 0.1)])
    found = foreign_names(text, 0, len(text), Capitals.NOUNS, marks, support)
    assert [text[one.start : one.end] for one in found] == ["Klausen", "Klara"]
    assert {one.recognizer for one in found} == {NAME}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Ana", "de", "la", "Ilyinka", "X", ".", ",", "«", "-", "IV", "_a", "\u0301"]), max_size=40
    )
)
def test_whatever_stands_there_findings_lie_in_the_line_and_apart(words: list[str]) -> None:
    text = " ".join(words)
    marks = [Mark("PERSON", 0, min(5, len(text)))]
    for capitals in Capitals:
        found = foreign_names(text, 0, len(text), capitals, marks, seen([(0, len(text), 0.2)]))
        assert all(0 <= one.start < one.end <= len(text) for one in found)
        assert all(left.end <= right.start for left, right in pairwise(found))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@ada_quill did Rosalind Achterberg call you? :)", ["Rosalind Achterberg"]),
        ("RT @bob_b: happy birthday Octavia !! <3", ["Octavia"]),
        ("so proud of you, dinner at eight then bed", []),
        ("monday mornings are the worst , need coffee", []),
    ],
)
def test_names_in_posts(text: str, names: list[str]) -> None:
    found = hidden(text)
    assert all(name in found for name in names), found
    assert names or not found


@pytest.mark.parametrize(
    ("text", "score", "names"),
    [
        ("dinner with Odalys and Selma tonight", 0.1, ["Odalys", "Selma"]),
        ("dinner with Odalys tonight", 0.05, []),
        ("Odalys brings the salad", 0.1, []),
        ("Odalys brings the salad", 0.3, ["Odalys"]),
        ("said ODALYS to her sister", 0.1, ["ODALYS"]),
        ("the weather in the Evening, like Yesterday", 0.4, []),
        ("ask @Odalys or see docs/Odalys and Odalys.io", 0.4, []),
        ("x = Odalys(y)", 0.4, []),
    ],
)
def test_capitalised_words_that_are_half_seen(text: str, score: float, names: list[str]) -> None:
    prose = Prose.of(text)
    found = _half_seen(prose, _lines(prose)[0], seen([(0, len(text), score)]))
    assert [text[one.start : one.end] for one in found if one is not None] == names


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("RT @ada_quill : Happy Birthday", ["RT ", " ", " Happy Birthday"]),
        ("Odalys #party Selma", ["Odalys ", " Selma"]),
        ("Odalys 🎉🎉 https://x.test/aQ9 Selma", ["Odalys ", " ", " Selma"]),
        ("Odalys Achterberg", ["Odalys Achterberg"]),
        ("@ada_quill", []),
    ],
)
def test_marks_are_cut_at_what_stands_between_names_in_posts(text: str, pieces: list[str]) -> None:
    found = _pieces(text, Mark("PERSON", 0, len(text)))
    assert [text[one.start : one.end] for one in found] == pieces
