import { composeLetter } from "../../mail/compose-letter.ts";
import type { Letter } from "../../mail/queue-letter.ts";
import { keyPrefix } from "../key-format.ts";
import type { FrozenKey } from "./velocity-queries.ts";

/** Says that a key was frozen. A freeze has one letter. */
export function frozenLetter({ id, environment, name, lastFour, frozenAt, email }: FrozenKey): Letter {
  const hint = `${keyPrefix(environment)}…${lastFour}`;
  const called = name === "" ? hint : `${name} (${hint})`;
  return composeLetter({
    to: email,
    cause: `key ${id} frozen at ${frozenAt.toISOString()}`,
    subject: `Your API key ${hint} on Scrip was frozen`,
    paragraphs: [
      `Your API key ${called} was about to spend many times what it usually spends in an hour. It was frozen at ${frozenAt.toISOString().slice(0, 16).replace("T", " ")} UTC and places no more orders. Other keys are not affected.`,
      "If you expected this, unfreeze the key on its page in the dashboard. It can then spend freely until the next full hour.",
      "If you did not, someone else may have the key. Revoke it and create a new one.",
    ],
    footer: "You receive this because your address is the address of the reseller.",
  });
}
