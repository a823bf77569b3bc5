import type { Command } from "commander";
import { listen } from "../listen/listen.ts";
import { readListenOptions } from "../listen/read-listen-options.ts";
import { type Options, print } from "../verb.ts";

const EXAMPLES = `
Examples:
  $ export SCRIP_API_KEY=sc_test_…
  $ scrip listen --forward-to http://localhost:3000/hook
  $ scrip listen --forward-to http://localhost:3000/hook --api-url https://api.example.com --since 10m
  $ scrip listen --forward-to http://localhost:3000/hook --events order.refunded --json

Each event is posted as a webhook is, headers and signature included; one that is not answered with 2xx is posted up
to five times within a minute. The sandbox's scenarios webhook_… are for registered endpoints alone.`;

/** For the reseller's engineer: it needs a key and nothing of the operator's, neither database nor settings. */
export function listenCommand(program: Command): void {
  program
    .command("listen")
    .description("bring a reseller's events to a server on the developer's own machine, as signed webhooks")
    .requiredOption("--forward-to <url>", "where to send each event; http or https, any address")
    .option("--api-url <url>", "the API (default: PUBLIC_URL, else http://localhost:PORT, which is 8080)")
    .option(
      "--api-key <key>",
      "a test or live key with the scope webhooks:manage; better in SCRIP_API_KEY, because others on this machine see command lines",
    )
    .option(
      "--secret <whsec>",
      "what to sign with; better in SCRIP_WEBHOOK_SECRET (default: a new one, which is printed)",
    )
    .option("--events <types>", "only these types, separated by commas")
    .option(
      "--since <time>",
      "also what has happened since a time (2030-01-31T12:00:00Z) or so long ago (10m, 2h, 1d)",
    )
    .option(
      "--json",
      "print one JSON document for each attempt, one on a line, and all else on standard error",
    )
    .addHelpText("after", EXAMPLES)
    .action(async (options: Options) => {
      const settings = readListenOptions(options, process.env, Date.now());
      const tell = settings.isJson ? tellAside : print;
      await listen(settings, { print, tell }, whenAskedToStop());
    });
}

const tellAside = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Ctrl-C, a TERM, or nobody who reads any more. It ends within moments, so a second Ctrl-C changes nothing. */
function whenAskedToStop(): AbortSignal {
  const asked = new AbortController();
  const stop = () => asked.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", stop);
  return asked.signal;
}
