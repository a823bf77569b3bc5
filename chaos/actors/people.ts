import { setTimeout as wait } from "node:timers/promises";
import { FORM_ID_FIELD, newFormId } from "../../server/src/web/form/hidden-fields.ts";
import { createRandom, type Random } from "../../server/testing/seed.ts";
import type { Answer } from "../call.ts";
import type { Payment, Recorder } from "../recorder.ts";
import { PAYMENT_NOTE, PRICE_MINOR, STOCKED } from "../shopfront.ts";
import type { World } from "../world.ts";
import { noteUnforeseen } from "./operators.ts";
import { type Actor, noteTold } from "./placers.ts";
import { enterConsole, enterDashboard, type Person, visit } from "./visitors.ts";

const PAUSE_MAX_MS = 1_500;
const RETRY_PAUSE_MS = 200;
const TRIES_MAX = 300;
const SHOWN_CHARACTERS = 300;
const ORDER_SHARE = 0.3;
const PAYMENT_SHARE = 0.2;
/** Less than fresh proof counts for. */
const SHIFT_MS = 200_000;

const DASHBOARD_PAGES = [
  ...["", "/orders?env=test", "/orders?env=live", "/catalog", "/catalog/stocked", "/wallet?env=live"],
  ...["/wallet/statement?env=live", "/webhooks", "/requests", "/events", "/keys", "/team", "/activity"],
].map((path) => `/dashboard${path}`);
const CONSOLE_PAGES = [
  ...["/", "/orders", "/unknown", "/stuck", "/money", "/resellers", "/suppliers", "/stock", "/jobs"],
  ...["/alerts", "/reports", "/activity", "/products", "/prices", "/system", "/search?q=ord", "/deposits"],
];

/** People of the resellers read their pages and place test orders by a form. */
export const useDashboard: Actor = async (world, accounts, recorder, weather) => {
  const resellers = accounts.filter(({ environment }) => environment === "test");
  const sit = async ({ resellerId, environment, name }: (typeof resellers)[number], number: number) => {
    const random = createRandom(weather.seed + 8_000 + number);
    const person = await enter(recorder, weather, (tries) =>
      enterDashboard(world, resellerId, `buyer${number}-${tries}@reseller.example`),
    );
    while (person && weather.isStormy) {
      await wait(random.below(PAUSE_MAX_MS));
      const { port } = random.pick(world.apis);
      if (!random.chance(ORDER_SHARE)) {
        const path = random.pick(DASHBOARD_PAGES);
        notePage(recorder, path, await visit(world, port, person, path));
        continue;
      }
      const formId = newFormId();
      const quantity = 1 + random.below(2);
      const idempotencyKey = `try-${formId}`;
      const order = {
        ...{ resellerId, environment, idempotencyKey, quantity },
        productId: STOCKED,
        told: undefined,
        refused: undefined,
      };
      recorder.wanted.set(`${name} ${idempotencyKey}`, order);
      const fields = { [FORM_ID_FIELD]: formId, quantity: String(quantity) };
      const id = await tryUntilTold(world, recorder, random, person, fields);
      if (id) noteTold(recorder, order, id, quantity * PRICE_MINOR);
      if (id) recorder.counts.formOrders += 1;
    }
  };
  await Promise.all(resellers.map(sit));
};

/** The same form until its answer arrives: it leads to the same order each time. */
async function tryUntilTold(
  world: World,
  recorder: Recorder,
  random: Random,
  person: Person,
  fields: Record<string, string>,
): Promise<string | undefined> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const { port } = random.pick(world.apis);
    const answer = await visit(world, port, person, `/dashboard/catalog/${STOCKED}/try`, fields);
    const id = /orders\/(ord_\w+)/.exec(answer?.headers.location ?? "")?.[1];
    if (answer?.status === 303 && id) return id;
    if (answer) {
      const shown = answer.body.slice(0, SHOWN_CHARACTERS);
      recorder.contradictions.push(`a form of the dashboard gets ${answer.status}, not an order: ${shown}`);
      return undefined;
    }
    await wait(RETRY_PAUSE_MS);
  }
  recorder.contradictions.push("a form of the dashboard got no response");
  return undefined;
}

/** Staff read the console and credit wallets by a form. A form is accepted once, so it can be sent again. */
export const useConsole: Actor = async (world, accounts, recorder, weather) => {
  const random = createRandom(weather.seed + 9_000);
  let person: Person | undefined;
  let enteredMs = 0;
  for (let count = 0; weather.isStormy; count += 1) {
    if (!person || performance.now() - enteredMs > SHIFT_MS) {
      person = await enter(recorder, weather, (tries) =>
        enterConsole(world, `staff${count}-${tries}@scrip.example`),
      );
      enteredMs = performance.now();
      if (!person) return;
    }
    await wait(random.below(PAUSE_MAX_MS));
    const { consolePort } = random.pick(world.apis);
    if (!random.chance(PAYMENT_SHARE)) {
      const path = random.pick(CONSOLE_PAGES);
      notePage(recorder, path, await visit(world, consolePort, person, path));
      continue;
    }
    const { resellerId } = random.pick(accounts);
    const amountMinor = 100 + random.below(900);
    const note = `${PAYMENT_NOTE} by form ${count}`;
    const payment: Payment = { resellerId, environment: "live", note, amountMinor, acknowledged: false };
    recorder.payments.push(payment);
    const amount = (amountMinor / 100).toFixed(2);
    const fields = { resellerId, direction: "credit", amount, note, [FORM_ID_FIELD]: newFormId() };
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const { consolePort: port } = random.pick(world.apis);
      const answer = await visit(world, port, person, "/money/movements?env=live", fields);
      payment.acknowledged = answer?.status === 303;
      if (answer) {
        // 409: an earlier try was accepted, and its answer was lost.
        if (answer.status !== 303 && answer.status !== 409)
          recorder.contradictions.push(`a payment by form gets ${answer.status}`);
        break;
      }
      await wait(RETRY_PAUSE_MS);
    }
  }
};

/** Signing in takes several steps, and an outage can end any of them. */
async function enter(
  recorder: Recorder,
  weather: { isStormy: boolean },
  signIn: (tries: number) => Promise<Person>,
): Promise<Person | undefined> {
  for (let tries = 0; weather.isStormy; tries += 1) {
    const person = await signIn(tries).catch((error) => noteUnforeseen(recorder, error));
    if (person) return person;
    await wait(RETRY_PAUSE_MS);
  }
  return undefined;
}

function notePage(recorder: Recorder, path: string, answer: Answer | undefined): void {
  if (!answer) return;
  recorder.counts.pages += 1;
  if (answer.status !== 200) recorder.contradictions.push(`the page ${path} is ${answer.status}`);
}
