"""Everyday English words, which are never looked for outside of the place where they were found."""

from __future__ import annotations

from typing import Final

_WORDS: Final = """
a able about above account across act action add address after again age ago agree air all allow almost alone along
already also always am amount an and angel animal another answer any anyone anything apple april are area arm around art
as ask at august autumn away baby back bad bag ball bank base be bear beat beautiful because become bed been before
began begin being believe bell below best better between big bill bird birthday bit black blue board boat body book both
bottom box boy bread break bright bring broke brother brown build building burn bus business but buy by call came can
cannot car card care carry case cat catch cause center chance change charity charge chase check child children choose
christian church circle city class clean clear client close cloud club code coffee cold come common company complete
contact could count country course cover crown cry customer cut daily dark dash data date daughter dawn day dead deal
dear december deep did different dinner direct do doctor does dog done door down draw dream drive drop dry during each
early earth east easy eat edge egg eight either email end enough even evening ever every everyone everything example eye
face fact faith fall false family far farm fast father feel feet few field fight find fine fire first fish five flat
floor flower fly follow food foot for forest form forward found four frank free friday friend from front full fun game
garden gave general get girl give glass go god gold good got grace grant great green ground group grow guest had hair
half hall hand happen happy hard has have he head hear heart heat heavy held hello help her here hi high hill him his
hold home honey hope horse hot hotel hour house how hundred hunter i ice id idea if important in inch india information
inside into is iris island it its ivy january jersey job jordan joy judge july june just keep key kind king knew know
lady land language large last late later laugh law lead learn least leave left less let letter life light like lily line
list listen little live long look lord lost love low machine made mail main make man many march mark market mason mass
material matter may me mean measure melody member men message method mercy middle mile miller mind minute miss monday
money month moon more morning most mother mountain mouth move much music must my name near need never new news next
night nine no none normal north not note nothing notice november now null number object october of off office often oh
ok okay old olive on once one only open or orange order other our out outside over own page paid paper paris park part
party pass password past pat paul pay people perhaps person phone picture piece place plain plan plane plant play please
point poor port position possible power present press price problem product provide public pull purple push put question
quick quiet quite rain ran ray reach read ready real really reason receive record red remember reply request rest result
return rich right river road rob robin rock room rose round rule run ruby russell said sale same sandy saturday save saw
say school science sea season seat second secret see seem self send sentence september serve service set seven several
shall shape she ship shop short should show side sign silver simple since sing sister sit six size sky sleep slow small
smith snow so some something song soon sorry sound south space speak special spring square stand star start state stay
step still stone stop store story strange street strong student study such summer sun sunday support sure surface system
table take talk tall tax teach team tell ten terry test text than thank thanks that the their them then there these they
thing think third this those though thought thousand three through thursday time tired to today together told token tom
tomorrow tone too took top total touch toward town transfer tree true try tuesday turn two type under unit until up upon
us use user usual value very victor view violet virginia visit voice wait walk wall want war warm was washington watch
water way we weather wednesday week weight well went were west what wheel when where which while white who whole why
wife will wind window winter with within without woman women wonder wood word work world would write wrong yard year yes
yesterday yet you young your
"""

COMMON_WORDS: Final[frozenset[str]] = frozenset(_WORDS.split())
"""About 700 everyday words, case-folded; among them the given names that are also words (may, will, mark, rose)."""
