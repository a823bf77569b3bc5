import { formToken } from "../../src/accounts/sessions/session-id.ts";
import { TOKEN_FIELD } from "../../src/web/form/hidden-fields.ts";
import { maskToken } from "../../src/web/security/form-token.ts";
import { CONSOLE_COOKIE, CONSOLE_ORIGIN, type ConsoleVisit, type openConsoleDesk } from "./console-desk.ts";

type Desk = Pick<Awaited<ReturnType<typeof openConsoleDesk>>, "console" | "secrets">;

/** Sends a form of the console with a file, as a browser does. */
export function uploadFile(
  desk: Desk,
  person: ConsoleVisit,
  url: string,
  file: string | undefined,
  fields: Readonly<Record<string, string>> = {},
) {
  const boundary = "----scrip";
  const token = maskToken(formToken(desk.secrets.accountKey, person.cookie));
  const part = (name: string, value: string, more = "") =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const parts = [
    ...Object.entries({ [TOKEN_FIELD]: token, ...fields }).map(([name, value]) => part(name, value)),
    part(
      "file",
      file ?? "",
      `; filename="${file === undefined ? "" : "codes.csv"}"\r\ncontent-type: text/csv`,
    ),
  ];
  return desk.console.inject({
    method: "POST",
    url,
    headers: {
      host: new URL(CONSOLE_ORIGIN).host,
      origin: CONSOLE_ORIGIN,
      cookie: `${CONSOLE_COOKIE}=${person.cookie}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
    },
    payload: `${parts.join("")}--${boundary}--\r\n`,
  });
}
