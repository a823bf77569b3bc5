import { parseArgs } from "node:util";
import type { Surface } from "../server/testing/fuzz/surface-run.ts";

export type FuzzOptions = {
  seed: number;
  runs: readonly { surface: Surface; requests: number }[];
  only: number | undefined;
  /** Whether the tests of random input follow, at their full size. */
  tests: boolean;
};

export const HELP = `npm run fuzz sends malformed and hostile requests to its own server on its own database.

  --requests N    how many, 10000 unless given; with both surfaces one in five goes to the pages
  --surface S     api: requests generated from /openapi.json
                  web: pages and forms of the dashboard and the console, as people of every role
                  all: first one, then the other (the default)
  --seed S        repeats the requests of an earlier run
  --only N        sends only the Nth request of the API, after the warm-up
  --no-tests      leaves out the tests of random input at their full size
  --help          this text

It ends with status 1 if a promise was broken. Ctrl-C prints what was found so far.`;

/** A page costs the server several times as much as a request of the API. */
const WEB_SHARE = 0.2;
const SURFACES = ["api", "web", "all"];

export function readOptions(
  args: readonly string[],
  defaultSeed: number,
): FuzzOptions | "help" | { error: string } {
  const parsed = parse(args);
  if ("error" in parsed) return parsed;
  const { help, requests, seed, only, surface, "no-tests": noTests } = parsed.values;
  if (help) return "help";
  if (!SURFACES.includes(surface)) return { error: `--surface is ${SURFACES.join(", ")}, not ${surface}` };
  for (const [name, text] of Object.entries({ requests, seed, only }))
    if (text !== undefined && !/^\d{1,10}$/.test(text))
      return { error: `--${name} takes an integer, not ${text}` };
  if (only !== undefined && surface === "web") return { error: "--only is for requests of the API" };
  const total = Number(requests);
  const web = surface === "all" ? Math.round(total * WEB_SHARE) : total;
  const runs = [
    { surface: "api" as const, requests: surface === "all" ? total - web : total },
    { surface: "web" as const, requests: web },
  ].filter((run) => surface === "all" || run.surface === surface);
  return {
    seed: seed === undefined ? defaultSeed : Number(seed),
    // A single request is one of the API.
    runs: only === undefined ? runs : [{ surface: "api", requests: Math.max(total, Number(only) + 1) }],
    only: only === undefined ? undefined : Number(only),
    tests: !noTests,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        requests: { type: "string", default: "10000" },
        seed: { type: "string" },
        only: { type: "string" },
        surface: { type: "string", default: "all" },
        "no-tests": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    const [line = ""] = (error as Error).message.split(/[.\n]/);
    return { error: line };
  }
}
