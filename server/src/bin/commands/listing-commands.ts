import type { Command } from "commander";
import { setListing } from "../../catalog/prices/set-listing.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { required, UsageError, verb } from "../verb.ts";

export function listingCommands(program: Command): void {
  verb(
    program
      .command("listing")
      .description("which products a reseller sees")
      .command("set")
      .description(
        "list or unlist a product for one reseller; products are listed for every reseller by default",
      )
      .requiredOption("--product <id>", "the product")
      .requiredOption("--reseller <id>", "the reseller")
      .requiredOption("--listed <yes|no>", "yes or no"),
    async ({ db }, options) => {
      const listed = required(options, "listed");
      if (listed !== "yes" && listed !== "no")
        throw new UsageError(`--listed must be yes or no, not "${listed}"`);
      const { id: resellerId } = await getReseller(db, required(options, "reseller"));
      const listing = { productId: required(options, "product"), resellerId, listed: listed === "yes" };
      await setListing(db, listing);
      return listing;
    },
    (listing) =>
      `${listing.productId} is ${listing.listed ? "listed" : "not listed"} for ${listing.resellerId}`,
  );
}
