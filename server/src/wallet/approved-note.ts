import { hideStaffIn } from "../activity/hide-staff.ts";

/** The note of a movement that took two people. The chain of hashes covers it, so nobody can change who they were. */
export const writeApprovedNote = (note: string, proposedBy: string, approvedBy: string): string =>
  `${note} (proposed by ${proposedBy}, approved by ${approvedBy})`;

/** The note as the reseller reads it. */
export const hideStaff = <Row extends { note: string | null }>(row: Row): Row =>
  row.note === null ? row : { ...row, note: hideStaffIn(row.note) };
