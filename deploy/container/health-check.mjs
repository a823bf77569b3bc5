// Exits with 0 if the server in this container responds, otherwise with 1. The argument is the path: /healthz (the default)
// says that the process is alive, /readyz that it can serve.

const TIMEOUT_MS = 4_000;
const DEFAULT_PORT = "8080";
const EVERY_ADDRESS = ["", "0.0.0.0", "::"];

const [path = "/healthz"] = process.argv.slice(2);
const host = process.env.HOST?.trim() ?? "";
const address = EVERY_ADDRESS.includes(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
const url = `http://${address}:${process.env.PORT?.trim() || DEFAULT_PORT}${path}`;

try {
  const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!reply.ok) fail(`${url} answered ${reply.status}`);
} catch (error) {
  fail(`${url} did not answer: ${error.cause?.code ?? error.message}`);
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
