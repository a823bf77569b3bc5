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

Each event is posted like a webhook, with its headers and signature. An event without a 2xx response is posted up to five
times within a minute. The sandbox scenarios webhook_… work only for registered endpoints.`;

/** For the reseller's engineer. It needs only an API key: no database and no settings of the operator. */
export function listenCommand(program: Command): void {
  program
    .command("listen")
    .description("forward a reseller's events to a local server, as signed webhooks")
    .requiredOption("--forward-to <url>", "the URL to post each event to; http or https, any address")
    .option("--api-url <url>", "the address of the API (default: PUBLIC_URL, or http://localhost:PORT)")
    .option(
      "--api-key <key>",
      "a test or live key with the scope webhooks:manage; prefer SCRIP_API_KEY, because other users of this machine can see command lines",
    )
    .option(
      "--secret <whsec>",
      "the signing secret; prefer SCRIP_WEBHOOK_SECRET (default: a new one, which is printed)",
    )
    .option("--events <types>", "only these types, separated by commas")
    .option("--since <time>", "include events since a time (2030-01-31T12:00:00Z) or an age (10m, 2h, 1d)")
    .option("--json", "print one line of JSON per attempt, and everything else on standard error")
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

/** Ctrl-C, SIGTERM, or a closed output. It ends at once, so a second Ctrl-C changes nothing. */
function whenAskedToStop(): AbortSignal {
  const asked = new AbortController();
  const stop = () => asked.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", stop);
  return asked.signal;
}
