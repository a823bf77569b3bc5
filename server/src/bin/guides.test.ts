import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sizeFor } from "../../testing/full-size.ts";
import { type GuideWorld, runGuide } from "../../testing/guides/run-guide.ts";
import { type RunningScrip, startScrip } from "../../testing/processes/run-scrip.ts";
import { caCertificatePath } from "../../testing/receivers/tls-fixture.ts";
import { startTlsFront, type TlsFront } from "../../testing/receivers/tls-front.ts";
import { GUIDE_NAMES, GUIDES_FOLDER, OPERATOR_GUIDES, WRITTEN_BASE_URL } from "../web/docs/read-guides.ts";

const CHECKOUT = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "");

/** All guides use one server, one after another, on a machine that may be busy. */
const SERVER_TIMEOUT_MS = 280_000;

let dataDir: string;
let server: RunningScrip;
let front: TlsFront;
let world: Omit<GuideWorld, "prepare">;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "scrip-guides-"));
  const receiverPort = await findFreePort();
  front = await startTlsFront(receiverPort);
  server = await startScrip(
    ["--demo", "--no-history"],
    {
      DATA_DIR: dataDir,
      WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1",
      WEBHOOK_EGRESS_IPS: "203.0.113.10",
      NODE_EXTRA_CA_CERTS: caCertificatePath,
    },
    SERVER_TIMEOUT_MS,
  );
  world = {
    checkout: CHECKOUT,
    replacements: [
      [WRITTEN_BASE_URL, server.url],
      [/sc_test_…/g, /sc_test_\w+/.exec(server.stdout())?.[0] ?? ""],
      [/\b3000\b/g, String(receiverPort)],
      [/https:\/\/hooks\.example\.com/g, `https://localhost:${front.port}`],
    ],
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: dataDir,
      npm_config_cache: join(dataDir, "npm"),
      // The SDK comes from the server and has no dependencies: a registry is not needed, and there is none.
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_audit: "false",
      npm_config_update_notifier: "false",
    },
    running: { server: { printed: server.stdout, failure: () => undefined } },
  };
});

after(async () => {
  await server?.stop("SIGTERM");
  await front?.close();
  await rm(dataDir, { recursive: true, force: true });
});

test("every file in docs/guides is a guide that is served and run, or the operator's", async () => {
  const files = await readdir(GUIDES_FOLDER);
  const names = [...GUIDE_NAMES, ...OPERATOR_GUIDES];
  assert.deepEqual(files.sort(), names.map((name) => `${name}.md`).sort());
});

/** In `npm test` every fifth one; CI runs all of them. */
const EVERY = sizeFor("soak", { share: 5, wide: 1, full: 1 });

for (const name of GUIDE_NAMES.filter((_name, index) => index % EVERY === 0)) {
  test(`the guide ${name} works, each block as pasted`, async () => {
    const markdown = await readFile(new URL(`${name}.md`, GUIDES_FOLDER), "utf8");
    const prepare = PREPARED[name] ?? linkSdk;
    const { ran, checked } = await runGuide(markdown, { ...world, prepare });
    assert.ok(ran > 0 && checked > 0, `${ran} blocks were run and ${checked} answers compared`);
  });
}

/** Two guides install the SDK for real; the others take it for granted. */
const PREPARED: Partial<Record<(typeof GUIDE_NAMES)[number], GuideWorld["prepare"]>> = {
  quickstart: async () => {},
  "going-live": (folder) => writeFile(join(folder, "package.json"), '{ "private": true }\n'),
};

async function linkSdk(folder: string): Promise<void> {
  const scope = join(folder, "node_modules", "@scrip");
  await mkdir(scope, { recursive: true });
  await symlink(join(CHECKOUT, "sdk"), join(scope, "sdk"));
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
