from remem import Remem
from remem.errors import NotFoundError

with Remem.open_sync("memory.db") as remem:
    remem.compile("gangway")
    way = remem.path("The stale timetable", "Amina Okafor")
    print([(step.label, step.relationship_type, step.weight, step.direction) for step in way.path] if way else "no way")
    try:
        remem.get("nobody")
    except NotFoundError as error:
        print(error.code, "-", error)
