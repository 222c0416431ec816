import { styleText } from 'node:util';

export type Format = Parameters<typeof styleText>[0];

/** The output of a command. Colours depend on NO_COLOR, FORCE_COLOR and whether it is a terminal. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  style(format: Format, text: string): string;
  errStyle(format: Format, text: string): string;
  /** Shows a line that the next output replaces. It needs a terminal as standard error. */
  status(line: string): void;
  /** Whether `status` shows anything. */
  showsStatus: boolean;
}

const eraseLine = '\r\u001b[2K';

export function createTerminal(): Terminal {
  const { stdout, stderr } = process;
  const showsStatus = stderr.isTTY === true;
  let shown = false;
  // A reader such as `head` closes the pipe when it has read enough.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });

  function write(stream: NodeJS.WriteStream, text: string): void {
    if (shown) stderr.write(eraseLine);
    shown = false;
    stream.write(text);
  }

  return {
    out: (line) => write(stdout, `${line}\n`),
    err: (line) => write(stderr, `${line}\n`),
    style: (format, text) => styleText(format, text, { stream: stdout }),
    errStyle: (format, text) => styleText(format, text, { stream: stderr }),
    status(line) {
      if (!showsStatus) return;
      write(stderr, line.slice(0, (stderr.columns || 80) - 1));
      shown = line !== '';
    },
    showsStatus,
  };
}
