// Registers webhooks at names that are public, turns the names inside, delivers, and prints what was connected to. Run by
// run-rebinding.ts, in a namespace of the network where that is permitted.
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { assertWebhookUrl } from "../../src/webhooks/addresses/assert-webhook-url.ts";
import { createCheckedAgent } from "../../src/webhooks/addresses/checked-agent.ts";
import { sendDelivery } from "../../src/webhooks/delivery/send-delivery.ts";
import { startDnsServer } from "./dns-server.ts";
import { createRebinding, FLIPPING, hostOf, REBINDINGS, STEADY } from "./rebinding-names.ts";

const HOOK_PORT = 8443;
const FLIPS = 40;
const SILENT_AT_ONCE = 30;
const isIsolated = process.argv[2] === "isolated";

const rebinding = createRebinding();
const server = await startDnsServer(rebinding.speak, isIsolated ? 53 : 0);
if (!isIsolated) askOurServer(server.port);

/** The addresses at which something arrived. */
const reached: string[] = [];
const receiver = createServer((socket) => {
  reached.push(socket.localAddress ?? "");
  socket.on("error", () => {}).once("data", () => socket.destroy());
}).listen(HOOK_PORT, isIsolated ? "::" : "127.0.0.1");
await once(receiver, "listening");

// Without a namespace no packet may leave the machine.
const agent = createCheckedAgent({ allowNetworks: [], ...(isIsolated ? {} : { localAddress: "127.0.0.1" }) });
const urlOf = (name: string): string => `https://${hostOf(name)}:${HOOK_PORT}/`;
const deliver = async (name: string) => {
  // Longer than a lookup can take, even on a machine with other work.
  const limits = { connectMs: 20_000, wallMs: 25_000 };
  const outcome = await sendDelivery(
    { agent, allowNetworks: [], limits },
    { url: urlOf(name), headers: {}, body: "{}" },
  );
  return { name, error: outcome.error };
};

const names = Object.keys(REBINDINGS);
const settings = { egressIps: [], allowNetworks: [] };
const registered = await Promise.allSettled(names.map((name) => assertWebhookUrl(settings, urlOf(name))));
rebinding.turn();
const outcomes = await Promise.all(names.map(deliver));
const flips = [];
for (let times = 0; times < FLIPS; times += 1) flips.push(await deliver(FLIPPING));
const reachedInside = reached.filter((address) => !isPublic(address));
const silent = Array.from({ length: SILENT_AT_ONCE }, () => deliver("silent"));
const { name: first } = await Promise.race([...silent, deliver(STEADY)]);
await Promise.all(silent);

process.stdout.write(
  JSON.stringify({
    registered: registered.filter(({ status }) => status === "fulfilled").length,
    again: (await Promise.allSettled([assertWebhookUrl(settings, urlOf("v4-0"))]))[0]?.status,
    outcomes,
    flips: flips.map(({ error }) => error),
    reachedInside,
    reachedPublic: reached.filter(isPublic).length,
    first,
  }),
);
server.close();
receiver.close();
agent.destroy();

function isPublic(address: string): boolean {
  return address.endsWith("93.184.215.14") || address === "2606:4700::1111";
}

/** Outside of a namespace the machine's own name server stays as it is, and resolvers are pointed at ours. */
function askOurServer(port: number): void {
  // A resolver that waits for an answer takes no other servers.
  const pointed = new WeakSet<Resolver>();
  for (const method of ["resolve4", "resolve6"] as const) {
    const resolve = Resolver.prototype[method] as (name: string) => Promise<string[]>;
    Resolver.prototype[method] = function (this: Resolver, name: string) {
      if (!pointed.has(this)) this.setServers([`127.0.0.1:${port}`]);
      pointed.add(this);
      return resolve.call(this, name);
    } as never;
  }
}
