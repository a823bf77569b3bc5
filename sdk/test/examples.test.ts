import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { eventBody } from "../../server/src/events/emit-events.ts";
import { signDelivery } from "../../server/src/webhooks/delivery/sign-delivery.ts";
import { eventually } from "../../server/testing/eventually.ts";
import { type Installed, installSdk, SDK_FOLDER } from "./install-sdk.ts";
import { BUN, DENO, EXPRESS_FOLDER, ensureRuntimes, OWN_NODE, RUNTIMES, type Runtime } from "./runtimes.ts";

const EXAMPLES = join(SDK_FOLDER, "examples");
const LINES_MAX = 40;
const RUN_TIMEOUT_MS = 60_000;
const [OLD_SECRET, NEW_SECRET] = ["whsec_b2xkZXI=", "whsec_bmV3ZXI="];

/** A request handler needs a server: each runtime has its own. */
const LISTENERS: readonly { runtime: Runtime; script: string }[] = [
  {
    runtime: DENO,
    script: `
import { createReceiver } from "./fetch-handler.mjs";
const onListen = ({ port }) => console.log("listening on port " + port);
Deno.serve({ port: 0, onListen }, createReceiver(Deno.env.get("WEBHOOK_SECRET")));`,
  },
  {
    runtime: BUN,
    script: `
import { createReceiver } from "./fetch-handler.mjs";
const server = Bun.serve({ port: 0, fetch: createReceiver(process.env.WEBHOOK_SECRET) });
console.log("listening on port " + server.port);`,
  },
  {
    runtime: OWN_NODE,
    script: `
import { createServer } from "node:http";
import { createReceiver } from "./fetch-handler.mjs";
const receive = createReceiver(process.env.WEBHOOK_SECRET);
const server = createServer(async (incoming, outgoing) => {
  const { method, headers } = incoming;
  const request = new Request("http://receiver.example/", { method, headers, body: incoming, duplex: "half" });
  outgoing.writeHead((await receive(request)).status).end();
});
server.listen(0, () => console.log("listening on port " + server.address().port));`,
  },
];

let installed: Installed;

before(async () => {
  await ensureRuntimes();
  installed = await installSdk();
  const modules = join(installed.folder, "node_modules");
  symlinkSync(EXPRESS_FOLDER, join(modules, "express"));
  symlinkSync(join(dirname(SDK_FOLDER), "node_modules/fastify"), join(modules, "fastify"));
  for (const file of globSync("*.mjs", { cwd: EXAMPLES })) {
    copyFileSync(join(EXAMPLES, file), join(installed.folder, file));
  }
  for (const { runtime, script } of LISTENERS)
    writeFileSync(join(installed.folder, `${runtime.name}.mjs`), script);
});
after(() => installed.remove());

for (const file of ["node-http.mjs", "fastify.mjs", "express.mjs"]) {
  test(`examples/${file} accepts a signed delivery, refuses a forged one, handles a repeated one once`, () =>
    assertReceives(OWN_NODE, file));
}

for (const { runtime } of LISTENERS.filter((listener) => RUNTIMES.includes(listener.runtime))) {
  test(`examples/fetch-handler.mjs does so on ${runtime.name}`, () =>
    assertReceives(runtime, `${runtime.name}.mjs`));
}

test("there is no other example, and each can be read at a glance", () => {
  const files = globSync("**/*", { cwd: EXAMPLES }).sort();
  assert.deepEqual(files, ["express.mjs", "fastify.mjs", "fetch-handler.mjs", "node-http.mjs"]);
  for (const file of files) {
    const lines = readFileSync(join(EXAMPLES, file), "utf8").trimEnd().split("\n");
    assert.ok(lines.length <= LINES_MAX, `${file} has ${lines.length} lines`);
  }
});

async function assertReceives(runtime: Runtime, file: string): Promise<void> {
  const receiver = await startReceiver(runtime, file);
  try {
    const [first, second, last] = [newEvent("evt_1"), newEvent("evt_2"), newEvent("evt_last")];
    assert.equal(await receiver.deliver(first, signed(first, OLD_SECRET)), 204);
    assert.equal(await receiver.deliver(second, signed(second, NEW_SECRET)), 204);
    assert.equal(await receiver.deliver(first, signed(first, NEW_SECRET)), 204);
    await assertRefused(receiver);
    assert.equal(await receiver.deliver(last, signed(last, NEW_SECRET)), 204);
    await eventually("the last is handled", async () => receiver.handled().includes("evt_last") || undefined);
    assert.deepEqual(receiver.handled(), ["evt_1", "evt_2", "evt_last"]);
  } finally {
    await receiver.stop();
  }
}

async function assertRefused({ deliver }: Receiver): Promise<void> {
  const forged = newEvent("evt_forged");
  const other = newEvent("evt_other");
  assert.equal(await deliver(forged, signed(other, NEW_SECRET)), 400);
  assert.equal(await deliver(forged, signed(forged, "whsec_c3RyYW5nZXI=")), 400);
  assert.equal(await deliver(forged, signed(forged, NEW_SECRET, -301)), 400);
  assert.equal(await deliver(forged, undefined), 400);
  const spaced = JSON.stringify(JSON.parse(forged), null, 1);
  assert.equal(await deliver(spaced, signed(forged, NEW_SECRET)), 400);
}

const newEvent = (id: string): string =>
  eventBody({
    id,
    type: "order.fulfilled",
    createdAt: new Date(),
    data: { order_id: "ord_☃", status: "fulfilled", environment: "live" },
  });

const signed = (body: string, secret: string, agoSeconds = 0): string =>
  signDelivery([secret], Math.floor(Date.now() / 1000) + agoSeconds, body);

type Receiver = {
  deliver(body: string, signature: string | undefined): Promise<number>;
  /** Ids of the events that it says it has handled. */
  handled(): string[];
  stop(): Promise<void>;
};

async function startReceiver({ command, args }: Runtime, file: string): Promise<Receiver> {
  const child = spawn(command, [...args, file], {
    cwd: installed.folder,
    env: { ...process.env, PORT: "0", WEBHOOK_SECRET: `${OLD_SECRET},${NEW_SECRET}` },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: RUN_TIMEOUT_MS,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const port = await eventually(`${file} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`);
    return /listening on port (\d+)\n/.exec(printed)?.[1];
  });
  return {
    deliver: (body, signature) => post(`http://127.0.0.1:${port}/webhooks`, body, signature),
    handled: () => [...printed.matchAll(/^handled order\.fulfilled (\S+)$/gm)].map(([, id = ""]) => id),
    stop: () => stop(child),
  };
}

async function post(url: string, body: string, signature: string | undefined): Promise<number> {
  const headers = {
    "content-type": "application/json",
    ...(signature === undefined ? {} : { "service-signature": signature }),
  };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    signal: AbortSignal.timeout(RUN_TIMEOUT_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.kill();
  await exited;
}
