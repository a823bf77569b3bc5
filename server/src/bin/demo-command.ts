import type { Command } from "commander";
import { DEMO_SEED, type FilledDemo, fillDemo, isEmpty } from "../admin/fill-demo.ts";
import { verb } from "./verb.ts";

export function demoCommand(program: Command): void {
  verb(
    program
      .command("demo")
      .description("fill an empty database with a demo catalog, two resellers, their keys and some stock")
      .option("--no-history", "without three weeks of sample orders"),
    async (context, options) => {
      if (context.config.production)
        throw new Error("scrip demo does not run in production (NODE_ENV is production)");
      if (!(await isEmpty(context.db))) {
        throw new Error(
          "the database is not empty; scrip demo needs an empty one, such as that of a new DATA_DIR",
        );
      }
      const address = context.config.publicUrl ?? `http://localhost:${context.config.port}`;
      const history = { seed: DEMO_SEED, keyring: context.keyring, baseUrl: address };
      return { ...(await fillDemo(context, options.history === false ? undefined : history)), address };
    },
    // This command starts no server.
    (demo) =>
      describeDemo(demo, {
        headline: `Filled the demo: ${demo.products} products, ${demo.codes} codes, ${demo.orders} past orders, two resellers. To start the server: scrip start`,
        address: demo.address,
      }),
    { mayCreate: true },
  );
}

type DemoText = { headline: string; address: string };

/** The address, the keys and a command to paste. */
export function describeDemo(demo: FilledDemo, { headline, address }: DemoText): string {
  const [first, second] = demo.resellers;
  return `${headline}

  ${first.name} (${first.currency})
    live key  ${first.liveKey}
    test key  ${first.testKey}
  ${second.name} (${second.currency})
    live key  ${second.liveKey}
    test key  ${second.testKey}

  These keys are shown only once. Try one:

    curl -s -H "X-API-Key: ${first.testKey}" "${address}/v1/catalog?limit=2"

  Guides: ${address}/docs/guides/
  API reference: ${address}/docs
`;
}
