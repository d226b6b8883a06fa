"""Common English words: a single one of them names nothing by itself, though it may be the title of a note."""

from __future__ import annotations

_FUNCTION_WORDS = """
a about above across after again against all almost along already also although always am among an and another any
anybody anyone anything anywhere are around as at away back be became because become been before behind being below
beside besides between beyond both but by can cannot could did do does doing done down during each either else enough
even ever every everybody everyone everything everywhere few for from further had has have having he hence her here
hers herself him himself his how however i if in indeed inside instead into is it its itself just least less like many
may maybe me mean might mine more most much must my myself near neither never nevertheless next no nobody none nor not
nothing now nowhere of off often on once one only onto or other others otherwise our ours ourselves out outside over
own per perhaps please quite rather really same several shall she should since so some somebody someone something
sometimes somewhere soon still such than that the their theirs them themselves then there therefore these they this
those though through throughout thus till to together too toward towards under unless unlike until up upon us usually
very via was we well were what whatever when whenever where whereas wherever whether which whichever while who whoever
whole whom whose why will with within without would yes yet you your yours yourself
"""
_VERBS = """
accept access achieve act add address adjust admit affect agree aim allow announce answer appear append apply approach
approve archive argue arrange arrive ask assign assume attach attempt attend avoid base bear beat begin believe belong
bind block blow book boot borrow bother break breathe bring browse build burn buy cache calculate call cancel care
carry catch cause change charge check choose claim clean clear click climb close collect combine come comment commit
compare compile complain complete compute concern configure confirm connect consider consist contain continue
contribute control convert cook copy correct cost count cover create cross cry customize cut damage dance deal debug
decide declare decrease define delay delete deliver demand deny depend deploy describe design destroy detect determine
develop die differ direct disable disappear discover discuss display divide download draft drag draw dress drink drive
drop earn eat edit embed emit enable encourage end enjoy ensure enter establish estimate evaluate examine exclude
execute exist expand expect explain explore export express extend extract face fail fall favour feed feel fetch fight
fill filter find finish fit fix fly focus fold follow force forget forgive form format forward gain gather generate
get give go grab grant greet grow guess handle hang happen hate head hear help hide highlight hit hold hope host hunt
hurt identify ignore imagine implement imply import improve include increase indicate inform inherit inject insert
inspect install integrate intend introduce invest invite invoke involve iterate join judge jump keep kick kill know
label last laugh launch lay lead lean learn leave lend let lie lift limit link list listen live load lock log look
lose love maintain make manage map mark match matter measure meet mention merge migrate mind miss mix modify monitor
mount move need note notice notify obtain occur offer open operate order organise organize override owe pack paint
parse pass paste pay perform pick place plan play plug point pop post pour prefer prepare present press pretend
prevent print proceed process produce program promise prompt propose protect prove provide publish pull push put query
queue quit raise reach react read realize rebuild receive recognize recommend record recover redirect reduce refactor
refer reflect refresh refuse register reject relate release reload rely remain remember remind remove rename render
repair repeat replace reply report represent request require reset resolve respond rest restart restore restrict
result resume retrieve retry return reveal revert review rewrite rid ring rise roll rollback rotate run rush save say
scale scan schedule scroll search see seek seem select sell send serve set settle shake share shift shine ship shoot
show shut sign sing sit skip sleep slide slip smell smile solve sort sound speak specify spell spend split spread
stand start state stay steal stick stop store strike stream struggle study submit succeed suffer suggest suit supply
support suppose survive suspect swap swim switch sync tag take talk target teach tear tell tend test thank think throw
tie toggle touch track train transfer transform translate travel treat trigger trust try turn twist type understand
undo update upgrade upload use validate vary verify view visit vote wait wake walk want warn wash waste watch wear win
wipe wish wonder work worry wrap write
"""
_NOUNS = """
ability abstract accident account action activity addition admin advantage advice age agency agenda agent agreement
anchor authentication binary completion config convention air alarm alert alias amount analysis angle animal api app
appendix application archive area argument arm army array art article aspect assembly asset assignment assistant
association assumption attack attention attitude attribute audience audio author authority average award baby backend
background backlog backup bag balance ball band bank bar base basis bath batch beach bed beginning behaviour behavior
benefit bill bird birth bit block blog blood board boat body bone bonus book border boss bottle bottom bowl box boy
brain branch bread breakfast breath bridge brief brother browser bucket budget buffer bug builder building bundle bus
business button byte calendar camera camp campaign candidate cap capacity capital car card career case cash cat
catalog category cell centre center century chain chair challenge chance changelog channel chapter character chart
chat checklist chest child children choice church circle city class classification client clock cloud club cluster
code coffee collection college column command committee communication community company comparison competition
component computer concept conclusion condition conference configuration confidence connection consequence console
constraint construction consumer contact container content contents context contract contribution contributor
conversation cookie corner correction country county couple courage course court credit criterion criteria crowd
culture cup currency curve customer cycle dashboard data database date daughter day deadline dealer death debate debt
decision declaration default definition degree delivery department dependency deployment depth description desk detail
details developer development device diagram dialog dictionary diet difference difficulty dimension dinner direction
directory discipline discount discovery discussion disease disk distance distribution district division doctor
document documentation documents dog dollar domain door doubt draft dream driver duty ear earth ease east economy edge
edition editor education effect efficiency effort egg election element email emergency emotion employee encoding
endpoint enemy energy engine engineer engineering entity entry environment epic episode error estate evening event
evidence exam example examples exception exchange exercise existence expansion experience experiment expert
explanation expression extension extent eye facility fact factor failure faith fallback family fan faq farm fashion
father fault fear feature features fee feedback field fields figure file files film final finance finding finger fire
fish flag flight floor flow flower folder food foot footer force forest form formula forum foundation frame framework
freedom friend friday front frontend fruit fuel function functions fund funding furniture future game gap garage
garden gas gate gender generation girl glass glossary goal goals god gold government grade graph graphics grass ground
group growth guard guest guidance guide guideline guidelines guy habit hair half hall hand handler hardware hash head
header heading headline health heart heat height hero hill hint history hole holiday home honour hook hotel hour house
human husband ice icon idea ideas identity image images impact implementation importance impression improvement inbox
incident income index industry influence info information infrastructure input inquiry insight inspection instance
institution instruction instructions insurance integer integration intention interaction interest interface internet
interview introduction intro invention inventory investigation investment invoice island issue issues item items
january february march april june july august september october november december job journal journey judgment
junction keyboard key kid kind king kitchen knowledge lab labour lack lady lake land language law lawyer layer layout
leader leadership league lecture leg legend length lesson letter level levels library license licence life light line
lines literature loan location logic loop loss lunch machine machinery magazine mail main majority maintenance man
management manager manner manual manufacturer map margin market marketing marriage master mate material maximum meal
meaning measurement meat media medicine meeting meetings member memory menu message messages metadata metal method
methods metric metrics middle midnight migration mile milestone milk minimum minister minority minute minutes mirror
mission mistake mixture mobile mode model module moment monday money month mood moon morning mother motion motivation
mountain mouse mouth movement movie music name names nation nature navigation neck network news newspaper night node
noise noon north nose notation notes notebook notification notion novel number numbers object objective objects
occasion office officer oil operation operations operator opinion opportunity option options organisation organization
origin outcome output overview owner ownership package page pages pain pair panel paper paragraph parameter parent
park part participant partner party password patch path patient pattern patterns payment peace pen people percent
performance period permission person personal personality perspective phase philosophy phone photo phrase picture
piece pipeline pitch plane planet plans plant plate platform player plugin pocket poem poet poetry police policy
politics pool population port portal position possession possibility potential potato power practice preference
preparation presence presentation president pressure price principle principles priority prison prize problem problems
procedure product production profession professor profile profit programming progress project projects promotion
property proposal prospect protocol prototype purpose quality quantity quarter queen question questions quote race
radio rail rain range rank rate ratio reader reality reason recipe recommendation reference references region relation
relations relationship relative relevance reminder repository reputation requirement requirements research resource
resources response responsibility restaurant retirement retrospective revenue revolution reward rice risk risks river
road roadmap role roles roof room root roots round route routine row rule rules safety salad salary sale sample
samples sand saturday scenario scene schema school science scope score screen script sea season seat second secret
secretary section sections security seed selection self sense sentence sequence series server servers service services
session settings setup sex shape shelf shell shirt shock shoe shop shoulder side signal significance sister site
situation size skill skin sky slice snow society software soil solution son song soul source south space speaker
specialist specification species speech speed spirit sport spring square staff stage standard standards star statement
statistics stats status steel step steps stock stomach stone storage storm story strategy street strength stress
string structure student studio stuff style subject success sugar suggestion summary summer sun sunday supplier
surface surgery surprise survey symbol syntax system systems table tables task tasks taste tax tea teacher team teams
technique technology telephone television template templates tension term terms territory text theme themes theory
thing things thought thread threat thursday ticket time timeline tip tips title today todo token tomorrow tone tongue
tool tooling tools tooth top topic topics total tour tower town toy trade tradition traffic training transaction
transition transport tree trend trial trip trouble truck truth tuesday tutorial tutorials uncle union unit units
university usage user users utility vacation validation value values variable variant variation variety vehicle vendor
verification version versions victim video village vision voice volume wall war warning water wave way weakness wealth
weather web website wednesday week weekend weight west wheel widget width wife wind window wine wing winner winter
wisdom woman women wood word words worker workflow workshop world worth writer writing year years yesterday youth zone
"""
_QUALITIES = """
able absolute academic acceptable active actual additional advanced afraid alive alone alternative ancient angry
annual anonymous apparent appropriate asleep automatic available aware awful bad basic beautiful best better big
bitter black blank blue bold brave bright brilliant broad broken brown busy calm capable careful central certain cheap
chief civil classic clever cold comfortable common compatible complex comprehensive concrete confident conscious
consistent constant convenient cool core corporate crazy critical crucial curious current custom daily dangerous dark
dead dear deep deprecated different difficult digital dirty distinct double dry due dumb dynamic eager early easy
economic educational effective efficient eight electric electronic eleven empty entire environmental equal essential
eventual evident evil exact excellent exciting existing expensive experimental external extra extreme fair familiar
famous fast fat federal fine first five fixed flat flexible foreign formal former four free frequent fresh friendly
frozen full fun funny general generic gentle giant glad global golden good grand gray great green grey guilty handy
happy hard healthy heavy helpful hidden high historical honest hot huge hundred hungry ideal ill illegal immediate
important impossible impressive incorrect independent individual inevitable initial inner innocent intelligent
interesting interactive internal international invalid isolated jealous joint junior known large late latest lazy
leading left legal light likely little live local logical lonely long loose lost loud low lower lucky mad magic major
manual married massive maximum mechanical medical mental mere mild military million minimal minor missing mobile
modern modest monthly moral multiple mutual naked narrow national native natural nearby neat necessary negative
nervous new nice nine noisy normal numerous obvious odd official old online optional ordinary original outer overall
parallel partial particular past perfect permanent physical plain pleasant plenty polite political poor popular
positive possible practical precise pregnant present pretty previous primary prime private probable professional
proper proud public pure quick quiet rapid rare raw ready real realistic reasonable recent red redundant regular
related relevant reliable remarkable remote responsible rich right romantic rough rude sad safe scared scientific
secondary secure senior sensitive separate serious seven severe sharp short sick silent silly similar simple single
six slow small smart smooth social soft solid sorry special specific stable static steady strange strict strong stupid
subsequent successful sudden sufficient suitable super sure suspicious sweet tall technical temporary ten terrible
thick thin third thirsty thousand three tight tiny tired total tough traditional typical ugly ultimate unable unhappy
unique universal unknown unlikely unusual upper upset urgent useful useless usual valid valuable vast verbose virtual
visible visual vital voluntary vulnerable warm weak weekly weird wet white wide wild willing wise wonderful wooden
wrong yellow young zero two twelve twenty
"""

FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
COMMON_WORDS = FUNCTION_WORDS | frozenset((_VERBS + _NOUNS + _QUALITIES).split())


def is_common(word: str) -> bool:
    """Whether a folded word, or the one it is a regular form of, is a common one."""
    if word in COMMON_WORDS:
        return True
    return any(form in COMMON_WORDS for form in _list_bases(word))


def _list_bases(word: str) -> list[str]:
    """What a word may be a regular form of: plurals, past forms, -ing, -er, -ly."""
    bases: list[str] = []
    for ending in ("s", "es", "d", "ed", "ing", "r", "er", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            bases += [stem, stem + "e"] if ending == "ing" else [stem]
            if stem[-1] == stem[-2] and ending in ("ed", "ing", "er"):
                bases.append(stem[:-1])
            if stem.endswith("i"):
                bases.append(stem[:-1] + "y")
    return bases
