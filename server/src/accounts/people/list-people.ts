import type { Queryable } from "../../db/database.ts";
import { findFactorRequired, listPersonRows, type PersonRow, type Team } from "../account-queries.ts";
import { PEOPLE_MAX } from "./team-queries.ts";

export type Person = Omit<PersonRow, "acceptedAt" | "removedAt"> & { state: "invited" | "active" };

/** Everyone on the team, in the order in which they were invited. */
export async function listPeople(db: Queryable, team: Team): Promise<Person[]> {
  return (await listPersonRows(db, team, PEOPLE_MAX)).map(toPerson);
}

/** The people of every reseller, for the operator. */
export async function listAllUsers(db: Queryable, limit: number): Promise<Person[]> {
  return (await listPersonRows(db, { kind: "user" }, limit)).map(toPerson);
}

const toPerson = ({ acceptedAt, removedAt: _removedAt, ...row }: PersonRow): Person => ({
  ...row,
  state: acceptedAt ? "active" : "invited",
});

/** Whether the owner requires a second factor of the reseller's people. */
export async function isFactorRequired(db: Queryable, resellerId: string): Promise<boolean> {
  return findFactorRequired(db, resellerId);
}
