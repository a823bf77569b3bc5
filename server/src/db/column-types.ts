import pg from "pg";

const INT8_OID = 20;

/** 64-bit integers are read as bigint: money never passes through a float. */
export const columnTypes = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8_OID) return (value: string) => BigInt(value);
    return pg.types.getTypeParser(oid, format ?? "text");
  },
} as pg.CustomTypesConfig;
