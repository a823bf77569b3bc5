type Environment = Readonly<Record<string, string | undefined>>;

/** Far more than any secret needs. A longer file is the wrong file. */
const SECRET_MAX_CHARACTERS = 65_536;

/**
 * Returns the environment with secrets read from files. `NAME_FILE` is the path of a file with the value of `NAME`,
 * which is how container secrets and systemd credentials work. A file with several lines is read as a list, one item
 * per line.
 */
export function withSecretFiles(
  env: Environment,
  names: readonly string[],
  readText: (path: string) => string,
  refusal: (setting: string, reason: string) => Error,
): Environment {
  const values: Record<string, string> = {};
  for (const name of names) {
    const setting = `${name}_FILE`;
    const path = env[setting]?.trim() ?? "";
    if (path === "") continue;
    if ((env[name]?.trim() ?? "") !== "") throw refusal(setting, `must not be set together with ${name}`);
    const text = readOrRefuse(path, readText, (reason) => refusal(setting, reason));
    if (text === "") throw refusal(setting, `points to ${path}, which is empty`);
    values[name] = text.split(/\s*\n\s*/).join(",");
  }
  return { ...env, ...values };
}

function readOrRefuse(
  path: string,
  readText: (path: string) => string,
  refusal: (reason: string) => Error,
): string {
  let text: string;
  try {
    text = readText(path).trim();
  } catch (error) {
    throw refusal(
      `points to ${path}, which cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`,
    );
  }
  // The content is never quoted: it can be a secret even when it is the wrong one.
  if (text.length > SECRET_MAX_CHARACTERS)
    throw refusal(`points to ${path}, which is too long to hold a secret`);
  return text;
}
