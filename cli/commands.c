/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. A command is a row here, and a file with its options
 * and its code; nothing else knows it. */
#include "commands.h"

const struct command commands[] = {
    {"check",
     "judge replies against a contract and print their values",
     "-c CONTRACT [OPTION...] [FILE...]\n"
     "-c CONTRACT --jsonl [OPTION...] [FILE...]\n"
     "-c CONTRACT --stream [OPTION...] [FILE]",
     "Finds the JSON in each reply (a FILE, or standard input where there is "
     "none or it is -), checks it against the contract, and prints the value "
     "to standard output and the report to standard error.",
     check_options,
     {{"surety check -c story.json reply.md",
       "the value in reply.md, or what is wrong with it, with line and column"},
      {"surety check -c story.json --report json reply.md 2>&1 >value.json | "
       "jq .errors",
       "the errors as JSON"},
      {"surety check -c story.json --jsonl --field reply --jobs 4 <log.jsonl "
       ">reports.jsonl",
       "a log of replies, judged by four threads"},
      {"some-model | surety check -c story.json --repair align --stream",
       "a reply as it is written, repaired, and stopped as soon as it cannot "
       "become valid"}},
     check_run},
    {"extract",
     "print the JSON in a reply, unvalidated",
     "[OPTION...] [FILE...]",
     "Prints the first candidate in each reply (a FILE, or standard input) "
     "that is JSON. If there is none, the report on standard error gives the "
     "reason.",
     extract_options,
     {{"surety extract reply.md", "the JSON in reply.md"},
      {"surety extract --extract fence --pick last <reply.md",
       "the last block that is marked json, and nothing else"}},
     extract_run},
    {"gen",
     "make C types from contracts",
     "-c CONTRACT... [OPTION...]",
     "Makes a header and a source: structs for what the contracts describe, "
     "and functions that read a reply into them, check them, write them back "
     "as JSON, compute derived members, and free them. They need <surety.h> "
     "and nothing else. A part that no C type can express gives a warning with "
     "its line and stays JSON; reading checks everything.",
     gen_options,
     {{"surety gen -c story.json -o src/story", "src/story.h and src/story.c"},
      {"surety gen -c user.json -c order.json -o src/shop --prefix app",
       "one header for two contracts: app_user and app_order"},
      {"surety gen -c story.json -o src/story --check",
       "ends with 1 where they are out of date"}},
     gen_run},
    {"prompt",
     "print the prompt that asks for a contract's value",
     "-c CONTRACT [OPTION...] [PROMPT]",
     "Prints PROMPT (a text, @FILE, or standard input if there is none or it "
     "is -) and then the format instructions of the contract: what to answer, "
     "where in the reply it must be, and the schema.",
     prompt_options,
     {{"surety prompt -c user-story/iteration-output 'Improve this story: ...'",
       "the prompt that asks for that contract's value"},
      {"surety prompt -c story.json --system --style typescript --size",
       "the instructions for a system prompt, as a TypeScript type, and their "
       "size"},
      {"surety prompt -c story.json --example",
       "a value that satisfies the contract"}},
     prompt_run},
    {"validate",
     "validate JSON files against a JSON Schema",
     "[OPTION...] SCHEMA INSTANCE...",
     "Validates each INSTANCE (- is standard input) against SCHEMA, drafts 4 "
     "to 2020-12. Errors go to standard error with line and column; a valid "
     "instance prints nothing, but a key that occurs twice gives a warning. "
     "\"format\" is an annotation here unless --assert-format is given; surety "
     "check and surety run assert it. References are never fetched from the "
     "network.",
     validate_options,
     {{"surety validate story.schema.json story.json",
       "the errors in story.json, if there are any"},
      {"surety validate -o basic -r https://example.com/defs=defs.json "
       "story.schema.json -",
       "standard input, with another schema document, in the basic output "
       "format"}},
     validate_run},
#ifdef SURETY_WITH_RUN
    {"run",
     "ask a model until its reply satisfies a contract",
     "[-c CONTRACT] -m MODEL... [OPTION...] [PROMPT]",
     "Sends the prompt (a text, @FILE, or standard input where there is none "
     "or it is -) to a model, with instructions for the contract's format, "
     "checks the reply, asks again with the errors, and prints the value "
     "to standard output; reports go to standard error. Without a contract the "
     "reply is printed as it comes. Keys come from the environment or from "
     "files that surety.json names, and every attempt is recorded in the "
     "ledger.",
     run_options,
     {{"surety run -c story.json -m openai:gpt-5-mini \"As a user ...\"",
       "the value, after at most three calls"},
      {"surety run -c story -m ollama:llama3.2 -m anthropic:claude-sonnet-4-5 "
       "<prompt.txt",
       "the second model if the first gives no valid reply"},
      {"surety run -v -c story -m replay:recorded.jsonl \"As a user ...\"",
       "the same from a recording, with every decision"},
      {"surety run --dry-run -c story -m openai:gpt-5-mini \"As a user ...\"",
       "what would be sent, and what it may cost"}},
     run_run},
#endif
    {"contracts list",
     "list the contracts that have a name",
     "[OPTION...]",
     "Lists the contracts in the folders of SURETY_CONTRACTS, ./contracts, "
     "$XDG_CONFIG_HOME/surety/contracts and the built-in set: name, version, "
     "title and source.",
     contracts_list_options,
     {{"surety contracts list", "all of them"},
      {"surety contracts list --json | jq -r '.[].name'", "the names alone"}},
     contracts_list_run},
    {"contracts show",
     "print a contract",
     "[OPTION...] NAME",
     "Prints the file of a contract as it is.",
     contracts_show_options,
     {{"surety contracts show surety/report",
       "the schema of the reports that check writes"},
      {"surety contracts show --path story@1",
       "the file of the newest version 1 of story"}},
     contracts_show_run},
    {"contracts lint",
     "find mistakes in contracts",
     "[OPTION...] FILE|NAME...",
     "Reports every error of a contract or a plain JSON Schema, with line and "
     "column, and warns of probable mistakes: misspelt keywords, bounds that "
     "no value satisfies, required properties "
     "that no schema describes, keywords of older drafts, missing "
     "descriptions. "
     "Ends with 2 if there are errors, with 0 (--strict: 1) if there are only "
     "warnings.",
     contracts_lint_options,
     {{"surety contracts lint contracts/*.json", "all of a folder"},
      {"surety contracts lint --strict contracts/*.json", "the same in CI"},
      {"surety contracts lint --for openai story.json",
       "also what OpenAI's strict mode does not support"},
      {"surety contracts lint story@2", "one by its name"}},
     contracts_lint_run},
    {"contracts diff",
     "show what a new version of a contract breaks",
     "[OPTION...] OLD NEW",
     "Compares two contracts, by names or files. Values that only the new one "
     "accepts may break programs that read them (consumers); values that only "
     "the old one accepts may still come from programs that make them "
     "(producers: "
     "models, databases). Prints a line for each change, and which new version "
     "they need. Ends with 1 where consumers break.",
     contracts_diff_options,
     {{"surety contracts diff story@1 story.json", "before it is released"},
      {"surety contracts diff --fail version old.json new.json",
       "in CI: whether the version number is high enough"},
      {"surety contracts diff --json a.json b.json", "for programs"}},
     contracts_diff_run},
#ifdef SURETY_WITH_RUN
    {"keys add",
     "add a key of the gateway, with its budget and limits",
     "NAME [OPTION...]",
     "Adds a key to the ledger's database and prints its secret to standard "
     "output, this one time: only a hash of it is stored. A limit that is not "
     "given does not exist.",
     keys_add_options,
     {{"surety keys add team-a --day 20 --month 300 --requests 600",
       "20 dollars a day, 300 a month, 600 requests a minute"},
      {"surety keys add ci --model 'gpt-5*' --at-once 4 --expires 30",
       "models whose names begin with gpt-5, four requests at once, for 30 "
       "days"},
      {"surety keys add ops --admin", "a key that may see the page /ui"}},
     keys_add_run},
    {"keys list",
     "list the keys of the gateway, and what they spent",
     "[OPTION...]",
     "Lists the keys in the ledger's database, the oldest first: their limits, "
     "what they spent this day and this month (UTC), and when they were last "
     "used. No secret is shown, as none is stored.",
     keys_list_options,
     {{"surety keys list", "the keys as a table"},
      {"surety keys list --json | jq '.[] | select(.revoked == null)'",
       "those in force, as JSON"}},
     keys_list_run},
    {"keys revoke",
     "revoke a key of the gateway",
     "ID|NAME [OPTION...]",
     "Revokes the key in force with that id or name. Gateways that have just "
     "found it may take it for two more seconds.",
     keys_revoke_options,
     {{"surety keys revoke team-a", "the key of that name"}},
     keys_revoke_run},
    {"mcp",
     "serve these commands as tools, for agents",
     "[OPTION...]",
     "Serves check, extract, repair, validate, render, prompt and the commands "
     "of contracts as tools of the Model Context Protocol on standard input "
     "and output, so that a coding agent can use them. An agent's "
     "configuration names the command \"surety mcp\". The tools read the files "
     "that a call names, with the rights of the server's user; only render "
     "writes files.",
     mcp_options,
     {{"claude mcp add surety -- surety mcp", "Claude Code has the tools"},
      {"surety mcp --timeout 10 -v",
       "ten seconds for a call, and a line for each"}},
     mcp_run},
    {"mock",
     "serve scripted replies as a model server, for tests",
     "--script FILE [OPTION...]\n"
     "--reply TEXT... [OPTION...]\n"
     "--echo [OPTION...]",
     "Starts a model server that speaks OpenAI Chat Completions and Responses, "
     "Anthropic Messages and Gemini, streamed and whole, and answers from a "
     "script, faults included. Prints the line \"surety mock: listening on "
     "URL\" to standard output and a line for each request to standard error, "
     "and ends with 0 on SIGINT or SIGTERM.",
     mock_options,
     {{"surety mock --reply '{\"x\": 1}' --port 8080",
       "every model at http://127.0.0.1:8080/v1 gives this reply"},
      {"surety mock --script faults.json --log requests.jsonl",
       "the replies and faults of a script, with a log of the requests"}},
     mock_run},
    {"render",
     "draw the charts and write the tables that a value asks for",
     "[-c CONTRACT] [OPTION...] [VALUE]\n"
     "--data FILE --chart TYPE|--table FORMAT [OPTION...]",
     "Finds the value in a reply (the file VALUE, or standard input), checks "
     "it against the contract, prints it to standard output, and makes the "
     "charts (bar, line; PNG, SVG) and tables (csv, xlsx, html) that it asks "
     "for. Each is made or fails alone, with a line on standard error. "
     "Existing "
     "files are not replaced. With --data, plain rows are drawn as the options "
     "say.",
     render_options,
     {{"surety render -c census/agent-output --out charts reply.txt",
       "what the answer asks for, as files in charts/; the answer itself goes "
       "to standard output"},
      {"surety render --data rows.json --chart bar --x NAME --y B01003_001E "
       "--title 'Population'",
       "Population.png from plain rows"},
      {"surety render --data rows.json --table xlsx --name rows", "rows.xlsx"}},
     render_run},
    {"serve",
     "serve as a gateway in front of models",
     "[OPTION...]",
     "Serves OpenAI Chat Completions and Responses, Anthropic Messages and "
     "Gemini to clients, and calls the models of the configuration. A reply to "
     "a request with a schema satisfies the schema, or the client gets an "
     "error that lists what is wrong. Prints the line \"surety serve: "
     "listening on URL\" to standard output. SIGHUP reads the configuration "
     "and the contracts again; SIGTERM and SIGINT let the requests under way "
     "end.",
     serve_options,
     {{"surety serve", "clients reach the models at http://127.0.0.1:4141/v1"},
      {"surety serve --listen 0.0.0.0:8080 --threads 4 --log access.jsonl",
       "for other machines, with four threads and a line for each request"}},
     serve_run},
    {"stats",
     "count the runs in the ledger: valid ones, errors, cost",
     "[OPTION...]",
     "Reads the ledger and counts, by model and contract or as --by asks: how "
     "many runs ended in a valid value, at the first try and after re-asks, "
     "what they cost and how long calls took; which errors are most frequent, "
     "and how often the model corrected them; what was repaired; and which "
     "values the recorded valid replies cover. As a table, JSON or CSV to "
     "standard "
     "output, and as a picture.",
     stats_options,
     {{"surety stats --since 7d", "the last week, by model and contract"},
      {"surety stats --by day --chart week.svg --since 7d",
       "a line for each day, and as a picture"},
      {"surety stats --show errors --contract story --format csv >errors.csv",
       "what fails most in one contract, for a spreadsheet"},
      {"surety stats --show coverage -c trend/iteration-response --expect "
       "dimensions_explored=@dimensions.txt",
       "which dimensions were explored, and which were not"}},
     stats_run},
    {"tools",
     "list the tools of a file, or call one without a model",
     "[OPTION...] [FILE] [NAME [ARGUMENTS]]\n"
     "[OPTION...] --mcp COMMAND [NAME [ARGUMENTS]]",
     "Lists the tools of FILE, of the configuration, or of the servers of "
     "--mcp, as a model sees them, or calls the tool NAME with "
     "ARGUMENTS (JSON, @FILE, or standard input for -; none: {}) as a run "
     "does: "
     "the arguments are checked, the tool does its work, and its result is "
     "checked. Prints the result to standard output, and what a model would "
     "read of a failure to standard error. Ends with 1 where arguments or "
     "result are not valid, with 3 where the tool failed. FILE is an operand "
     "with \".\" or \"/\", which no tool's name has.",
     tools_options,
     {{"surety tools tools.json", "names, descriptions and parameters"},
      {"surety tools tools.json add '{\"a\": 1, \"b\": 2}'",
       "the result of one call"},
      {"surety tools", "the tools that each run of this folder has"},
      {"surety tools --mcp 'surety mcp'", "the tools of a server"}},
     tools_run},
#endif
    {.name = NULL}};
