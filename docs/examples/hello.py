import asyncio

from remem import Remem


async def main() -> None:
    async with Remem.open("memory.db") as remem:
        report = await remem.compile("gangway")
        print(report.files_added, "files,", report.added, "nodes added;", len(report.diagnostics), "problems")
        memory = await remem.store("The deploy key rotates on Fridays. See [[Deploy]].", id="key", tags=["ops"])
        await remem.settle()
        for hit in await remem.search("when does the deploy key rotate", limit=2):
            print(f"{hit.score:.2f} {hit.label}")
        for item in await remem.related(memory.id, depth=2, limit=3):
            print(item.score, item.hops, " > ".join(step.label for step in item.path))


asyncio.run(main())
