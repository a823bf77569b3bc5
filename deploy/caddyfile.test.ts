import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestApp } from "../server/testing/app/test-app.ts";
import { eventually } from "../server/testing/eventually.ts";
import { findMissing, runProgram } from "./image/run-program.ts";
import { freePort } from "./image/start-postgres.ts";

const CADDYFILE = fileURLToPath(new URL("Caddyfile", import.meta.url));
const REQUEST_TIMEOUT_MS = 10_000;
/** Addresses of loopback: two callers, of which the key allows one. */
const ALLOWED = "127.0.0.3";
const OTHER = "127.0.0.4";

test("the Caddyfile ends TLS and tells the API the caller's address, whatever the caller claims", async (t) => {
  const text = await readFile(CADDYFILE, "utf8");
  for (const part of ["health_uri /readyz", "tls {$SCRIP_TLS:internal}", "response_header_timeout 30s"])
    assert.ok(text.includes(part), part);
  if ((await findMissing(["caddy"])).length > 0) {
    t.diagnostic("caddy is not on this machine: only what is in the Caddyfile was checked");
    return;
  }
  const scrip = await createTestApp({ trustedProxies: ["127.0.0.1"] });
  t.after(() => scrip.close());
  await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  const upstream = (scrip.app.server.address() as AddressInfo).port;
  const { id } = await scrip.addReseller();
  const { key } = await scrip.addKey(id, { allowedIps: [ALLOWED] });

  // One of the two upstreams is down.
  const proxy = await startCaddy(t, `127.0.0.1:${await freePort()} 127.0.0.1:${upstream}`);
  const ask = (from: string, headers: Record<string, string> = {}) =>
    askOverTls({ ...proxy, from, headers: { "x-api-key": key, ...headers } });
  await eventually("the proxy serves", () =>
    ask(ALLOWED).then((status) => (status === 200 ? true : undefined), none),
  );
  assert.equal(await ask(OTHER), 403, "another address is refused");
  assert.equal(await ask(OTHER, { "x-forwarded-for": ALLOWED }), 403, "a claim is not believed");
});

const none = () => undefined;

async function startCaddy(t: TestContext, upstreams: string): Promise<{ port: number; ca: string }> {
  const home = await mkdtemp(join(tmpdir(), "scrip-caddy-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_DATA_HOME: home,
    XDG_CONFIG_HOME: home,
    SCRIP_DOMAIN: "localhost",
    SCRIP_TLS: "internal",
    SCRIP_UPSTREAMS: upstreams,
    SCRIP_ADMIN_PORT: String(await freePort()),
    SCRIP_HTTP_PORT: String(await freePort()),
    SCRIP_HTTPS_PORT: String(port),
  };
  await runProgram("caddy", ["validate", "--adapter", "caddyfile", "--config", CADDYFILE]);
  const caddy = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", CADDYFILE], {
    env,
    stdio: "ignore",
  });
  const ended = once(caddy, "exit");
  t.after(async () => {
    caddy.kill("SIGTERM");
    await ended;
  });
  const root = join(home, "caddy/pki/authorities/local/root.crt");
  return { port, ca: await eventually("it has an authority", () => readFile(root, "utf8").catch(none)) };
}

type Ask = { port: number; ca: string; from: string; headers: Record<string, string> };

/** The status of GET /v1/catalog from that address of loopback, the certificate verified. */
function askOverTls({ port, ca, from, headers }: Ask): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", servername: "localhost", port, ca, localAddress: from };
    const asked = request(
      {
        ...options,
        path: "/v1/catalog",
        headers: { host: "localhost", ...headers },
        timeout: REQUEST_TIMEOUT_MS,
      },
      (reply) => {
        reply.resume().once("end", () => resolve(reply.statusCode ?? 0));
      },
    );
    asked.once("error", reject).once("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.end();
  });
}
