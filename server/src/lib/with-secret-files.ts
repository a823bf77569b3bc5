type Environment = Readonly<Record<string, string | undefined>>;

/** Far more than any of them needs; what is longer is the wrong file. */
const SECRET_MAX_CHARACTERS = 65_536;

/**
 * The environment with secrets that were given as files: `NAME_FILE` names a file with the value of `NAME`, which is how
 * container secrets and systemd credentials arrive. A value that spans lines is read as a list, one item on each line.
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
    if (text === "") throw refusal(setting, `names ${path}, which is empty`);
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
      `names ${path}, which cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`,
    );
  }
  // The content is never repeated: it may be a secret even when it is the wrong one.
  if (text.length > SECRET_MAX_CHARACTERS) throw refusal(`names ${path}, which is too long to hold a secret`);
  return text;
}
