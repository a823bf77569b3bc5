import type { Random } from "../../seed.ts";
import type { WebControl, WebForm } from "./web-page.ts";

/** A name and a value of a form. A file has a name of its own. */
export type FormField = { name: string; value: string; file?: string };

/** The form as a person would fill it in, as far as a control says what it wants. */
export function goodFields(random: Random, form: WebForm, mark: string, receiverUrl: string): FormField[] {
  return form.controls.flatMap((control): FormField[] => {
    const { name, type } = control;
    if (type === "submit" || type === "button") return [];
    if (type === "file") return [{ name, value: random.pick(FILES), file: "upload.csv" }];
    if (type === "hidden") return [{ name, value: control.value }];
    if (type === "checkbox")
      return control.options.filter(() => random.chance(0.5)).map((value) => ({ name, value }));
    if (type === "select" || type === "radio")
      return control.options.length > 0 ? [{ name, value: random.pick(control.options) }] : [];
    return [{ name, value: typedValue(random, control, mark, receiverUrl) }];
  });
}

/** What is there already stays half of the time. */
function typedValue(random: Random, control: WebControl, mark: string, receiverUrl: string): string {
  const { name, type, value } = control;
  if (value !== "" && random.chance(0.5)) return value;
  if (/url/i.test(name)) return `${receiverUrl}?${mark}`;
  if (type === "email" || /email/i.test(name)) return `person-${mark}@typed.example`;
  if (type === "number" || /quantity|priority|count|days|upTo/i.test(name)) return String(random.below(20));
  if (/amount|price|value|cost|threshold|rate|balance/i.test(name))
    return random.pick(["1.00", "10.00", "0.5", "100"]);
  if (type === "date" || /date|expires|from|since/i.test(name)) return "2030-01-01";
  if (/currency/i.test(name)) return random.pick(["USD", "EUR"]);
  if (/code/i.test(name)) return random.pick(["123456", "NOT-A-CODE"]);
  if (type === "password" || /password/i.test(name)) return `some words ${mark}`;
  return random.pick([`text ${mark}`, "card", `note ${mark}`]);
}

const FILES = [
  "",
  "product_id,code\ncard,AAAA-BBBB\n",
  "id,name,face_value,currency\ncard,Card,10,USD\n",
  "product_id,price\ncard,2.60\n",
  "Date;Amount;Currency;Remittance\n2030-01-01;10.00;USD;SCR-1\n",
  "\u0000\u0001\u0002",
  "a,b\n".repeat(3_000),
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  '"unclosed,\n',
];

const BOUNDARY = "----scrip-fuzz";

/** As a browser encodes it. A file is only sent by a form that takes files. */
export function encodeForm(
  fields: readonly FormField[],
  asMultipart: boolean,
): { body: Buffer; contentType: string } {
  if (!asMultipart) {
    const text = fields
      .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join("&");
    return { body: Buffer.from(text), contentType: "application/x-www-form-urlencoded" };
  }
  const parts = fields.map(
    ({ name, value, file }) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name.replaceAll(/["\r\n]/g, "_")}"` +
      `${file === undefined ? "" : `; filename="${file}"\r\nContent-Type: text/csv`}\r\n\r\n${value}\r\n`,
  );
  return {
    body: Buffer.from(`${parts.join("")}--${BOUNDARY}--\r\n`),
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
  };
}
