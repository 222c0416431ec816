import { styleText } from 'node:util';

export type Format = Parameters<typeof styleText>[0];
export type Terminal = ReturnType<typeof createTerminal>;

/** Creates the output of a command. Colours depend on NO_COLOR, FORCE_COLOR and whether it is a terminal. */
export function createTerminal() {
  const { stdout, stderr } = process;
  // A reader such as `head` closes the pipe when it has read enough.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  return {
    out: (line: string) => void stdout.write(`${line}\n`),
    err: (line: string) => void stderr.write(`${line}\n`),
    style: (format: Format, text: string) => styleText(format, text, { stream: stdout }),
    errStyle: (format: Format, text: string) => styleText(format, text, { stream: stderr }),
  };
}
