import type { Command, Option } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What can follow a command: its own commands, and its options. */
type Node = { path: string; words: Word[]; options: Word[] };
type Word = { word: string; description: string; takesValue: boolean; choices: readonly string[] };

/** A script for the shell, made of the commands as they are. */
export function completionFor(program: Command, shell: Shell): string {
  const nodes = collect(program, "");
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](nodes);
}

function collect(command: Command, path: string): Node[] {
  const words = command.commands.map((child) => ({
    word: child.name(),
    description: child.description(),
    takesValue: false,
    choices: [],
  }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((word) => ({ word, description: "", takesValue: false, choices: [] })),
  );
  const help = { word: "--help", description: "show help", takesValue: false, choices: [] };
  const node = { path, words: [...words, ...choices], options: [...command.options.map(toWord), help] };
  return [node, ...command.commands.flatMap((child) => collect(child, `${path} ${child.name()}`.trim()))];
}

/** Values that an option is known to take, by its name. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  "--env": ["live", "test"],
  "--listed": ["yes", "no"],
  "--format": ["json", "csv"],
  "--status": ["pending", "processing", "completed", "failed", "refunded"],
  "--state": ["stock", "expired", "withdrawn", "damaged", "quarantined", "delivered"],
  "--type": ["gift_card", "top_up"],
};

const toWord = (option: Option): Word => {
  const word = option.long ?? option.short ?? "";
  return {
    word,
    description: option.description,
    takesValue: option.required,
    choices: option.argChoices ?? VALUES[word] ?? [],
  };
};

const wordsOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(" ");

/** Options that take a value, each with the values that are known; for the others the shell offers files. */
const valueOptions = (nodes: readonly Node[]): Map<string, readonly string[]> =>
  new Map(
    nodes
      .flatMap(({ options }) => options)
      .filter(({ takesValue }) => takesValue)
      .map(({ word, choices }) => [word, choices]),
  );

function bashScript(nodes: readonly Node[]): string {
  const values = [...valueOptions(nodes)].map(([word, choices]) =>
    choices.length === 0
      ? `    ${word}) COMPREPLY=($(compgen -f -- "$word")); return ;;`
      : `    ${word}) COMPREPLY=($(compgen -W '${choices.join(" ")}' -- "$word")); return ;;`,
  );
  const cases = nodes.map(
    ({ path, words, options }) =>
      `    '${path}') words='${wordsOf(words)}'; options='${wordsOf(options)}' ;;`,
  );
  return `# bash completion for scrip
_scrip() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' options='' index
  case "$previous" in
${values.join("\n")}
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
      -*) break ;;
      *) path="\${path:+$path }\${COMP_WORDS[index]}" ;;
    esac
  done
  while :; do
    case "$path" in
${cases.map((line) => `  ${line}`).join("\n")}
      *) path="\${path% *}"; continue ;;
    esac
    break
  done
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _scrip scrip`;
}

const quote = (text: string): string => text.replaceAll("'", "’");

function zshScript(nodes: readonly Node[]): string {
  const describe = ({ word, description }: Word): string =>
    `'${word}:${quote(description).replaceAll(":", "\\:")}'`;
  const values = [...valueOptions(nodes)].map(([word, choices]) =>
    choices.length === 0
      ? `    ${word}) _files; return ;;`
      : `    ${word}) compadd -- ${choices.join(" ")}; return ;;`,
  );
  const cases = nodes.map(
    ({ path, words, options }) =>
      `    '${path}') words_=(${words.map(describe).join(" ")}); options_=(${options.map(describe).join(" ")}) ;;`,
  );
  return `#compdef scrip
_scrip() {
  local -a words_ options_
  local path_='' index
  case "\${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  for ((index = 2; index < CURRENT; index++)); do
    [[ \${words[index]} == -* ]] && break
    path_="\${path_:+$path_ }\${words[index]}"
  done
  while :; do
    case "$path_" in
${cases.map((line) => `  ${line}`).join("\n")}
      *) path_="\${path_% *}"; continue ;;
    esac
    break
  done
  if [[ \${words[CURRENT]} == -* ]]; then _describe option options_
  elif (( \${#words_} )); then _describe command words_
  else _files; fi
}
compdef _scrip scrip`;
}

function fishScript(nodes: readonly Node[]): string {
  const condition = (path: string): string => `__scrip_at '${path}'`;
  const lines = nodes.flatMap(({ path, words, options }) => [
    ...words.map(
      ({ word, description }) =>
        `complete -c scrip -f -n "${condition(path)}" -a ${word} -d '${quote(description)}'`,
    ),
    ...options.map(({ word, description, takesValue, choices }) =>
      [
        `complete -c scrip -n "${condition(path)}" -l ${word.replace(/^--/, "")} -d '${quote(description)}'`,
        ...(takesValue ? [choices.length === 0 ? "-r" : `-x -a '${choices.join(" ")}'`] : []),
      ].join(" "),
    ),
  ]);
  return `# fish completion for scrip
function __scrip_at
  set -l path
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and break
    set -a path $word
  end
  test "$path" = "$argv[1]"
end
${lines.join("\n")}`;
}
