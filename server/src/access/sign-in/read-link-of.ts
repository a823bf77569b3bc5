import type { AccountRow } from "../../accounts/account-queries.ts";
import { readLink } from "../../accounts/people/account-link.ts";
import { kindOf } from "../../accounts/permissions.ts";
import { Refusal } from "../../accounts/refusal.ts";
import type { AccessDeps } from "../site.ts";

/** The account of a link that can be used on this face. A link of the other face is worth nothing here. */
export async function readLinkOf(
  { site, accounts }: Pick<AccessDeps, "site" | "accounts">,
  purpose: Parameters<typeof readLink>[1],
  token: string,
): Promise<AccountRow> {
  const account = await readLink(accounts, purpose, token);
  if (account.kind !== kindOf(site.face))
    throw new Refusal("link_unusable", `This link is not for ${site.name}. Open it as it was sent.`);
  return account;
}
