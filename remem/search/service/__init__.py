"""Search over a store: by words, by meaning, by both and the graph; the context that answers a query. Reads only."""

from remem.search.service.hybrid import Tools as Tools
from remem.search.service.keyword import search as search
from remem.search.service.recall import recall as recall
from remem.search.service.requests import check_request as check_request
