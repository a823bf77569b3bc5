import { type Html, html } from "../template/html.ts";

/** What a colour says. Each tone has a shape too, so that nobody needs the colour. */
export type Tone = "good" | "wait" | "warn" | "bad" | "quiet";

/** The tone of every status word. A word that is not here is quiet. */
const STATUS_TONES: Readonly<Record<string, Tone>> = {
  // Orders and units.
  pending: "wait",
  processing: "wait",
  completed: "good",
  failed: "bad",
  refunded: "quiet",
  partially_refunded: "warn",
  delivered: "good",
  refused: "bad",
  held: "warn",
  stuck: "warn",
  unknown: "warn",
  written_off: "quiet",
  // Keys, people, endpoints, suppliers.
  active: "good",
  enabled: "good",
  ending: "warn",
  expiring: "warn",
  expired: "quiet",
  revoked: "quiet",
  disabled: "quiet",
  invited: "wait",
  removed: "quiet",
  frozen: "bad",
  failing: "bad",
  healthy: "good",
  degraded: "warn",
  open: "bad",
  closed: "good",
  // Deliveries, deposits, jobs.
  succeeded: "good",
  retrying: "warn",
  timeout: "bad",
  abandoned: "bad",
  matched: "good",
  requested: "wait",
  received: "warn",
  credited: "good",
  approved: "good",
  rejected: "bad",
  waiting: "wait",
  running: "wait",
  queued: "wait",
  done: "good",
  // Products and stock.
  purchasable: "good",
  out_of_stock: "warn",
  low: "warn",
  hidden: "quiet",
  withdrawn: "quiet",
  quarantined: "warn",
};

export const toneOf = (status: string): Tone =>
  Object.hasOwn(STATUS_TONES, status) ? (STATUS_TONES[status] as Tone) : "quiet";

/** A status by its API word, in the tone that the word has, or in another. */
export const chip = (word: string, tone: Tone = toneOf(word)): Html =>
  html`<span class="chip ${tone}">${word}</span>`;

/** The status of an HTTP answer. */
export const httpChip = (status: number): Html => chip(String(status), httpTone(status));

function httpTone(status: number): Tone {
  if (status >= 500) return "bad";
  if (status >= 400) return "warn";
  return status >= 300 ? "quiet" : "good";
}
