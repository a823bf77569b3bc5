import { signDelivery } from "../server/src/webhooks/delivery/sign-delivery.ts";
import type { ReceivedRequest } from "../server/testing/receivers/https-receiver.ts";
import { startHttpsReceiver } from "../server/testing/receivers/https-receiver.ts";
import { answerWith, hang, ok, reset } from "../server/testing/receivers/receiver-answers.ts";
import { createRandom } from "../server/testing/seed.ts";
import type { Recorder } from "./recorder.ts";

/** The receivers of events, and what arrived. */
export type Receivers = {
  url(name: string): string;
  /** The bodies of complete events, by receiver and event id. */
  received(name: string): ReadonlyMap<string, string>;
  /** Deliveries beyond the first of each event. */
  repeats(): number;
  /** Deliveries whose signature none of the known secrets explains, and whether an unknown one may have been alone. */
  unexplained(): string[];
  goDown(): void;
  comeUp(): void;
  /** Accepts everything from now on. */
  heal(): void;
  close(): Promise<void>;
};

const FAILING_SHARE = 0.2;
const HANGING_SHARE = 0.005;

export async function createReceivers(seed: number, recorder: Recorder): Promise<Receivers> {
  const random = createRandom(seed ^ 0x77);
  const arrived = new Map<string, Map<string, string>>();
  const doubtful: { name: string; request: ReceivedRequest }[] = [];
  let isDown = false;
  let isHealed = false;
  let repeats = 0;

  const take = (name: string, request: ReceivedRequest): void => {
    if (!isSigned(recorder.secrets.get(name) ?? [], request)) doubtful.push({ name, request });
    const bodies = arrived.get(name) ?? new Map();
    const body = request.body.toString();
    const { id } = JSON.parse(body) as { id: string };
    if (bodies.has(id)) repeats += 1;
    arrived.set(name, bodies.set(id, body));
  };
  const receiver = await startHttpsReceiver((response, request) => {
    receiver.requests.length = 0;
    const chance = isHealed ? 1 : random.below(1_000) / 1_000;
    if (isDown || chance < FAILING_SHARE / 2) return answerWith(503)(response, request);
    if (chance < FAILING_SHARE) return reset(response, request);
    if (chance < FAILING_SHARE + HANGING_SHARE) return hang(response, request);
    take(request.path.slice(1), request);
    return ok(response, request);
  });
  return {
    url: (name) => receiver.url(`/${name}`),
    received: (name) => arrived.get(name) ?? new Map(),
    repeats: () => repeats,
    unexplained: () =>
      doubtful
        .filter(({ name, request }) => !isSigned(recorder.secrets.get(name) ?? [], request))
        .map(
          ({ name, request }) =>
            `${name} ${request.headers["service-event-id"]}${hint(recorder, name, request)}`,
        ),
    goDown() {
      isDown = !isHealed;
    },
    comeUp() {
      isDown = false;
    },
    heal() {
      isHealed = true;
      isDown = false;
    },
    close: () => receiver.close(),
  };
}

/** Says where to look: it explains nothing, because any signature could come at such a time. */
function hint({ unknownSecrets }: Recorder, name: string, request: ReceivedRequest): string {
  const signedAtMs = signedAtSecond(request) * 1_000;
  const mayBeAlone = unknownSecrets.some(
    (one) => one.name === name && signedAtMs >= one.fromMs - 1_000 && signedAtMs <= one.toMs,
  );
  return mayBeAlone ? " (nobody may have been told the only secret)" : "";
}

const signedAtSecond = ({ headers }: ReceivedRequest): number =>
  Number(/^t=(\d+)/.exec(String(headers["service-signature"]))?.[1]);

/** Whether any of the secrets explains any of the signatures. */
function isSigned(secrets: readonly string[], request: ReceivedRequest): boolean {
  const { headers, body } = request;
  const header = String(headers["service-signature"]);
  const time = signedAtSecond(request);
  return secrets.some((one) => {
    const [, expected = "none"] = signDelivery([one], time, body.toString()).split(",");
    return header.split(",").includes(expected);
  });
}
