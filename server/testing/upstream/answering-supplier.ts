import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { addSupplier } from "../../src/suppliers/add-supplier.ts";
import { kindWithoutRates } from "./kind-without-rates.ts";
import { type FakeKind, SECRETS } from "./supplier-fakes.ts";

type Deps = Parameters<typeof addSupplier>[0];

const TOKEN = JSON.stringify({ access_token: "t", expires_in: 5_183_944 });

type Asked = { query: URLSearchParams; body: string };
type Answer = string | { status: number; text: string };

/** A supplier that is added, and whose server answers each path as the test says. */
export async function addAnsweringSupplier(deps: Deps, kind: FakeKind, name: string) {
  const answers: Record<string, string | ((asked: Asked) => Answer)> = {};
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const url = new URL(request.url ?? "/", "http://supplier.example");
    const given = url.pathname === "/oauth/token" ? TOKEN : (answers[url.pathname] ?? "");
    const answer = typeof given === "string" ? given : given({ query: url.searchParams, body });
    if (typeof answer === "string") response.end(answer);
    else response.writeHead(answer.status).end(answer.text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configs: Record<FakeKind, Record<string, string | number>> = {
    reloadly: { clientId: "c", clientSecret: SECRETS.reloadly, baseUrl, authUrl: baseUrl },
    bamboo: { clientId: "c", clientSecret: SECRETS.bamboo, accountId: 17, baseUrl },
    dtone: { apiKey: "k", apiSecret: SECRETS.dtone, baseUrl },
  };
  const { id } = await addSupplier(deps, { kind, name, ratePerSecond: 1_000, config: configs[kind] });
  const open = () => kindWithoutRates(kind).open(configs[kind], { timeoutMs: 5_000 });
  return { id, answers, open, close: () => server.close() };
}
