import { gzipSync } from "node:zlib";
import type { ContentMishap, Dialect, Reply } from "./upstream-dialect.ts";
import type { Purchase } from "./upstream-ledger.ts";
import type { Step, Verb } from "./upstream-steps.ts";

/**
 * The response instead of the truth. Mishaps of the connection (a reset, a hang) leave the text unchanged. Faults
 * that only apply to an order leave a refusal unchanged.
 */
export function spoilReply(
  dialect: Dialect,
  verb: Verb,
  truth: Reply,
  { mishap, variant }: Step,
  stranger: Purchase,
): Reply {
  switch (mishap) {
    case "internal_error":
    case "service_unavailable":
    case "rate_limited":
    case "unauthorized":
    case "busy":
      return dialect.error(mishap);
    case "refuse":
      return dialect.refused("out_of_stock");
    case "html":
      return { status: 200, headers: { "content-type": "text/html" }, text: HTML };
    case "half-json":
      return { ...truth, text: truth.text.slice(0, truth.text.length / 2) };
    case "blank":
      return { ...truth, text: "" };
    case "redirect":
      return { status: variant === 0 ? 302 : 307, headers: { location: "/v1/orders/elsewhere" }, text: "" };
    case "missing":
      return dialect.missing(verb);
    default:
      return truth.status < 300 && isContent(mishap)
        ? (dialect.spoil(verb, truth, mishap, variant, stranger) ?? truth)
        : truth;
  }
}

const HTML = "<!doctype html><title>Welcome</title><p>We are improving our shop for you.";

const CONTENT: readonly string[] = [
  ...["wrong-shape", "other-order", "banana", "early", "back", "not-fulfilled", "empty-codes", "extra-code"],
  "odd-characters",
];

const isContent = (mishap: string): mishap is ContentMishap => CONTENT.includes(mishap);

const BOMB_BYTES = 64 * 1024 * 1024;
let bomb: Buffer | undefined;

/** A few kilobytes that unpack to 64 MiB. */
export function gzipBomb(): Buffer {
  bomb ??= gzipSync(Buffer.alloc(BOMB_BYTES, " "), { level: 9 });
  return bomb;
}
