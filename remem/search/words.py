"""Words that carry no meaning of their own in an English query: articles, pronouns, auxiliaries, question words."""

from __future__ import annotations

_STOPS = """
a about after am an and any are as at be because been before being but by can cannot could did do does doing done
down for from had has have having he her here hers him his how i if in into is it its just may me might mine must
my no nor not of off on or our ours out own shall she should so some such than that the their theirs them then
there these they this those to too up us very was we were what when where which who whom whose why will with would
you your yours
"""
_HALVES = """
s t d ll m re ve ain aren couldn didn doesn don hadn hasn haven isn mustn shouldn wasn weren won wouldn
"""

STOP_WORDS = frozenset(_STOPS.split())
CONTRACTIONS = frozenset(_HALVES.split())
"""What an apostrophe leaves on either side: no words of a query where one stood."""
