import { type Client, createClient, type ScripEvent } from "@scrip/sdk";
import { signDelivery } from "../../webhooks/delivery/sign-delivery.ts";
import { UsageError } from "../verb.ts";
import { describeForward, forwardJson } from "./describe-forward.ts";
import { createForwardQueue, type Forward, type ForwardQueue } from "./forward-queue.ts";
import { keepTrying } from "./keep-trying.ts";
import { pause } from "./pause.ts";
import { type Posting, postEvent } from "./post-event.ts";
import type { ListenSettings } from "./read-listen-options.ts";
import { watchEvents } from "./watch-events.ts";

export type ListenOutput = {
  /** Prints the output: one line for each attempt. */
  print(line: string): void;
  /** Prints everything else. */
  tell(line: string): void;
};

const POLL_MS = 1_000;

/** Forwards the events of a key to a local server until the signal: each once, in order, and signed. */
export async function listen(
  settings: ListenSettings,
  { print, tell }: ListenOutput,
  signal: AbortSignal,
): Promise<void> {
  const client = createClient({ baseUrl: settings.apiUrl, apiKey: settings.apiKey.reveal() });
  const ended = new AbortController();
  const cut = new AbortController();
  const toLine = settings.isJson ? forwardJson : describeForward;
  const queue = createForwardQueue({
    post: (event) => postEvent(toPosting(settings, event, new Date()), cut.signal),
    report: (forward: Forward) => print(toLine(forward, new Date())),
    nowMs: () => performance.now(),
  });
  tell(greet(settings));
  const forwarding = queue.run(AbortSignal.any([signal, ended.signal]));
  try {
    await followEvents({ client, queue, settings, tell }, signal);
  } finally {
    ended.abort();
    await forwarding;
    cut.abort();
    tell(sumUp(queue));
  }
}

type Following = {
  client: Client;
  queue: ForwardQueue;
  settings: ListenSettings;
  tell: ListenOutput["tell"];
};

async function followEvents(
  { client, queue, settings, tell }: Following,
  signal: AbortSignal,
): Promise<void> {
  const { eventTypes, apiUrl } = settings;
  const watch = watchEvents({ events: client.events, nowMs: () => performance.now() }, settings.sinceMs);
  const api = keepTrying({ apiUrl, tell, signal });
  await api(async () => {
    if (eventTypes) await assertEventTypes(client, eventTypes, signal);
    await watch.begin(signal);
  });
  if (!signal.aborted) tell("Ready. Press Ctrl-C to stop.");
  while (!signal.aborted) {
    const events = await api(() => watch.poll(signal));
    queue.add((events ?? []).filter(({ type }) => eventTypes?.includes(type) ?? true));
    await pause(POLL_MS, signal);
  }
}

/** Asks the API, because it can have types that this version does not know. */
async function assertEventTypes(
  client: Client,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { data } = await client.eventTypes.list({ signal });
  const known = data.map(({ type }) => type);
  if (wanted.every((type) => known.includes(type))) return;
  throw new UsageError(`--events contains an unknown type; known types: ${known.join(", ")}`);
}

/** The same as a real delivery, with the developer's secret and the current time. */
function toPosting({ forwardTo, webhookSecret }: ListenSettings, event: ScripEvent, at: Date): Posting {
  const { id, type, created_at, data } = event;
  const body = JSON.stringify({ id, type, created_at, data });
  return {
    url: forwardTo,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Scrip-Webhooks/1",
      "service-signature": signDelivery([webhookSecret.reveal()], Math.floor(at.getTime() / 1_000), body),
      "service-event-id": id,
      "service-event-type": type,
    },
  };
}

function greet({ apiUrl, forwardTo, environment, webhookSecret, secretIsNew }: ListenSettings): string {
  return [
    `Listening to ${environment === "live" ? "live" : "sandbox"} events at ${apiUrl}, forwarding to ${forwardTo}`,
    secretIsNew ? `Signing secret for this session: ${webhookSecret.reveal()}` : "Signing with your secret.",
    ...(environment === "live" ? ["Warning: these are live events of paid orders."] : []),
  ].join("\n");
}

function sumUp(queue: ForwardQueue): string {
  const [delivered, undelivered] = [queue.delivered(), queue.undelivered()];
  const rest = undelivered === 0 ? "" : `, ${undelivered} not delivered`;
  return `${delivered} ${delivered === 1 ? "event" : "events"} forwarded${rest}.`;
}
