"""A client made with the MCP SDK for Python. Reads one JSON document from stdin that says what to start and to call,
and prints one with the tools it was offered and what each call gave."""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult


async def call(client, name, arguments):
    try:
        result = await client.call_tool(name, arguments)
    except MCPError as error:
        return {"failed": str(error)}
    text = "".join(getattr(block, "text", "") for block in result.content)
    return {"isError": bool(result.is_error), "text": text}


async def main():
    wanted = json.load(sys.stdin)
    questions = []

    async def elicit(context, params):
        questions.append(params.message)
        allows = params.message.startswith("Allow ")
        content = {"allow": True} if allows else {"answer": wanted["answer"]}
        return ElicitResult(action="accept", content=content)

    server = StdioServerParameters(command=wanted["command"], args=wanted["args"], env=wanted["env"])
    connecting = Client(
        server, mode=wanted["mode"], read_timeout_seconds=60, elicitation_callback=elicit
    )
    async with connecting as client:
        results = [await call(client, each["name"], each["arguments"]) for each in wanted["calls"]]
        tools = [tool.name for tool in (await client.list_tools()).tools]
    json.dump({"tools": tools, "results": results, "questions": questions}, sys.stdout)


asyncio.run(main())
