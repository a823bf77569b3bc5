import { Argument, type Command } from "commander";
import { completionFor, SHELLS, type Shell } from "../output/completion.ts";
import { print } from "../verb.ts";

export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description("print a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", HELP)
    .action((shell: Shell) => print(completionFor(program, shell)));
}

const HELP = `
bash: scrip completion bash > ~/.local/share/bash-completion/completions/scrip
zsh:  scrip completion zsh > "\${fpath[1]}/_scrip"
fish: scrip completion fish > ~/.config/fish/completions/scrip.fish`;
